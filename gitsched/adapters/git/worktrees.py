"""Worktrees for members, batches and jobs, and the watch over the user's checkout."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from gitsched.adapters.git.checkout import Checkout
from gitsched.adapters.git.copying import Copying
from gitsched.adapters.git.lending import Lending
from gitsched.adapters.git.pool import Pool
from gitsched.adapters.git.registry import listed, main_checkout, refused_root, repository_key
from gitsched.adapters.git.removal import removed
from gitsched.adapters.git.room import default_root, free_bytes
from gitsched.adapters.git.site import Site
from gitsched.ports.worktrees import CheckoutChange, CheckoutLook, Tree, TreeRefused

POOL_SIZE = 4
KEPT = ("node_modules", ".venv")


class GitWorktrees:
    """`Worktrees` on git's linked worktrees, all of them under one root outside every checkout of the repository."""

    def __init__(
        self,
        common: Path,
        root: Path | None = None,
        *,
        checkout: Path | None = None,
        keep: Sequence[str] = KEPT,
        pool_size: int = POOL_SIZE,
    ) -> None:
        """Keep trees of the repository whose common git directory this is, in a folder of its own under `root`.

        `checkout` is the top of the user's checkout; where it is not said, git's main worktree. `keep` are paths
        that survive cleaning. At most `pool_size` trees are kept free.
        """
        self._common = Path(os.path.realpath(common))
        # Git names its worktrees by where they really are, and a home is often a link.
        place = Path(os.path.realpath((root or default_root()).expanduser()))
        self._folder = place / repository_key(self._common)
        self._user = checkout or main_checkout(self._common)
        self._watched = Checkout(self._user, self._common)
        self._pool_size = pool_size
        self._is_root_good = False
        self.pool = Pool(self._common, self._folder)
        self._lending = Lending(self.pool, self._user, keep)

    def acquire(self, owner: str, commit: str, branch: str | None, move_from: str | None = None) -> Tree | TreeRefused:
        """Hand out a clean tree at `commit`; see `Worktrees.acquire`."""
        refused = self._refused_root()
        if refused is not None:
            return TreeRefused(reason="worktree-root", detail=refused)
        return self._lending.acquire(owner, commit, branch, move_from)

    def reclaim(self, owner: str, path: Path) -> Tree | TreeRefused:
        """Hand the tree at `path` to another generation as it stands."""
        return self._lending.reclaim(owner, path)

    def release(self, path: Path, owners: Collection[str] | None = None) -> str | None:
        """Give a tree back to the pool, still dirty; one beyond the pool's size is removed."""
        site = self.pool.site_at(path)
        if site is None:
            return f"'{path}' is no worktree of ours" if os.path.lexists(path) else None
        return self._lending.release(site, owners) or self._shrunk(site)

    def remove(self, path: Path) -> str | None:
        """Remove a tree for good, if git lists it as ours, and verify that it is gone."""
        if path.is_symlink():
            return f"'{path}' is a symbolic link: nothing behind it is removed"
        if self._user is not None and os.path.realpath(path) == os.path.realpath(self._user):
            return f"'{path}' is the user's checkout"
        site = self.pool.site_at(path)
        if site is not None:
            return self._removed(site)
        if os.path.lexists(path) or any(one.path == path for one in listed(self._common)):
            return f"'{path}' is not in git's list as a worktree under '{self._folder}'"
        if path.parent == self._folder:
            self.pool.forget(path.name)
        return None

    def prepare_ahead(self, commit: str, *, make: bool = False) -> bool:
        """Bring one free tree of the pool to `commit`, so that the next `acquire` is instant."""
        return self._refused_root() is None and self._lending.prepare_ahead(commit, make=make)

    def trees(self) -> tuple[Tree, ...]:
        """List our trees that are not free, by path."""
        held = self.owners()
        found = (Tree(path=one.path, branch=one.branch, head=one.head) for one in listed(self._common))
        return tuple(sorted((tree for tree in found if tree.path in held), key=lambda tree: tree.path))

    def owners(self) -> Mapping[Path, str | None]:
        """Tell who holds each tree that is not free, by path; None where that cannot be told."""
        held = [(site.path, one) for site, one in self.pool.holdings() if one is None or not one.is_free]
        return {path: one.owner if one else None for path, one in sorted(held, key=lambda pair: pair[0])}

    def free_bytes(self) -> int:
        """Tell the free space where trees are made."""
        return free_bytes(self._folder)

    def look_at_checkout(self) -> CheckoutLook:
        """Look at the user's checkout without writing to it."""
        return self._watched.look()

    def conversion(self) -> str:
        """Name the rules by which contents become files, as they are now."""
        return self._watched.conversion()

    def breaches(self, before: CheckoutLook, after: CheckoutLook, acts: Sequence[str]) -> CheckoutChange | None:
        """Compare two looks; None when nothing changed."""
        return self._watched.change(before, after, acts)

    def copy_list(self, path: Path, names: Sequence[str]) -> tuple[str, ...]:
        """Copy files and folders of the user's checkout into a tree; answer a sentence for each that was not."""
        site = self.pool.site_at(path)
        if site is None or self._user is None:
            missing = f"'{path}' is no worktree of ours" if site is None else "there is no checkout to copy from"
            return tuple(f"'{name}' was not copied: {missing}" for name in names)
        copying = Copying(self._user, site)
        copying.run(names)
        ledger, name = self.pool.ledger, site.admin.name
        ledger.note_copied(name, ledger.copied(name) | copying.copied)
        return tuple(copying.problems)

    def _refused_root(self) -> str | None:
        """Judge the root once; whatever happens to it later shows when a tree is made."""
        if self._is_root_good:
            return None
        refused = refused_root(self._folder, self._common)
        self._is_root_good = refused is None
        return refused

    def _shrunk(self, site: Site) -> str | None:
        holding = self.pool.ledger.read(site.admin.name)
        is_free = holding is not None and holding.is_free  # another may hold it by now, or it was set aside
        return self._removed(site) if is_free and self.pool.free_count() > self._pool_size else None

    def _removed(self, site: Site) -> str | None:
        lock = self.pool.ledger.lock(site.admin.name)
        if lock is None:
            return f"somebody is at work on '{site.path}'"
        with lock:
            refused = removed(self._common, site)
        if refused is None:
            self.pool.forget(site.admin.name)
        return refused
