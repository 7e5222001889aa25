"""Put a tree on its branch and take it off again, without touching a file of it.

A branch is created where it is absent, or moved from where it is known to stand: never forced, never from under
another worktree, and never with an upstream, for nothing here writes git's configuration.
"""

from collections.abc import Iterator
from pathlib import Path

from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.site import Site, branches_in_use, sites_of
from gitsched.ports.worktrees import TreeRefused

_WHY = "gitsched pool"
"""Begins our own reflog entries; a run's begin with `gitsched <batch>/`."""


def holder(common: Path, checkout: Path | None, branch: str) -> Path | None:
    """Find the worktree that has a branch checked out, or goes back to it after a rebase or a bisect."""
    return next((path for path, branches in _in_use(common, checkout) if branch in branches), None)


def _in_use(common: Path, checkout: Path | None) -> Iterator[tuple[Path, frozenset[str]]]:
    if checkout is not None:
        yield checkout, branches_in_use(common)
    for site in sites_of(common):
        yield site.path, branches_in_use(site.admin)


def attach(site: Site, branch: str, commit: str, move_from: str | None) -> TreeRefused | None:
    """Create or move a branch to `commit`, where the tree stands already, and put HEAD on it.

    The caller has made sure that no worktree holds the branch.
    """
    ref = f"refs/heads/{branch}"
    refused = _bring(site, ref, commit, move_from)
    if refused is None:
        site.git.run("symbolic-ref", "-m", f"{_WHY}: hand out on {branch}", "HEAD", ref)
    return refused


def detach(site: Site) -> None:
    """Take HEAD off its branch, at the commit where it stands; files and index stay as they are."""
    head = site.head()
    if head:
        point(site, head)


def point(site: Site, commit: str) -> None:
    """Put HEAD itself on a commit; no branch moves and no file changes."""
    site.git.run("update-ref", "--no-deref", "-m", f"{_WHY}: detach", "HEAD", commit)


def _bring(site: Site, ref: str, commit: str, move_from: str | None) -> TreeRefused | None:
    absent = "0" * len(commit)
    message = f"{_WHY}: begin at {commit[:12]}"
    created = site.git.run("update-ref", "-m", message, ref, commit, absent, check=False)
    if created.ok:
        return None
    found = site.git.run("rev-parse", "--verify", "-q", ref, check=False).text()
    if found == commit:
        return None
    if not found:  # its name cannot be taken, for instance because a branch stands where its folder would be
        return TreeRefused(reason="branch-exists", detail=created.complaint())
    if found == move_from and site.git.run("update-ref", "-m", message, ref, commit, found, check=False).ok:
        return None
    return TreeRefused(
        reason="branch-exists",
        detail=f"the branch '{ref.removeprefix('refs/heads/')}' exists at {found[:12]}, not at {commit[:12]}",
    )


def tip(common: Path, branch: str) -> str | None:
    """Tell the commit a local branch stands at; None when there is no such branch."""
    git = engine_git(common, {"GIT_DIR": str(common)})
    return git.run("rev-parse", "--verify", "-q", f"refs/heads/{branch}", check=False).text() or None


def exists(common: Path, commit: str) -> bool:
    """Say whether there is such a commit."""
    git = engine_git(common, {"GIT_DIR": str(common)})
    return git.run("cat-file", "-e", f"{commit}^{{commit}}", check=False).ok
