"""Hand trees of the pool out, over to another owner, and back.

A tree is free only once it was given back: an owner whose process is gone, or of whom nothing is known, still owns
it. Whatever goes wrong on the way, either a tree is handed out whole or nothing of the attempt is left.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from gitsched.adapters.git.branches import attach, detach, exists, holder
from gitsched.adapters.git.ownership import Holding
from gitsched.adapters.git.pool import Claim, Pool
from gitsched.adapters.git.reflog import length
from gitsched.adapters.git.site import Site
from gitsched.adapters.git.tidying import drop_stale_locks, tidy
from gitsched.errors import BusyError, GitFailedError
from gitsched.ports.worktrees import Tree, TreeRefused


class Lending:
    """The pool's counter."""

    def __init__(self, pool: Pool, checkout: Path | None, keep: Sequence[str]) -> None:
        """Lend trees of a pool; `checkout` is the user's, whose branch is never taken from it."""
        self._pool = pool
        self._checkout = checkout
        self._keep = tuple(keep)

    def acquire(self, owner: str, commit: str, branch: str | None, move_from: str | None) -> Tree | TreeRefused:
        """Hand out a clean tree at `commit`; see `Worktrees.acquire`."""
        held = self._held(owner)
        if held is not None:
            return _as_it_stands(*held, commit, branch)
        refused = self._refused_branch(branch)
        if refused is not None:
            return refused
        try:
            claim = self._brought(owner, commit)
        except (GitFailedError, OSError) as failed:
            return TreeRefused(reason="setup-failed:worktree", detail=str(failed))
        if isinstance(claim, TreeRefused):
            return claim
        with claim.lock:
            return self._handed_out(claim, owner, commit, branch, move_from)

    def reclaim(self, owner: str, path: Path) -> Tree | TreeRefused:
        """Hand a tree to another owner as it stands, but for the locks that a killed git left in it."""
        site = self._pool.site_at(path)
        if site is None or not site.path.is_dir():
            return TreeRefused(reason="tree-gone", detail=f"'{path}' is no worktree of ours, or is gone")
        with self._pool.ledger.turn():
            holding = self._pool.ledger.read(site.admin.name)
            if holding is not None and holding.is_free:
                return TreeRefused(reason="tree-gone", detail=f"'{path}' was given back to the pool")
            commit = holding.commit if holding else None
            self._pool.ledger.write(site.admin.name, _handed_to(owner, commit, site))
        drop_stale_locks(site)
        return Tree(path=site.path, branch=site.branch, head=site.head())

    def release(self, site: Site, owners: Collection[str] | None = None) -> str | None:
        """Give a tree back, off its branch and still dirty. None: done, or another holds it by now; else why not."""
        with self._pool.ledger.turn():
            return self._released(site, owners)

    def _released(self, site: Site, owners: Collection[str] | None) -> str | None:
        holding = self._pool.ledger.read(site.admin.name)
        if holding is None:
            return f"who holds '{site.path}' cannot be told"
        if holding.is_free or (owners is not None and holding.owner not in owners):
            return None
        try:
            drop_stale_locks(site)
            detach(site)
        except (GitFailedError, OSError) as failed:
            return f"'{site.path}' could not be taken off its branch: {failed}"
        self._pool.ledger.write(site.admin.name, Holding())
        return None

    def prepare_ahead(self, commit: str, *, make: bool) -> bool:
        """Bring one free tree to `commit`; see `Worktrees.prepare_ahead`."""
        try:
            claim = self._pool.claim(None, commit, make=make)
        except (GitFailedError, BusyError, OSError):
            return False
        if claim is None:
            return False
        with claim.lock:
            if claim.is_ready:
                return True
            try:
                refused = tidy(claim.site, commit, self._keep)
            except (GitFailedError, OSError):
                return False  # it stays free and unsettled: whoever takes it next sets it aside
            if refused is None:
                self._pool.ledger.write(claim.name, Holding(commit=commit, is_settled=True))
            return refused is None

    def _held(self, owner: str) -> tuple[Site, Holding] | None:
        """Find the tree that an owner has; one whose handing out was cut short is given back first."""
        for site, holding in self._pool.holdings():
            if holding is not None and holding.owner == owner:
                if holding.is_settled:
                    return site, holding
                self._pool.undo(site, owner)
                return self._held(owner)
        return None

    def _refused_branch(self, branch: str | None) -> TreeRefused | None:
        path = holder(self._pool.common, self._checkout, branch) if branch is not None else None
        if path is None:
            return None
        return TreeRefused(reason="branch-checked-out", detail=f"'{branch}' is checked out in '{path}'")

    def _brought(self, owner: str, commit: str) -> Claim | TreeRefused:
        """Claim a tree and bring it to the commit; a pooled one that resists is removed and replaced by a new one."""
        claim = self._pool.claim(owner, commit, make=True)
        assert claim is not None
        if claim.is_ready:
            return claim
        try:
            return self._tidied(claim, commit)
        except (GitFailedError, OSError):
            if claim.is_new:
                raise
            return self._tidied(self._pool.claim_new(owner, commit), commit)

    def _tidied(self, claim: Claim, commit: str) -> Claim | TreeRefused:
        """Bring a claimed tree to the commit, or let go of it; one that resists is set aside."""
        try:
            refused = tidy(claim.site, commit, self._keep)
        except (GitFailedError, OSError) as failed:
            if not exists(self._pool.common, commit):  # no fault of the tree
                self._pool.give_back(claim, Holding())
                return TreeRefused(reason="setup-failed:worktree", detail=f"there is no commit {commit} here")
            self._pool.set_aside(claim, str(failed))
            raise
        if refused is None:
            return claim
        self._pool.give_back(claim, Holding())
        return TreeRefused(reason="setup-failed:submodules", detail=refused)

    def _handed_out(
        self, claim: Claim, owner: str, commit: str, branch: str | None, move_from: str | None
    ) -> Tree | TreeRefused:
        """Put the tree on its branch; nobody else of ours can take the branch at the same time."""
        if branch is not None:
            with self._pool.ledger.turn():
                refused = self._refused_branch(branch) or attach(claim.site, branch, commit, move_from)
            if refused is not None:
                self._pool.give_back(claim, Holding(commit=commit, is_settled=True))
                return refused
        self._pool.ledger.write(claim.name, _handed_to(owner, commit, claim.site))
        return Tree(path=claim.site.path, branch=branch, head=commit)


def _handed_to(owner: str, commit: str | None, site: Site) -> Holding:
    return Holding(owner=owner, commit=commit, is_settled=True, log_bytes=length(site.admin / "logs/HEAD"))


def _as_it_stands(site: Site, holding: Holding, commit: str, branch: str | None) -> Tree | TreeRefused:
    if holding.commit == commit and site.branch == branch:
        return Tree(path=site.path, branch=branch, head=site.head())
    detail = f"'{holding.owner}' has '{site.path}' at {site.branch or 'no branch'}, begun at {holding.commit}"
    return TreeRefused(reason="tree-held", detail=detail)
