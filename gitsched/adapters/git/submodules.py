"""Look into a submodule's own repository, where this clone has one."""

from collections.abc import Iterator
from pathlib import Path

import pygit2

from gitsched.adapters.git.objects import Change, Objects
from gitsched.adapters.git.process import Git
from gitsched.adapters.git.sequencer import common_folder

_MODULES = b".gitmodules"


def moved_backwards(objects: Objects, git: Git, change: Change, tree: str) -> bool:
    """Say whether a submodule's new commit is an ancestor of its old one.

    False too where no clone of the submodule here holds both: it cannot be known.
    """
    assert change.old is not None
    assert change.new is not None
    for folder in _clones(objects, git, change.path, tree):
        clone = pygit2.Repository(str(folder))
        if change.old.oid in clone and change.new.oid in clone:
            return clone.descendant_of(change.old.oid, change.new.oid)
    return False


def _clones(objects: Objects, git: Git, path: bytes, tree: str) -> Iterator[Path]:
    """Find the git folders of a submodule: the main worktree's, then those of linked worktrees.

    Source: gitsubmodules(7): a submodule's git folder is `modules/<name>` in its superproject's.
    """
    shared = common_folder(objects.repository)
    for name in _names(objects, git, path, tree):
        for place in (shared, *sorted(shared.glob("worktrees/*"))):
            if (place / "modules" / name / "HEAD").exists():
                yield place / "modules" / name


def _names(objects: Objects, git: Git, path: bytes, tree: str) -> tuple[str, ...]:
    """Name the submodule at `path`: as `.gitmodules` of the tree has it, else by its path."""
    wanted, names = path.decode("utf-8", "surrogateescape"), []
    entry = objects.entry_at(tree, _MODULES)
    if entry is not None:
        pattern = ("-z", "--get-regexp", r"^submodule\..*\.path$")
        listed = git.run("config", "--blob", entry[1].hex(), *pattern, check=False).text()
        for item in filter(None, listed.split("\0")):
            key, _, value = item.partition("\n")
            if value == wanted:
                names.append(key.removeprefix("submodule.").removesuffix(".path"))
    return tuple(name for name in (*names, wanted) if ".." not in name.split("/"))
