"""Land members on the objects of one repository: the git side of the port `Lander`."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from gitsched.adapters.git import hazards, history
from gitsched.adapters.git.attributes import AttributeFolders
from gitsched.adapters.git.changed_lines import changed_lines
from gitsched.adapters.git.merge import Machinery, Merges
from gitsched.adapters.git.objects import Objects, open_repository, shown
from gitsched.adapters.git.process import engine_git, git_version
from gitsched.adapters.git.proof import Prover
from gitsched.adapters.git.rebase import Rebase
from gitsched.adapters.git.reverting import Reverting
from gitsched.domain.landing import (
    Conflict,
    Guards,
    Hazard,
    Landing,
    Proof,
    Rebased,
    SharedCommit,
    Strategy,
    Terms,
    Work,
)


class GitLander:
    """Implements `gitsched.ports.landing.Lander`; one per repository and thread."""

    def __init__(
        self,
        repository: Path,
        *,
        allowed_drivers: frozenset[str] = frozenset(),
        version: tuple[int, int, int] | None = None,
    ) -> None:
        """Open the repository; `allowed_drivers` names the custom merge drivers that may run."""
        opened = open_repository(repository)
        self._objects = Objects(opened)
        self._git = engine_git(Path(opened.path))
        attributes = AttributeFolders(self._objects)
        self._machinery = Machinery(self._git, version or git_version(), attributes, allowed_drivers)

    def land(self, work: Work, onto: str, terms: Terms) -> Landing:
        """Put the member's own commits on top of `onto`."""
        own = history.own_commits(self._objects, self._git, work, onto)
        with self._merges(terms.confirm_in) as merges:
            rebase = Rebase(self._objects, merges, terms.committer, terms.decoration)
            if terms.strategy is Strategy.SQUASH:
                return rebase.as_one(own, work.pinned, onto)
            return rebase.commit_by_commit(own, work.pinned, onto)

    def revert(self, commits: Sequence[str], onto: str, terms: Terms) -> Rebased | Conflict:
        """Put commits on `onto` that take these back, in the order given."""
        trailers = () if terms.decoration is None else terms.decoration.trailers
        with self._merges(None) as merges:
            return Reverting(self._objects, merges, terms.committer).revert(commits, onto, trailers)

    def prove(self, work: Work, onto: str, landed: Rebased) -> Proof:
        """Check a landing by other means than those that made it."""
        own = history.own_commits(self._objects, self._git, work, onto)
        with self._merges(None) as merges:
            return Prover(self._objects, self._git, merges).prove(own, work.pinned, onto, landed)

    def own_hazards(self, work: Work, guards: Guards) -> tuple[Hazard, ...]:
        """Look for what is wrong with the member's work by itself."""
        return hazards.own_hazards(self._objects, self._git, work, guards)

    def union_hazards(self, work: Work, onto: str, landed: Rebased, base: str) -> tuple[Hazard, ...]:
        """Look for what is wrong only together with what landed before."""
        owner = history.Owners(self._objects, base, onto).owner_of
        return hazards.union_hazards(self._objects, work, onto, landed, owner)

    def shared_commits(self, work: Work, onto: str, siblings: Mapping[int, str]) -> tuple[SharedCommit, ...]:
        """Find commits of the member that are siblings' as well and have not landed."""
        own = history.own_commits(self._objects, self._git, work, onto)
        return history.shared_commits(self._objects, own, work.pinned, siblings)

    def commits(self, cut: str, head: str) -> tuple[str, ...]:
        """List the commits of cut..head, oldest first."""
        return history.commits_between(self._objects, self._git, cut, head)

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Say whether `commit` holds `ancestor` in its history."""
        return ancestor in self._objects.repository and history.is_ancestor(self._objects, ancestor, commit)

    def tree_of(self, commit: str) -> str:
        """Name the tree of a commit."""
        return self._objects.tree_of(commit)

    def message_of(self, commit: str) -> str:
        """Give a commit's message; bytes that are not text in its encoding are replaced."""
        found = self._objects.commit(commit)
        encoding = found.encoding.decode("ascii", "replace") if found.encoding else "utf-8"
        try:
            return found.message.decode(encoding, "replace")
        except LookupError:
            return found.message.decode("utf-8", "replace")

    def paths_of(self, commit: str) -> Container[str]:
        """Give the paths of a commit's tree as a set that is asked, not listed."""
        return TreePaths(self._objects, self._objects.tree_of(commit))

    def changed_paths(self, before: str, after: str) -> tuple[str, ...]:
        """List the paths that differ, a rename by both its names."""
        trees = self._objects.tree_of(before), self._objects.tree_of(after)
        return tuple(shown(change.path) for change in self._objects.changes(*trees))

    def diff(self, before: str, after: str, limit: int) -> bytes:
        """Write the change as a patch for people."""
        return history.diff(self._objects, self._objects.tree_of(before), self._objects.tree_of(after), limit)

    def changed_lines(self, before: str, after: str) -> Mapping[str, frozenset[int]]:
        """Give the lines of the earlier commit that the later one changes, by path."""
        return changed_lines(self._objects, self._objects.tree_of(before), self._objects.tree_of(after))

    def patch_id(self, commit: str) -> str:
        """Name a commit's change."""
        read = self._objects.commit(commit)
        return history.patch_id(self._objects, history.base_tree(self._objects, read), read.tree)

    def combined_patch_id(self, base: str, head: str) -> str:
        """Name the change from `base` to `head` as one."""
        return history.patch_id(self._objects, self._objects.tree_of(base), self._objects.tree_of(head))

    def _merges(self, confirm_in: str | None) -> Merges:
        lent = None if confirm_in is None else Path(confirm_in)
        return Merges(self._objects, self._machinery, lent)


class TreePaths:
    """The paths of one tree, looked up one at a time: listing them all would cost the whole tree."""

    def __init__(self, objects: Objects, tree: str) -> None:
        """Stand on a tree."""
        self._objects = objects
        self._tree = tree

    def __contains__(self, path: object) -> bool:
        """Say whether the tree holds this path."""
        if not isinstance(path, str) or not path or path.startswith("/") or "//" in path:
            return False
        return self._objects.entry_at(self._tree, path.encode("utf-8", "surrogateescape")) is not None
