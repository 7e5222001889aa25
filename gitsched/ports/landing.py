"""Landing without a worktree: what the engine asks of git before it moves a ref."""

from collections.abc import Container, Mapping, Sequence
from typing import Protocol

from gitsched.domain.landing import Conflict, Guards, Hazard, Landing, Proof, Rebased, SharedCommit, Terms, Work


class Lander(Protocol):
    """Computes landings, proofs and hazards on objects alone; moves no ref and touches no checkout."""

    def land(self, work: Work, onto: str, terms: Terms) -> Landing:
        """Put the member's own commits on top of the commit `onto`, as `git rebase --onto` would.

        The same arguments give the same ids. Raises `GitFailedError` when git cannot do its part.
        """

    def revert(self, commits: Sequence[str], onto: str, terms: Terms) -> Rebased | Conflict:
        """Put commits on `onto` that take these back, in the order given, with the trailers of the terms.

        One whose change is gone already gets none. A conflict leaves nothing behind.
        """

    def prove(self, work: Work, onto: str, landed: Rebased) -> Proof:
        """Check a landing by other means than those that made it."""

    def own_hazards(self, work: Work, guards: Guards) -> tuple[Hazard, ...]:
        """Look for what is wrong with the member's work by itself, at the moment its head is pinned."""

    def union_hazards(self, work: Work, onto: str, landed: Rebased, base: str) -> tuple[Hazard, ...]:
        """Look for what is wrong only together with what landed before.

        `base` is where the batch began: the commits since then say whose path it is that clashes.
        """

    def shared_commits(self, work: Work, onto: str, siblings: Mapping[int, str]) -> tuple[SharedCommit, ...]:
        """Find commits of the member that are siblings' as well and have not landed.

        `siblings` maps issues to the heads of their branches, or of their landed originals.
        """

    def commits(self, cut: str, head: str) -> tuple[str, ...]:
        """List the commits of cut..head, oldest first, merges included."""

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Say whether `commit` holds `ancestor` in its history; a commit holds itself, and none that is not here."""

    def tree_of(self, commit: str) -> str:
        """Name the tree of a commit."""

    def message_of(self, commit: str) -> str:
        """Give a commit's message; bytes that are not text in its encoding are replaced."""

    def paths_of(self, commit: str) -> Container[str]:
        """Give the paths of a commit's tree as a set that is asked, not listed."""

    def changed_paths(self, before: str, after: str) -> tuple[str, ...]:
        """List the paths that differ between two commits or trees, a rename by both its names, in order."""

    def diff(self, before: str, after: str, limit: int) -> bytes:
        """Write the change from one commit to another as a patch, cut with a mark at `limit` bytes."""

    def changed_lines(self, before: str, after: str) -> Mapping[str, frozenset[int]]:
        """Give the lines that differ, by path and by the numbers that the earlier commit gives them.

        Where lines are inserted, those beside them; a file that is new has none.
        """

    def patch_id(self, commit: str) -> str:
        """Name a commit's change, wherever it stands; the same change has the same name."""

    def combined_patch_id(self, base: str, head: str) -> str:
        """Name the change from `base` to `head` as if it were one commit."""
