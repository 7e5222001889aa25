"""Run `git merge-tree` over three trees, in the way that the git at hand can.

    2.38   --write-tree over commits only: the trees become three small commits
    2.43   -X renormalize
    2.45   --merge-base takes trees
    2.49   --stdin answers at once (before, it held answers back until its input ended)

Source: git's release notes; `git merge-tree` page, "OUTPUT" and "INPUT FORMAT".
"""

import select
import subprocess
import time
from typing import NamedTuple

from gitsched.adapters.git.objects import Commit, Objects
from gitsched.adapters.git.process import DEFAULT_TIMEOUT_S, Git, end_group
from gitsched.errors import GitFailedError

TREES_SINCE = (2, 45, 0)
RENORMALIZES_SINCE = (2, 43, 0)
STREAMS_SINCE = (2, 49, 0)

_COMMAND = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")
_RENORMALIZE = ("-X", "renormalize")
_NOBODY = b"gitsched <gitsched@localhost> 0 +0000"
_CONFLICTED = 1


class MergedTree(NamedTuple):
    """What merge-tree said: the tree, and the paths in conflict; a tree with conflicts is of no use."""

    clean: bool
    tree: str
    paths: tuple[bytes, ...]


class OneShot:
    """One process a merge."""

    def __init__(self, git: Git, objects: Objects, version: tuple[int, int, int], *, renormalize: bool) -> None:
        """Stand on a git whose worktree holds the attribute files."""
        self._git = git
        self._objects = objects
        self._takes_trees = version >= TREES_SINCE
        self._options = _RENORMALIZE if renormalize else ()

    def merge(self, base: str, ours: str, theirs: str, picked: str | None = None) -> MergedTree:
        """Merge two trees over a third. Raises `GitFailedError` when git gives no answer.

        `picked` is a commit of the tree `theirs` whose parent has the tree `base`, if there is one: it
        spares two synthetic ones.
        """
        done = self._git.run(*_COMMAND, *self._options, *self._sides(base, ours, theirs, picked), check=False)
        if done.code not in {0, _CONFLICTED}:
            raise GitFailedError("merge-tree", done.code, done.complaint())
        tree, *paths = done.out.split(b"\0")
        return MergedTree(done.ok, tree.decode(), tuple(filter(None, paths)))

    def close(self) -> None:
        """Have nothing to end."""

    def _sides(self, base: str, ours: str, theirs: str, picked: str | None) -> tuple[str, ...]:
        if self._takes_trees:
            return f"--merge-base={base}", ours, theirs
        if picked is not None and self._objects.commit(picked).parents:
            return synthetic_commit(self._objects, ours, *self._objects.commit(picked).parents), picked
        parent = synthetic_commit(self._objects, base)
        return tuple(synthetic_commit(self._objects, side, parent) for side in (ours, theirs))


class Stream:
    """One process for many merges."""

    def __init__(self, git: Git, *, renormalize: bool) -> None:
        """Start git; raises `GitFailedError` when it cannot be."""
        options = _RENORMALIZE if renormalize else ()
        self._child = git.open(*_COMMAND, *options, "--stdin", stderr=subprocess.DEVNULL)
        self._read = b""

    def merge(self, base: str, ours: str, theirs: str, picked: str | None = None) -> MergedTree:
        """Merge two trees over a third. Raises `GitFailedError` when git gives no answer in time."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(f"{base} -- {ours} {theirs}\n".encode())
            self._child.stdin.flush()
        except BrokenPipeError as gone:
            raise GitFailedError("merge-tree", self._child.wait(), "it ended between two merges") from gone
        clean, tree, *paths = self._answer()
        return MergedTree(clean == b"1", tree.decode(), tuple(paths))

    def close(self) -> None:
        """End the process."""
        end_group(self._child)

    def _answer(self) -> list[bytes]:
        """Read one answer: fields that end in NUL, the last of them empty."""
        assert self._child.stdout is not None
        stdout, until = self._child.stdout.fileno(), time.monotonic() + DEFAULT_TIMEOUT_S
        while b"\0\0" not in self._read:
            ready, _, _ = select.select([stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise GitFailedError("merge-tree", None, "it gave no answer")
            got = self._child.stdout.read1(65536)  # type: ignore[attr-defined]
            if not got:
                raise GitFailedError("merge-tree", self._child.wait(), "it ended within an answer")
            self._read += got
        answer, _, self._read = self._read.partition(b"\0\0")
        return answer.split(b"\0")


def synthetic_commit(objects: Objects, tree: str, *parents: str) -> str:
    """Write a commit that only carries a tree; the same tree and parents give the same one."""
    return objects.write_commit(Commit(tree, parents, _NOBODY, _NOBODY, None, b"merge\n"))
