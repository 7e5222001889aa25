"""Say what is broken of git's own files for a tree, and make them again around its files.

Whoever works in a tree can delete or garble its `.git` file, its folder in the git directory, HEAD and the index. The
files of the tree are not touched here, and its commits are in the repository: only what ties the two is made again.
"""

import os
from pathlib import Path

from gitsched.adapters.git.branches import tip
from gitsched.adapters.git.site import LONG_S, Site, path_of
from gitsched.errors import GitFailedError
from gitsched.ports.worktrees import Broken

_HEAD_GONE = "the HEAD of its worktree is gone or garbled"


def broken(site: Site) -> str | None:
    """Say what is broken; None: git can be asked in the tree."""
    if not site.admin.is_dir():
        return "git's folder for its worktree is gone"
    if not site.is_linked:
        return "its `.git` file and git's folder for its worktree do not name each other any more"
    if not (site.admin / "HEAD").is_file() or not _has_head(site):
        return _HEAD_GONE
    return _broken_index(site)


def mend(site: Site, branch: str, commit: str) -> Broken | None:
    """Make git's files of a tree again where they are broken, on its branch; see `TreeWork.mend`."""
    what = broken(site)
    if what is None:
        return None
    try:
        _tie(site)
        if not _has_head(site):
            _write(site.admin / "HEAD", f"ref: refs/heads/{branch}" if tip(site.admin.parents[1], branch) else commit)
        if _broken_index(site) is not None:
            (site.admin / "index").unlink(missing_ok=True)
            site.git.run("read-tree", "HEAD", timeout_s=LONG_S)
        left = broken(site)
    except (GitFailedError, OSError) as failed:
        left = str(failed)
    return Broken(what=what, left=left)


def _tie(site: Site) -> None:
    """Let folder and git directory name each other, unless the one is another tree's by now."""
    elsewhere = path_of(site.admin) if site.admin.is_dir() else None
    if elsewhere is not None and elsewhere != site.path and Site(elsewhere, site.admin).is_linked:
        raise FileExistsError(f"'{site.admin}' is the folder of '{elsewhere}'")
    site.admin.mkdir(parents=True, exist_ok=True)
    _write(site.admin / "commondir", "../..")
    _write(site.admin / "gitdir", str(site.path / ".git"))
    _write(site.path / ".git", f"gitdir: {site.admin}")


def _write(file: Path, line: str) -> None:
    """Write one of git's small files; a link in its place is replaced and not followed, a folder is left."""
    fresh = file.with_name(f"{file.name}.gitsched")
    fresh.write_bytes(os.fsencode(line) + b"\n")
    try:
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _has_head(site: Site) -> bool:
    """Say whether git takes the folder for a repository, and HEAD, where it is on no branch, names a commit."""
    words = ("rev-parse", "--git-dir") if site.branch is not None else ("cat-file", "-e", "HEAD^{commit}")
    return site.git.run(*words, check=False).ok


def _broken_index(site: Site) -> str | None:
    """Ask git to read the index; a missing one is as good as an empty one to git, and hides that files are tracked."""
    if (site.admin / "index").is_file():
        is_read = site.git.run("rev-parse", "--shared-index-path", check=False).ok
        return None if is_read else "the index of its worktree cannot be read"
    listed = site.git.run("ls-tree", "--name-only", "HEAD", check=False)
    return "the index of its worktree is gone" if listed.ok and listed.out else None
