"""Look for work that merges and passes and must not land all the same.

What is looked at grows with the member's change, not with the tree.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from gitsched.adapters.git.links import leaves_the_tree
from gitsched.adapters.git.name_clashes import Owner, name_clashes
from gitsched.adapters.git.objects import GITLINK_MODE, SYMLINK_MODE, TREE_MODE, Change, Objects, shown
from gitsched.adapters.git.process import Git
from gitsched.adapters.git.renames import renames
from gitsched.adapters.git.sequencer import common_folder
from gitsched.adapters.git.submodules import moved_backwards
from gitsched.domain.landing import Guards, Hazard, HazardKind, Rebased, Work

_WORKFLOWS = b".github/workflows/"
_FEW_DELETIONS = 5  # in a tree of a handful of files a share says nothing
_SHOWN_PATHS = 10
_POINTER_BYTES = 1024
# Source: the specification of git-lfs, "The Pointer".
_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n"
    rb"(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize \d+\n?"
)


def own_hazards(objects: Objects, git: Git, work: Work, guards: Guards) -> tuple[Hazard, ...]:
    """Look at the change cut..pinned by itself."""
    before, after = objects.tree_of(work.cut), objects.tree_of(work.pinned)
    changes = objects.changes(before, after)
    return (
        *name_clashes(objects, changes, before, after, _nobody),
        *_backwards(objects, git, changes, after),
        *_missing_large_files(objects, changes),
        *_links(objects, changes, after),
        *_sizes(objects, changes, guards.size_bytes),
        *_deletions(objects, git, changes, (before, after), guards.deletions),
        *(() if guards.may_push_workflows else _workflows(changes)),
    )


def union_hazards(objects: Objects, work: Work, onto: str, landed: Rebased, owner: Owner) -> tuple[Hazard, ...]:
    """Look at what the member's landed change meets in the tree that holds the others' too."""
    before = objects.tree_of(onto)
    changes = objects.changes(before, landed.tree)
    asked = objects.changes(objects.tree_of(work.cut), objects.tree_of(work.pinned))
    return (
        *name_clashes(objects, changes, before, landed.tree, owner),
        *_dragged(changes, {change.path for change in asked}),
        *_links(objects, changes, landed.tree),
    )


def _nobody(path: bytes) -> None:
    """Know no owner: inside one member's work both names are its own or older than the batch."""


def _backwards(objects: Objects, git: Git, changes: tuple[Change, ...], after: str) -> Iterator[Hazard]:
    for change in changes:
        old, new = change.old, change.new
        if old is None or new is None or {old.mode, new.mode} != {GITLINK_MODE}:
            continue
        if moved_backwards(objects, git, change, after):
            path = shown(change.path)
            why = f"submodule {path} goes back from {old.oid} to its ancestor {new.oid}"
            yield Hazard(HazardKind.SUBMODULE_MOVED, why, (path,))


def _dragged(changes: tuple[Change, ...], asked: set[bytes]) -> Iterator[Hazard]:
    for change in changes:
        modes = {side.mode for side in (change.old, change.new) if side is not None}
        if GITLINK_MODE in modes and change.path not in asked:
            path = shown(change.path)
            why = f"submodule {path} would move, and the member's own change does not move it"
            yield Hazard(HazardKind.SUBMODULE_MOVED, why, (path,))


def _missing_large_files(objects: Objects, changes: tuple[Change, ...]) -> Iterator[Hazard]:
    """Look for pointers whose object this clone does not hold; one that only moved is not new."""
    known = {change.old.oid for change in changes if change.old is not None}
    for change in changes:
        new = change.new
        if new is None or new.oid in known or new.mode in {GITLINK_MODE, SYMLINK_MODE}:
            continue
        if objects.size_of(new.oid) > _POINTER_BYTES:
            continue
        pointer = _POINTER.fullmatch(objects.blob(new.oid))
        if pointer is not None and not _large_file(objects, pointer[1].decode()).exists():
            path = shown(change.path)
            why = f"{path} points to large-file object {pointer[1].decode()}, which is not here"
            yield Hazard(HazardKind.LFS_MISSING, why, (path,))


def _large_file(objects: Objects, oid: str) -> Path:
    """Place a large file. Source: git-lfs-config page, "lfs.storage"."""
    config, shared = objects.repository.config, common_folder(objects.repository)
    storage = config["lfs.storage"] if "lfs.storage" in config else None  # noqa: SIM401 - it has no `get`
    return shared / (storage or "lfs") / "objects" / oid[:2] / oid[2:4] / oid


def _links(objects: Objects, changes: tuple[Change, ...], after: str) -> Iterator[Hazard]:
    for change in changes:
        new = change.new
        if new is not None and new.mode == SYMLINK_MODE and leaves_the_tree(objects, after, change.path):
            path, target = shown(change.path), shown(objects.blob(new.oid))
            yield Hazard(HazardKind.SYMLINK_ESCAPE, f"link {path} -> {target} leaves the tree", (path,))


def _sizes(objects: Objects, changes: tuple[Change, ...], limit_bytes: int) -> Iterator[Hazard]:
    for change in changes:
        if change.new is not None and change.new.mode != GITLINK_MODE:
            size = objects.size_of(change.new.oid)
            if size > limit_bytes:
                path = shown(change.path)
                why = f"{path} has {size} bytes, more than the {limit_bytes} that `land.guards` allows"
                yield Hazard(HazardKind.SIZE, why, (path,))


def _deletions(
    objects: Objects, git: Git, changes: tuple[Change, ...], trees: tuple[str, str], share: float
) -> Iterator[Hazard]:
    gone = [change.path for change in changes if change.new is None]
    if len(gone) < _FEW_DELETIONS or not _is_share(objects, trees[0], len(gone), share):
        return
    moved = set(renames(git, *trees).values())
    gone = [path for path in gone if path not in moved]
    if len(gone) < _FEW_DELETIONS or not _is_share(objects, trees[0], len(gone), share):
        return
    total = sum(1 for _ in _files(objects, trees[0]))
    why = f"{len(gone)} of {total} files are deleted, more than the {share:.0%} that `land.guards` allows"
    yield Hazard(HazardKind.DELETION, why, tuple(shown(path) for path in gone[:_SHOWN_PATHS]))


def _is_share(objects: Objects, tree: str, count: int, share: float) -> bool:
    """Say whether `count` is more than the share of all files, counting no further than needed."""
    return all(number * share < count for number, _ in enumerate(_files(objects, tree), start=1))


def _files(objects: Objects, tree: str) -> Iterator[bytes]:
    for name, (mode, oid) in objects.tree(tree).items():
        if mode == TREE_MODE:
            yield from _files(objects, oid.hex())
        else:
            yield name


def _workflows(changes: tuple[Change, ...]) -> Iterator[Hazard]:
    paths = tuple(shown(change.path) for change in changes if change.path.startswith(_WORKFLOWS))
    if paths:
        why = f"{', '.join(paths[:_SHOWN_PATHS])} changed, and the token may not push workflow files"
        yield Hazard(HazardKind.WORKFLOW_FILE, why, paths[:_SHOWN_PATHS])
