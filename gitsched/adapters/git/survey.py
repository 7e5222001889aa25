"""A survey of a repository for its operator: what kind it is, which branches there are, what it tracks."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from gitsched.adapters.git.process import engine_git, operator_git

_LONGEST_TEXT = 1_000_000
_AUTHOR = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL")


class Kind(NamedTuple):
    """What kind of repository it is."""

    is_bare: bool
    is_shallow: bool
    current: str | None
    """The branch that HEAD of the main checkout names, made or not; None when it is detached."""


def kind_of(common: Path) -> Kind:
    """Ask git what kind of repository has this common git directory."""
    git = engine_git(common, {"GIT_DIR": str(common)})
    bare = git.run("config", "--bool", "core.bare", check=False).text() == "true"
    head = git.run("symbolic-ref", "--quiet", "HEAD", check=False).text()
    branch = head.removeprefix("refs/heads/") if head.startswith("refs/heads/") else None
    return Kind(is_bare=bare, is_shallow=(common / "shallow").is_file(), current=branch)


def knows_author(common: Path) -> bool:
    """Say whether git could tell who a commit made here is by: without a name and an address it makes none."""
    named = {name: os.environ[name] for name in _AUTHOR if os.environ.get(name)}
    return operator_git(common, {"GIT_DIR": str(common), **named}).run("var", "GIT_AUTHOR_IDENT", check=False).ok


def tracked_names(checkout: Path) -> frozenset[str]:
    """List the paths that a checkout tracks; names that are no text are left out."""
    out = engine_git(checkout).run("ls-files", "-z", check=False).out
    names = (os.fsdecode(name) for name in out.split(b"\0") if name)
    return frozenset(name for name in names if name.isprintable())


def texts_of(checkout: Path, names: Iterable[str]) -> Mapping[str, str]:
    """Read those files of a checkout that are there, are plain files of a modest size, and hold text."""
    found = {}
    for name in names:
        path = checkout / name
        try:
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LONGEST_TEXT:
                found[name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
    return found


def root_fault(folder: Path, checkout: Path | None, common: Path) -> str | None:
    """Say why worktrees could not be made below a folder; None where they could. Nothing is made to find out."""
    wanted = folder.expanduser().absolute()
    for place, what in ((common, "the git directory"), (checkout, "the checkout")):
        if place is not None and wanted.resolve().is_relative_to(place.resolve()):
            return f"it is inside {what}"
    there = next(each for each in (wanted, *wanted.parents) if os.path.lexists(each))
    if not there.is_dir():
        return f"'{there}' is no folder"
    return None if os.access(there, os.W_OK | os.X_OK) else f"'{there}' cannot be written to"
