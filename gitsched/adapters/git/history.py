"""Answer questions about commits: which are a member's own, who holds whom, what a change is called."""

import hashlib
import re
from collections.abc import Mapping

import pygit2

from gitsched.adapters.git.objects import GITLINK_MODE, Commit, Leaf, Objects
from gitsched.adapters.git.process import Git
from gitsched.domain.landing import SharedCommit, Work

# Longer chains of single parents are left to git, which knows where to stop without reading them one by one.
_CHAIN_LIMIT = 1000
_POSITION = re.compile(rb"^@@.*@@.*\n", re.MULTILINE)
_ISSUE = re.compile(rb"^Gitsched-Issue: (\d+)$", re.MULTILINE)


class OwnCommits:
    """The commits that a member is to land, and the commit they are counted from."""

    def __init__(self, base: str, oids: tuple[str, ...], objects: Objects) -> None:
        """Take oids in the order of a rebase, oldest first, merges included."""
        self.base = base
        self.oids = oids
        self._objects = objects

    def linear(self) -> tuple[str, ...]:
        """Leave the merges out, as a rebase does."""
        return tuple(oid for oid in self.oids if len(self._objects.commit(oid).parents) <= 1)

    def has_merges(self) -> bool:
        """Say whether a rebase would leave something out."""
        return len(self.linear()) != len(self.oids)

    def is_unrelated(self) -> bool:
        """Say whether they are a line that begins at nothing, and not at what they are counted from."""
        return not self.has_merges() and any(not self._objects.commit(oid).parents for oid in self.oids)


def own_commits(objects: Objects, git: Git, work: Work, onto: str) -> OwnCommits:
    """Find what is the member's own: not in its cut, and not in what it lands on.

    An agent may have merged or rebased the integration branch into its work; then the newest commit that
    both hold is what its own commits are counted from.
    """
    meeting: pygit2.Oid | None = objects.repository.merge_base(work.pinned, onto)
    base = work.cut
    if meeting is not None and str(meeting) != base:
        joined = str(meeting)
        if is_ancestor(objects, base, joined) or not is_ancestor(objects, base, work.pinned):
            base = joined
    chain = _chain(objects, work.pinned, base)
    if chain is None:
        listed = git.run("rev-list", "--topo-order", "--reverse", work.pinned, f"^{work.cut}", f"^{onto}")
        chain = tuple(listed.text().split())
    return OwnCommits(base, chain, objects)


def _chain(objects: Objects, head: str, base: str) -> tuple[str, ...] | None:
    """Follow single parents from head to base; None where that does not lead there."""
    found: list[str] = []
    while head != base:
        parents = objects.commit(head).parents
        if len(parents) != 1 or len(found) == _CHAIN_LIMIT:
            return None
        found.append(head)
        head = parents[0]
    return tuple(reversed(found))


def commits_between(objects: Objects, git: Git, cut: str, head: str) -> tuple[str, ...]:
    """List the commits of cut..head, oldest first, merges included."""
    chain = _chain(objects, head, cut)
    if chain is None:
        chain = tuple(git.run("rev-list", "--topo-order", "--reverse", head, f"^{cut}").text().split())
    return chain


def is_ancestor(objects: Objects, ancestor: str, commit: str) -> bool:
    """Say whether `commit` is `ancestor` or has it in its history."""
    return ancestor == commit or objects.repository.descendant_of(commit, ancestor)


def shared_commits(
    objects: Objects, own: OwnCommits, pinned: str, siblings: Mapping[int, str]
) -> tuple[SharedCommit, ...]:
    """Find commits among a member's own that siblings hold too, oldest first."""
    shared: dict[str, SharedCommit] = {}
    for issue, head in siblings.items():
        if objects.repository.merge_base(pinned, head) is not None:
            for oid in own.oids:
                if oid not in shared and is_ancestor(objects, oid, head):
                    shared[oid] = SharedCommit(oid, issue)
    return tuple(shared[oid] for oid in own.oids if oid in shared)


class Owners:
    """Who brought a path in, since a batch began."""

    def __init__(self, objects: Objects, base: str, head: str) -> None:
        """Look at the commits of base..head, which are a line; nothing is read before it is asked for."""
        self._objects = objects
        self._base = base
        self._head = head

    def owner_of(self, path: bytes) -> int | None:
        """Name the issue of the newest commit that wrote something at `path`; None for an older path."""
        at = self._head
        while at != self._base:
            commit = self._objects.commit(at)
            if not commit.parents:
                return None
            entry = self._objects.entry_at(commit.tree, path)
            if entry != self._objects.entry_at(base_tree(self._objects, commit), path):
                found = _ISSUE.findall(commit.message)
                return int(found[-1]) if found else None
            at = commit.parents[0]
        return None


def base_tree(objects: Objects, commit: Commit) -> str:
    """Name the tree that a commit of one parent, or of none, changed."""
    return objects.tree_of(commit.parents[0]) if commit.parents else objects.empty_tree


def patch_id(objects: Objects, before: str, after: str) -> str:
    """Name the change between two trees, wherever it stands.

    Paths, modes and changed lines with their context count, line numbers do not; a binary file counts by
    its new content. Unlike `git patch-id` white space counts too: in some languages it is the program.
    """
    named = hashlib.sha256()
    for path, old, new in objects.changes(before, after):
        modes = " ".join("absent" if side is None else f"{side.mode:o}" for side in (old, new))
        named.update(path + b"\0" + modes.encode() + b"\0")
        named.update(_patch_text(objects, old, new))
    return named.hexdigest()


def diff(objects: Objects, before: str, after: str, limit: int) -> bytes:
    """Write the change between two trees as a patch for people, cut with a mark at `limit` bytes."""
    text = bytearray()
    for path, old, new in objects.changes(before, after):
        text += b"diff --git a/" + path + b" b/" + path + b"\n" + _file_diff(objects, old, new)
        if len(text) > limit:
            return bytes(text[:limit]) + b"\n[cut: the change is longer than `evidence.log`]\n"
    return bytes(text)


def _file_diff(objects: Objects, old: Leaf | None, new: Leaf | None) -> bytes:
    modes = " ".join("absent" if side is None else f"{side.mode:o} {side.oid}" for side in (old, new))
    return b"index " + modes.encode() + b"\n" + _lines_of(_patch_text(objects, old, new))


def _lines_of(hunks: bytes) -> bytes:
    return hunks if hunks.endswith(b"\n") else hunks + b"\n"


def _patch_text(objects: Objects, old: Leaf | None, new: Leaf | None) -> bytes:
    """Give the hunks of a file's change without their positions."""
    if GITLINK_MODE in {side.mode for side in (old, new) if side is not None}:
        return repr((old, new)).encode()
    sides = [b"" if side is None else objects.blob(side.oid) for side in (old, new)]
    if any(b"\0" in side for side in sides):
        return b"binary " + (new.oid if new is not None else "").encode()
    patch = pygit2.Patch.create_from(sides[0], sides[1])
    _, _, hunks = patch.data.partition(b"\n@@")
    return _POSITION.sub(b"@@\n", b"@@" + hunks)
