"""Take commits back by commits of their own, newest first, as `git revert` would, without a worktree."""

from collections.abc import Sequence

from gitsched.adapters.git.authorship import commit_encoding
from gitsched.adapters.git.history import base_tree
from gitsched.adapters.git.merge import Clashed, Merges
from gitsched.adapters.git.objects import Commit, Objects, shown
from gitsched.domain.landing import MAX_CONFLICT_PATHS, Conflict, LandedCommit, Rebased, Signature


class Reverting:
    """Reverts commits by one session of merges."""

    def __init__(self, objects: Objects, merges: Merges, committer: Signature) -> None:
        """Take who commits."""
        self._objects = objects
        self._merges = merges
        self._committer = f"{committer.name} <{committer.email}> {committer.at_s} +0000".encode()

    def revert(self, oids: Sequence[str], onto: str, trailers: Sequence[tuple[str, str]]) -> Rebased | Conflict:
        """Put a commit on `onto` for each of the commits, in the order given, that takes its change back.

        One whose change is gone already gets none.
        """
        head, tree = onto, self._objects.tree_of(onto)
        made: list[LandedCommit] = []
        dropped: list[str] = []
        for oid in oids:
            commit = self._objects.commit(oid)
            step = self._merges.merge(commit.tree, tree, base_tree(self._objects, commit))
            if isinstance(step, Clashed):
                return Conflict(tuple(shown(path) for path in step.paths[:MAX_CONFLICT_PATHS]), oid)
            if step.tree == tree:
                dropped.append(oid)
                continue
            head, tree = self._write(oid, commit, step.tree, head, trailers), step.tree
            made.append(LandedCommit(oid, head, step.by_git))
        return Rebased(head=head, tree=tree, commits=tuple(made), dropped=tuple(dropped))

    def _write(self, oid: str, commit: Commit, tree: str, parent: str, trailers: Sequence[tuple[str, str]]) -> str:
        subject = commit.message.partition(b"\n")[0]
        block = "".join(f"{name}: {value}\n" for name, value in trailers).encode()
        message = b'Revert "' + subject + b'"\n\nThis reverts commit ' + oid.encode() + b".\n\n" + block
        return self._objects.write_commit(
            Commit(
                tree=tree,
                parents=(parent,),
                author=self._committer,
                committer=self._committer,
                encoding=commit.encoding or commit_encoding(self._objects.repository),
                message=message,
            )
        )
