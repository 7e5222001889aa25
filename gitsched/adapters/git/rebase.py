"""Replay a member's commits on top of another commit, as `git rebase --onto` would.

Differences to git's rebase that are meant: the message and the committer are ours to set, and a member
that leaves the tree as it was lands nothing, though its commits were empty from the start.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from gitsched.adapters.git.authorship import as_git_rewrites, commit_encoding, one_commit_of
from gitsched.adapters.git.history import OwnCommits, base_tree
from gitsched.adapters.git.merge import Clashed, Merged, Merges
from gitsched.adapters.git.message import decorated
from gitsched.adapters.git.objects import Commit, Objects, shown
from gitsched.domain.landing import (
    MAX_CONFLICT_PATHS,
    Conflict,
    Decoration,
    LandedCommit,
    Landing,
    NothingToLand,
    Rebased,
    Signature,
)

_Write = Callable[[Commit, str, str], str]
"""Original, tree and parent to the commit that stands for it."""


@dataclass(slots=True)
class _Replay:
    """How far a replay has come."""

    head: str
    tree: str
    commits: list[LandedCommit] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    disagreed: bool = False
    as_one: bool = False
    linearised: bool = False

    def landed(self) -> Rebased:
        return Rebased(
            head=self.head,
            tree=self.tree,
            commits=tuple(self.commits),
            dropped=tuple(self.dropped),
            as_one=self.as_one,
            linearised_as_one=self.linearised,
            disagreed=self.disagreed,
        )


class Rebase:
    """Rebases members by one session of merges."""

    def __init__(self, objects: Objects, merges: Merges, committer: Signature, decoration: Decoration | None) -> None:
        """Take who commits, and what is written into messages."""
        self._objects = objects
        self._merges = merges
        self._committer = f"{committer.name} <{committer.email}> {committer.at_s} +0000".encode()
        self._decoration = decoration

    def commit_by_commit(self, own: OwnCommits, pinned: str, onto: str) -> Landing:
        """Land every commit by itself; as one where they are less than the member's work.

        A merge may hold more than its parents; and a commit without one would bring back what others took away.
        """
        if own.is_unrelated() or (own.has_merges() and not self._is_linear_enough(own, pinned)):
            return self.as_one(own, pinned, onto, linearised=True)
        return self._ended(self._replayed(own.linear(), onto, self._written), onto)

    def as_one(self, own: OwnCommits, pinned: str, onto: str, *, linearised: bool = False) -> Landing:
        """Land the difference of base and pinned head as one commit."""
        if not own.oids:
            return NothingToLand(())
        start = _Replay(onto, self._objects.tree_of(onto), as_one=True, linearised=linearised)
        before, after = self._objects.tree_of(own.base), self._objects.tree_of(pinned)
        step = self._merges.merge(before, start.tree, after)
        if isinstance(step, Clashed):
            return _conflict(step, pinned)
        if step.tree == start.tree:
            return NothingToLand(own.linear())
        whole = one_commit_of([self._objects.commit(oid) for oid in own.oids])
        self._take(start, pinned, whole, step, self._written)
        return self._ended(start, onto)

    def _is_linear_enough(self, own: OwnCommits, pinned: str) -> bool:
        """Say whether the linear commits, replayed where they came from, give the pinned tree."""
        replayed = self._replayed(own.linear(), own.base, lambda _commit, _tree, head: head)
        return isinstance(replayed, _Replay) and replayed.tree == self._objects.tree_of(pinned)

    def _replayed(self, oids: tuple[str, ...], onto: str, write: _Write) -> _Replay | Conflict:
        state = _Replay(onto, self._objects.tree_of(onto))
        for oid in oids:
            commit = self._objects.commit(oid)
            before = base_tree(self._objects, commit)
            step = self._merges.merge(before, state.tree, commit.tree, oid)
            if isinstance(step, Clashed):
                return _conflict(step, oid)
            if step.tree == state.tree and commit.tree != before:
                state.dropped.append(oid)
            else:
                self._take(state, oid, commit, step, write)
        return state

    def _take(self, state: _Replay, oid: str, commit: Commit, step: Merged, write: _Write) -> None:
        if self._decoration is None and commit.parents == (state.head,):
            state.head = oid  # a rebase leaves what stands in its place already
        else:
            state.head = write(commit, step.tree, state.head)
        state.tree = step.tree
        state.disagreed |= step.disagreed
        state.commits.append(LandedCommit(oid, state.head, step.by_git))

    def _written(self, commit: Commit, tree: str, parent: str) -> str:
        if self._decoration is not None:
            commit = commit._replace(message=decorated(commit.message, self._decoration))
        else:
            commit = as_git_rewrites(commit, commit_encoding(self._objects.repository))
        return self._objects.write_commit(commit._replace(tree=tree, parents=(parent,), committer=self._committer))

    def _ended(self, replay: _Replay | Conflict, onto: str) -> Landing:
        if isinstance(replay, Conflict):
            return replay
        if replay.tree == self._objects.tree_of(onto):
            return NothingToLand(tuple(replay.dropped))
        return replay.landed()


def _conflict(step: Clashed, oid: str) -> Conflict:
    return Conflict(tuple(shown(path) for path in step.paths[:MAX_CONFLICT_PATHS]), oid)
