"""Prove a landing by other means than those that made it.

1. The landed commits are a line from what they stand on to the head that was told.
2. Each commit changes what its original changed, entry by entry (so its patch-id is the same too), or the
   landing told that its change met others and was joined with them.
3. The whole change onto..new, as the difference of the two trees, is the whole change cut..pinned. Where
   contents were joined, libgit2 joins them again; where it does not come to the same (it has no attributes,
   and renames differ), git's own rebase repeats the landing commit by commit.
4. What the member did not touch is as the target had it, the target's renames followed.
"""

import stat
from typing import NamedTuple

import pygit2
from pygit2.enums import FileMode
from pygit2.index import MergeFileResult

from gitsched.adapters.git.history import OwnCommits, base_tree
from gitsched.adapters.git.merge import Merges
from gitsched.adapters.git.objects import Change, Entry, Leaf, Objects, shown
from gitsched.adapters.git.process import Git
from gitsched.adapters.git.renames import renames
from gitsched.domain.landing import Proof, Proven, Rebased, Unproven


class _Asked(NamedTuple):
    """What a landing is compared with."""

    own: OwnCommits
    pinned: str
    target: str
    """The tree landed on."""
    landed: Rebased
    wanted: tuple[Change, ...]
    """The change cut..pinned."""
    made: tuple[Change, ...]
    """The change from the target to what landed."""


class Prover:
    """Proves landings of one repository."""

    def __init__(self, objects: Objects, git: Git, merges: Merges) -> None:
        """Take a session of merges for what libgit2 cannot show."""
        self._objects = objects
        self._git = git
        self._merges = merges

    def prove(self, own: OwnCommits, pinned: str, onto: str, landed: Rebased) -> Proof:
        """Check line, commits, tree and the target's own paths; the first fault found is named."""
        objects = self._objects
        target = objects.tree_of(onto)
        asked = _Asked(
            own,
            pinned,
            target,
            landed,
            wanted=objects.changes(objects.tree_of(own.base), objects.tree_of(pinned)),
            made=objects.changes(target, landed.tree),
        )
        why = (
            self._line_fault(onto, landed)
            or self._commit_fault(landed)
            or self._tree_fault(asked)
            or self._target_fault(asked)
        )
        return Proven() if why is None else Unproven(why)

    def _line_fault(self, onto: str, landed: Rebased) -> str | None:
        parent = onto
        for commit in landed.commits:
            if self._objects.commit(commit.landed).parents != (parent,):
                return f"commit {commit.landed} does not stand on {parent}"
            parent = commit.landed
        if parent != landed.head or self._objects.commit(parent).tree != landed.tree:
            return f"{landed.head} is not the last landed commit, or its tree is not {landed.tree}"
        return None

    def _commit_fault(self, landed: Rebased) -> str | None:
        if landed.as_one:
            return None  # it has no original of its own; the whole tree is compared below
        for commit in landed.commits:
            if not commit.merged and self._change_of(commit.original) != self._change_of(commit.landed):
                return f"commit {commit.landed} does not make the change of {commit.original}"
        return None

    def _change_of(self, oid: str) -> tuple[Change, ...]:
        commit = self._objects.commit(oid)
        return self._objects.changes(base_tree(self._objects, commit), commit.tree)

    def _tree_fault(self, asked: _Asked) -> str | None:
        landed = asked.landed
        if asked.wanted == asked.made:
            return None
        if not landed.dropped and not any(commit.merged for commit in landed.commits):
            return f"tree {landed.tree} is not that of the target with the member's changes"
        if self._joins_alike(asked) or self._rebases_alike(asked):
            return None
        return f"git's rebase gives another tree than {landed.tree}"

    def _joins_alike(self, asked: _Asked) -> bool:
        """Say whether libgit2, looking at single paths, comes to the same changes."""
        results = {change.path: change.new for change in asked.made}
        for change in asked.wanted:
            has = _leaf(self._objects.entry_at(asked.target, change.path))
            result = results.pop(change.path, has)
            if has in {change.old, change.new}:
                if result != change.new:
                    return False
            elif result is None or not self._joins_to(change, has, result):
                return False
        return not results

    def _joins_to(self, change: Change, has: Leaf | None, result: Leaf) -> bool:
        """Say whether libgit2 joins the contents of one file to those of `result`."""
        sides = [_index_entry(side) for side in (change.old, has, change.new)]
        if None in sides:
            return False
        try:
            joined = self._objects.repository.merge_file_from_index(sides[0], sides[1], sides[2])
        except UnicodeDecodeError:  # pygit2 gives contents as UTF-8 text only
            return False
        assert isinstance(joined, MergeFileResult)
        found = Leaf(int(joined.mode), str(pygit2.hash(joined.contents.encode())))
        return joined.automergeable and found == result

    def _rebases_alike(self, asked: _Asked) -> bool:
        """Say whether git's own rebase comes to the same tree."""
        objects, own, tree = self._objects, asked.own, asked.target
        steps = [(base_tree(objects, objects.commit(oid)), objects.commit(oid).tree) for oid in own.linear()]
        if asked.landed.as_one:
            steps = [(objects.tree_of(own.base), objects.tree_of(asked.pinned))]
        for before, after in steps:
            answer = self._merges.by_sequencer(before, tree, after)
            if not answer.clean:
                return False
            tree = answer.tree
        return tree == asked.landed.tree

    def _target_fault(self, asked: _Asked) -> str | None:
        touched = {change.path for change in asked.wanted}
        made = [change.path for change in asked.made if change.old is not None]
        if touched.issuperset(made):
            return None
        # A member may add a file that the target has too, and move it on: its net change does not show it.
        touched |= {change.path for oid in asked.own.linear() for change in self._change_of(oid)}
        moved = renames(self._git, self._objects.tree_of(asked.own.base), asked.target)
        undone = [path for path in made if path not in touched and moved.get(path) not in touched]
        return f"'{shown(undone[0])}' changed, which the member did not touch" if undone else None


def _leaf(entry: Entry | None) -> Leaf | None:
    return None if entry is None else Leaf(int(entry[0], 8), entry[1].hex())


def _index_entry(leaf: Leaf | None) -> pygit2.IndexEntry | None:
    if leaf is None or not stat.S_ISREG(leaf.mode):
        return None
    return pygit2.IndexEntry("file", pygit2.Oid(hex=leaf.oid), FileMode(leaf.mode))
