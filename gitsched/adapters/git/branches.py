"""Put a tree on its branch and take it off again, without touching a file of it.

A branch is created where it is absent, or moved from where it is known to stand: never forced, never from under
another worktree, and never with an upstream, for nothing here writes git's configuration.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pygit2

from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.site import Site, branches_in_use, sites_of
from gitsched.errors import GitFailedError
from gitsched.ports.worktrees import TreeRefused

if TYPE_CHECKING:
    from pygit2.transaction import ReferenceTransaction

_FATAL = 128
_PASSING = re.compile("lock|failed to make directory")
"""libgit2's words for a lock that another holds, and for a folder that packing removed at that moment."""
_TRIES = 6
_PAUSE_S = 0.02
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
        why = f"{_WHY}: hand out on {branch}"
        _locked(site, "HEAD", lambda transaction: transaction.set_symbolic_target("HEAD", ref, message=why))
    return refused


def detach(site: Site) -> None:
    """Take HEAD off its branch, at the commit where it stands; files and index stay as they are."""
    head = site.head()
    if head:
        point(site, head)


def point(site: Site, commit: str) -> None:
    """Put HEAD itself on a commit; no branch moves and no file changes."""
    _locked(site, "HEAD", lambda transaction: transaction.set_target("HEAD", commit, message=f"{_WHY}: detach"))


def _locked(site: Site, ref: str, stage: "Callable[[ReferenceTransaction], None]") -> None:
    """Change one ref of a tree under git's lock, which is waited for as long as git itself would.

    Raises GitFailedError when the lock or the change is refused.
    """
    repository = open_repository(site.admin)
    for left in reversed(range(_TRIES)):
        try:
            with repository.transaction() as transaction:
                transaction.lock_ref(ref)
                return stage(transaction)
        except pygit2.GitError as refused:
            if not left or not _PASSING.search(str(refused)):
                raise GitFailedError(f"update-ref {ref}", _FATAL, str(refused)) from refused
        Event().wait(_PAUSE_S)
    raise AssertionError("the last try answers or raises")


def _bring(site: Site, ref: str, commit: str, move_from: str | None) -> TreeRefused | None:
    """Make the branch stand at the commit; what stands there is read under its lock."""
    found: str | None = None

    def stage(transaction: "ReferenceTransaction") -> None:
        nonlocal found
        found = _stands_at(site, ref)
        if found is None or found == move_from:
            transaction.set_target(ref, commit, message=f"{_WHY}: begin at {commit[:12]}")

    try:
        _locked(site, ref, stage)
    except GitFailedError as refused:  # its name cannot be taken: a branch stands where its folder would be
        return TreeRefused(reason="branch-exists", detail=refused.detail)
    if found in (None, commit, move_from):
        return None
    return TreeRefused(
        reason="branch-exists",
        detail=f"the branch '{ref.removeprefix('refs/heads/')}' exists at {(found or '')[:12]}, not at {commit[:12]}",
    )


def _stands_at(site: Site, ref: str) -> str | None:
    references = open_repository(site.admin).references
    return str(references[ref].resolve().target) if ref in references else None


def tip(common: Path, branch: str) -> str | None:
    """Tell the commit a local branch stands at; None when there is no such branch."""
    git = engine_git(common, {"GIT_DIR": str(common)})
    return git.run("rev-parse", "--verify", "-q", f"refs/heads/{branch}", check=False).text() or None


def exists(common: Path, commit: str) -> bool:
    """Say whether there is such a commit."""
    git = engine_git(common, {"GIT_DIR": str(common)})
    return git.run("cat-file", "-e", f"{commit}^{{commit}}", check=False).ok
