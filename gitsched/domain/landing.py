"""Landing a member's work: what is asked, and every ordinary answer.

Commits and trees are object ids in hexadecimal. Paths are relative to the root of the tree, bytes that
are not UTF-8 shown by a backslash, `x` and two digits.
"""

from enum import StrEnum

from msgspec import Struct


class Strategy(StrEnum):
    """How many commits a member becomes (`land.strategy`)."""

    REBASE = "rebase"
    SQUASH = "squash"


class Signature(Struct, frozen=True):
    """Who makes a commit, and when."""

    name: str
    email: str
    at_s: int
    """Whole seconds since 1970; given, never read from a clock, so that landing again gives the same ids."""


class Work(Struct, frozen=True):
    """What a member made: the commits of cut..pinned."""

    cut: str
    """The commit that the member's branch was cut from."""
    pinned: str
    """The member's head as it was verified; what its branch got later is not looked at."""


class Decoration(Struct, frozen=True):
    """What landing writes into a member's messages."""

    issue: int
    trailers: tuple[tuple[str, str], ...]
    is_closing: bool = True
    """Orders to close an issue stay orders; else they only name it."""

    @classmethod
    def of_member(cls, batch: str, issue: int, *, is_closing: bool = True) -> "Decoration":
        """Name batch and issue, as every landed commit of a member does."""
        return cls(issue, (("Gitsched-Batch", batch), ("Gitsched-Issue", str(issue))), is_closing)


class Terms(Struct, frozen=True, kw_only=True):
    """How a member is to land."""

    committer: Signature
    decoration: Decoration | None
    """None leaves messages as they are: a seam for comparing ids with `git rebase`."""
    strategy: Strategy = Strategy.REBASE
    confirm_in: str | None = None
    """A clean worktree that is ours, where git's own rebase is asked before a conflict is believed."""


class LandedCommit(Struct, frozen=True):
    """A commit of the member and what it became."""

    original: str
    """The pinned head where the whole member landed as one."""
    landed: str
    merged: bool
    """The change met other changes and git's merge machinery joined them: its patch may read differently."""


class Rebased(Struct, frozen=True, kw_only=True):
    """The member's work stands on top of what it was to land on; no ref has moved."""

    head: str
    tree: str
    commits: tuple[LandedCommit, ...]
    """Oldest first; one that was empty from the start is kept."""
    dropped: tuple[str, ...] = ()
    """Originals that became empty, because what landed before them holds their change already."""
    as_one: bool = False
    """The one commit is the difference of cut and pinned head, by squash or because of merges."""
    linearised_as_one: bool = False
    """The member's merges resolved something, so that it landed as the one commit of cut..pinned."""
    disagreed: bool = False
    """Our merge saw a conflict that git's rebase did not; git's result is what is here. A fault of ours to log."""


class Conflict(Struct, frozen=True):
    """Two sides changed the same thing."""

    paths: tuple[str, ...]
    """At most ten, in order of the tree."""
    commit: str
    """The member's commit that does not apply."""


class NothingToLand(Struct, frozen=True):
    """What the member changed is in the branch already, or it changed nothing."""

    dropped: tuple[str, ...]


Landing = Rebased | Conflict | NothingToLand


class Proven(Struct, frozen=True):
    """A second computation came to the same tree, and nothing of the target is undone."""


class Unproven(Struct, frozen=True):
    """The landed commits are not what they should be; they must not be published."""

    why: str


Proof = Proven | Unproven


class HazardKind(StrEnum):
    """Why work is kept out although it merges and passes."""

    CASE_CLASH = "case-clash"
    UNICODE_CLASH = "unicode-clash"
    SUBMODULE_MOVED = "submodule-moved"
    LFS_MISSING = "lfs-missing"
    SYMLINK_ESCAPE = "symlink-escape"
    SIZE = "size"
    DELETION = "deletion"
    WORKFLOW_FILE = "workflow-file"


class Hazard(Struct, frozen=True):
    """One thing that must not land, with the sentence that people see."""

    kind: HazardKind
    detail: str
    paths: tuple[str, ...]


class Guards(Struct, frozen=True, kw_only=True):
    """Where a change stops being ordinary (`land.guards`)."""

    size_bytes: int = 100 * 1024 * 1024
    """The largest single file."""
    deletions: float = 0.5
    """The share of all files that one member may delete."""
    may_push_workflows: bool = True


class SharedCommit(Struct, frozen=True):
    """A commit of the member that is another member's as well."""

    commit: str
    sibling: int
    """The other member's issue."""


MAX_CONFLICT_PATHS = 10
