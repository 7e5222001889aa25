"""Make a commit of paths as they are on disk, in an index of our own: the tree's index stays as it is."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gitsched.adapters.git.process import Git
from gitsched.adapters.git.site import LONG_S, Site
from gitsched.errors import GitFailedError
from gitsched.ports.worktrees import Identity

_ADD = ("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")


_OF_THE_PATH = ("invalid path", "did not match any files")
"""What git says of a path that no commit can hold; whatever else stops it, such as a full disk, is no answer."""


def listed(paths: Sequence[str]) -> bytes:
    """Write paths as git reads them from its input."""
    return b"\0".join(os.fsencode(path) for path in paths)


def add(git: Git, paths: Sequence[str]) -> tuple[str, ...]:
    """Put paths into an index as they are on disk; answer those that git does not take, which keep no other out.

    Such is one below a folder named like git's own, or one that went away meanwhile.
    """
    done = git.run(*_ADD, stdin=listed(paths), timeout_s=LONG_S, check=False)
    if done.ok:
        return ()
    if not any(words in done.complaint() for words in _OF_THE_PATH):
        raise GitFailedError("add", done.code, done.complaint())
    if len(paths) == 1:
        return (paths[0],)
    half = len(paths) // 2
    return (*add(git, paths[:half]), *add(git, paths[half:]))


def commit_of(
    site: Site, paths: Sequence[str], message: str, identity: Identity, extra_parents: Sequence[str] = ()
) -> str | None:
    """Make a commit on top of HEAD that holds these paths; no ref moves. None: they are as they are at HEAD."""
    if not paths:
        return None
    head = site.head()
    with _own_index(site) as index:
        git = _with(site.git, GIT_INDEX_FILE=str(index))
        git.run("read-tree", "--reset", head) if head else git.run("read-tree", "--empty")
        refused = add(git, paths)
        tree = git.run("write-tree").text()
    if head and tree == site.git.run("rev-parse", f"{head}^{{tree}}").text():
        return None
    parents = [word for parent in (*([head] if head else []), *extra_parents) for word in ("-p", parent)]
    dated = f"{identity.at_s} +0000" if identity.at_s is not None else None
    author = _with(
        site.git,
        GIT_AUTHOR_NAME=identity.name,
        GIT_AUTHOR_EMAIL=identity.email,
        GIT_COMMITTER_NAME=identity.name,
        GIT_COMMITTER_EMAIL=identity.email,
        **({"GIT_AUTHOR_DATE": dated, "GIT_COMMITTER_DATE": dated} if dated is not None else {}),
    )
    told = "\n".join([message, *(f"\nLeft out: {path!r} (git does not take it)" for path in refused)])
    return author.run("commit-tree", tree, *parents, "-F", "-", stdin=told.encode("utf-8", "replace")).text()


@contextmanager
def unhiding(site: Site, commit: str) -> Iterator[Git]:
    """Give a git for the tree to which no entry of the index hides its file, as `update-index` lets one do.

    Where one does, it has an index of `commit` that was just made from what is on disk.
    """
    if not site.hides:
        yield site.git
        return
    with tempfile.TemporaryDirectory(prefix="gitsched-", dir=site.admin) as folder:
        git = _with(site.git, GIT_INDEX_FILE=str(Path(folder) / "index"))
        git.run("read-tree", commit)
        git.run("update-index", "-q", "--refresh", timeout_s=LONG_S, check=False)
        yield git


@contextmanager
def _own_index(site: Site) -> Iterator[Path]:
    """Give a copy of the tree's index, so that unchanged files need not be read again."""
    with tempfile.TemporaryDirectory(prefix="gitsched-", dir=site.admin) as folder:
        index = Path(folder) / "index"
        if (site.admin / "index").is_file():
            shutil.copyfile(site.admin / "index", index)
        yield index


def _with(git: Git, **more: str) -> Git:
    return Git(git.directory, {**git.environment, **more}, git.options)
