"""The pool of worktrees: choose a free one or make one, and remove one for good.

Choosing and git's own bookkeeping happen in the repository's one turn, which is short; checking out happens outside
of it, under the lock of that one tree.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitsched.adapters.git.ownership import PATIENCE_S, Holding, Ledger, Lock
from gitsched.adapters.git.process import engine_git
from gitsched.adapters.git.removal import removed
from gitsched.adapters.git.site import PREFIX, Site, sites_of
from gitsched.errors import BusyError, GitFailedError

_LOCK_WORDS = ("could not lock", "unable to create", "file exists")
_TRIES = 12
_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A tree that is ours to work on, until its lock is given back."""

    site: Site
    lock: Lock
    is_ready: bool = False
    """It is clean at the commit that was asked for."""
    is_new: bool = False

    @property
    def name(self) -> str:
        """Name the tree as the ledger does."""
        return self.site.admin.name


class Pool:
    """All our worktrees of one repository, in one folder."""

    def __init__(self, common: Path, folder: Path, patience_s: float = PATIENCE_S) -> None:
        """Keep the trees in `folder`, which belongs to this repository alone; `patience_s` bounds each wait."""
        self.common = common
        self.folder = folder
        self.ledger = Ledger(common, patience_s)
        self._patience_s = patience_s

    def sites(self) -> tuple[Site, ...]:
        """List the worktrees that git keeps and that lie in our folder, in the order of their numbers."""
        folder = os.path.realpath(self.folder)
        ours = [site for site in sites_of(self.common) if os.path.realpath(site.path.parent) == folder]
        return tuple(sorted(ours, key=lambda site: (len(site.path.name), site.path.name)))

    def site_at(self, path: Path) -> Site | None:
        """Find our worktree at a path; a path that is a link is none of ours."""
        if path.is_symlink():
            return None
        place = os.path.realpath(path)
        return next((site for site in self.sites() if os.path.realpath(site.path) == place), None)

    def place_at(self, path: Path) -> Site | None:
        """Find our worktree at a path whatever is left of git's files for it: that we made it, the ledger tells."""
        is_place = path.is_dir() and not path.is_symlink() and self.ledger.read(path.name) is not None
        if not is_place or os.path.realpath(path.parent) != os.path.realpath(self.folder):
            return None
        return Site(self.folder / path.name, self.common / "worktrees" / path.name)

    def holdings(self) -> Iterator[tuple[Site, Holding | None]]:
        """Yield each of our trees with who holds it, those of which git kept nothing after a kill as well."""
        sites = {site.admin.name: site for site in self.sites()}
        for name in {**sites, **dict.fromkeys(self.ledger.names())}:
            admin = self.common / "worktrees" / name
            if name in sites or not admin.exists():  # else it lies under another root
                yield sites.get(name, Site(self.folder / name, admin)), self.ledger.read(name)

    def claim(self, owner: str | None, commit: str, *, make: bool) -> Claim | None:
        """Take a free tree, one that is clean at `commit` first; else make one, or give None.

        With an owner it is recorded as the holder, before anything is done to the tree.
        """
        while True:
            with self.ledger.turn():
                claim = self._free(commit)
                if claim is not None:
                    is_settled = claim.is_ready and owner is None
                    try:
                        self.ledger.write(claim.name, Holding(owner=owner, commit=commit, is_settled=is_settled))
                    except OSError:
                        claim.lock.close()
                        raise
                    return claim
                preparing = self._being_prepared(commit)
            if preparing is None or not self._is_free_soon(preparing):
                return self.claim_new(owner, commit) if make else None

    def claim_new(self, owner: str | None, commit: str) -> Claim:
        """Make a tree, without files yet, and take it."""
        with self.ledger.turn():
            name = self._unused_name()
            site = Site(self.folder / name, self.common / "worktrees" / name)
            self.ledger.write(name, Holding(owner=owner, commit=commit))
            try:
                self._add(site, commit)
            except BaseException:
                self._erase(site)
                raise
            lock = self.ledger.lock(name)
            assert lock is not None
            return Claim(site, lock, is_new=True)

    def give_back(self, claim: Claim, holding: Holding) -> None:
        """Record a claimed tree as free again, and let go of it."""
        self.ledger.write(claim.name, holding)
        claim.lock.close()

    def set_aside(self, claim: Claim, why: str) -> None:
        """Remove a claimed tree that cannot be brought in order; where even that fails it is never handed out."""
        if removed(self.common, claim.site) is None:
            self.ledger.drop(claim.name)
        else:
            self.ledger.write(claim.name, Holding(broken=why))
        claim.lock.close()

    def undo(self, site: Site, owner: str) -> None:
        """Settle a handing out that was cut short by a kill, once nobody is at work on it any more."""
        name = site.admin.name
        if not self._is_free_soon(name):
            against = f"Another process has been at work on it for {self._patience_s:g} s."
            raise BusyError(f"'{site.path}' was to be taken back.", against)
        with self.ledger.turn():
            holding = self.ledger.read(name)
            if holding is None or holding.owner != owner or holding.is_settled:
                return
            if site.is_linked:
                self.ledger.write(name, Holding())
            else:
                self._erase(site)

    def free_count(self) -> int:
        """Count the trees that could be handed out."""
        return sum(1 for _ in self._free_ones())

    def forget(self, name: str) -> None:
        """Drop what was recorded of a tree that is gone."""
        with self.ledger.turn():
            self.ledger.drop(name)

    def _is_free_soon(self, name: str) -> bool:
        """Wait until nobody is at work on a tree; False when somebody still is after all that work can take."""
        lock = self.ledger.lock(name, self._patience_s)
        if lock is not None:
            lock.close()
        return lock is not None

    def _free(self, commit: str) -> Claim | None:
        """Take the lock of the best free tree; one that some process still stands in is left alone."""
        free = list(self._free_ones())
        for site, holding in free:
            if _is_ready(site, holding, commit):
                lock = self.ledger.lock(site.admin.name)
                if lock is not None:
                    return Claim(site, lock, is_ready=True)
        standing = folders_of_processes() if free else frozenset()
        for site, _ in sorted(free, key=lambda pair: pair[1].is_settled):
            if not _is_stood_in(site.path, standing) and site.is_linked:
                lock = self.ledger.lock(site.admin.name)
                if lock is not None:
                    return Claim(site, lock)
        return None

    def _free_ones(self) -> Iterator[tuple[Site, Holding]]:
        for site in self.sites():
            holding = self.ledger.read(site.admin.name)
            if holding is not None and holding.is_free and site.path.is_dir() and not site.path.is_symlink():
                yield site, holding

    def _being_prepared(self, commit: str) -> str | None:
        """Find a free tree that somebody is bringing to this very commit: waiting for it beats making one."""
        for site, holding in self._free_ones():
            if holding.commit == commit and not holding.is_settled:
                lock = self.ledger.lock(site.admin.name)
                if lock is None:
                    return site.admin.name
                lock.close()
        return None

    def _unused_name(self) -> str:
        taken = {*self.ledger.names(), *(admin.name for admin in (self.common / "worktrees").glob("*/"))}
        numbers = (f"{PREFIX}{number}" for number in range(1, len(taken) + 1_000))
        return next(name for name in numbers if name not in taken and not os.path.lexists(self.folder / name))

    def _add(self, site: Site, commit: str) -> None:
        """Let git make the worktree; a lock on git's configuration is waited for."""
        git = engine_git(self.common, {"GIT_DIR": str(self.common)})
        options = ("-c", "worktree.useRelativePaths=false")  # relative ones would mark the user's configuration
        words = ("worktree", "add", "--quiet", "--detach", "--no-checkout", "--", str(site.path), commit)
        pause_s = _FIRST_PAUSE_S
        for left in reversed(range(_TRIES)):
            done = git.run(*options, *words, check=False)
            if done.ok and site.is_linked:
                return
            complaint = done.complaint()
            if not left or not any(word in complaint.lower() for word in _LOCK_WORDS):
                raise GitFailedError("worktree add", done.code, complaint or f"'{site.path}' did not get its name")
            self._erase(site, forget=False)
            threading.Event().wait(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _erase(self, site: Site, *, forget: bool = True) -> None:
        """Leave nothing of a worktree that was begun and not finished: neither folder was there before."""
        for folder in (site.path, site.admin):
            if not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
        if forget:
            self.ledger.drop(site.admin.name)


def folders_of_processes() -> frozenset[str]:
    """Name the working directories of all processes that we may look at."""
    import psutil

    found = (process.info["cwd"] for process in psutil.process_iter(["cwd"]))
    return frozenset(folder for folder in found if folder)


def _is_stood_in(tree: Path, folders: frozenset[str]) -> bool:
    place = os.path.realpath(tree)
    return any(folder == place or folder.startswith(f"{place}/") for folder in folders)


def _is_ready(site: Site, holding: Holding, commit: str) -> bool:
    if not holding.is_settled or holding.commit != commit:
        return False
    try:
        return (site.admin / "HEAD").read_text().strip() == commit
    except (OSError, ValueError):
        return False
