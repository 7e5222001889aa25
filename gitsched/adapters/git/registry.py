"""Git's own list of worktrees: the authority on what may be removed, and on where nothing may be put."""

import os
import re
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import NamedTuple

from gitsched.adapters.git.process import engine_git

_PORTABLE = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_CHARS = 40
_HASH_CHARS = 10
_LISTINGS = 20
_PAUSE_S = 0.05


class Listed(NamedTuple):
    """One line of git's list."""

    path: Path
    head: str
    """Empty for a bare repository and on a branch without a commit."""
    branch: str | None
    is_bare: bool
    locked: str | None
    """Why it is locked; empty without a reason, None when it is not."""


def listed(common: Path) -> tuple[Listed, ...]:
    """Ask git for its worktrees, the main one first.

    git gives up on a worktree that another process is just making or taking away, so it is asked a few times.
    """
    git = engine_git(common, {"GIT_DIR": str(common)})
    for _ in range(_LISTINGS - 1):
        asked = git.run("worktree", "list", "--porcelain", "-z", check=False)
        if asked.ok:
            return _read_all(asked.out)
        Event().wait(_PAUSE_S)
    return _read_all(git.run("worktree", "list", "--porcelain", "-z").out)


def _read_all(out: bytes) -> tuple[Listed, ...]:
    return tuple(_read(block) for block in out.split(b"\0\0") if block)


def _read(block: bytes) -> Listed:
    words: dict[str, str] = {}
    for line in block.split(b"\0"):
        name, _, value = os.fsdecode(line).partition(" ")
        words[name] = value
    branch, head = words.get("branch"), words.get("HEAD", "")
    return Listed(
        path=Path(words["worktree"]),
        head=head if head.strip("0") else "",
        branch=branch.removeprefix("refs/heads/") if branch is not None else None,
        is_bare="bare" in words,
        locked=words.get("locked"),
    )


def main_checkout(common: Path) -> Path | None:
    """Tell where the main checkout is; None in a bare repository, and where git itself cannot tell.

    A git directory that was put apart from its checkout does not know it: then the caller says where it is.
    """
    main = listed(common)[0]
    return None if main.is_bare or main.path.resolve() == common.resolve() else main.path


def repository_key(common: Path) -> str:
    """Name a repository for people and for ever: its folder's name, and a hash of where it is."""
    place = common.resolve()
    name = place.parent.name if place.name == ".git" else place.name.removesuffix(".git")
    readable = _PORTABLE.sub("-", name).strip("-.")[:_NAME_CHARS] or "repository"
    return f"{readable}-{sha256(os.fsencode(place)).hexdigest()[:_HASH_CHARS]}"


def refused_root(pool: Path, common: Path) -> str | None:
    """Say why a pool of worktrees cannot be made there; None once its folder exists and can be written."""
    wanted = pool.resolve()
    if wanted.is_relative_to(common.resolve()):
        return f"'{pool}' lies inside the git directory '{common}'; set worktrees.dir to a folder outside of it"
    for tree in listed(common):
        if not tree.is_bare and wanted.is_relative_to(tree.path.resolve()):
            return f"'{pool}' lies inside the checkout '{tree.path}'; set worktrees.dir to a folder outside of it"
    try:
        pool.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        return f"making the folder '{pool}' failed: {refused.strerror}"
    if not os.access(pool, os.W_OK | os.X_OK):
        return f"the folder '{pool}' cannot be written"
    return None
