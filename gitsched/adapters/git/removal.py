"""Remove a worktree for good, only if git lists it, and see that it is gone."""

import os
from pathlib import Path

from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.registry import listed
from gitsched.adapters.git.site import LONG_S, Site
from gitsched.adapters.git.tidying import make_writable

_UNFINISHED = frozenset({"initializing", "added with --lock"})
"""Why git itself locks a worktree while it makes it; after a kill the lock stays."""


def removed(common: Path, site: Site) -> str | None:
    """Remove a linked worktree from disk and from git's list. None: gone; else why it is not."""
    known = next((one for one in listed(common)[1:] if one.path == site.path), None)
    if known is None:
        return f"'{site.path}' is not in git's list of worktrees"
    if known.locked and known.locked not in _UNFINISHED:
        return f"'{site.path}' is locked: {known.locked}"
    force = ("--force",) if known.locked is None else ("--force", "--force")
    complaint = _run(common, site.path, force)
    if complaint and site.path.is_dir():
        make_writable(site.path)
        complaint = _run(common, site.path, force)
    if os.path.lexists(site.path):
        return f"'{site.path}' is still there: {complaint or 'git left it'}"
    if any(one.path == site.path for one in listed(common)):
        return f"'{site.path}' is still in git's list of worktrees: {complaint or 'git left it'}"
    return None


def _run(common: Path, path: Path, force: tuple[str, ...]) -> str:
    git = engine_git(common, {"GIT_DIR": str(common)})
    done = git.run("worktree", "remove", *force, "--", str(path), timeout_s=LONG_S, check=False)
    return "" if done.ok else done.complaint() or f"git ended with exit code {done.code}"
