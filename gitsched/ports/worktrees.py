"""Worktrees: a pool outside the user's checkout, and the watch over that checkout (spec 03, "Worktrees")."""

from pathlib import Path
from typing import Protocol

from msgspec import Struct


class Tree(Struct, frozen=True, kw_only=True):
    """A worktree of the pool, handed to one owner."""

    path: Path
    branch: str | None
    """None: detached."""
    head: str


class TreeRefused(Struct, frozen=True, kw_only=True):
    """No tree was handed out, for a reason that is not a fault of ours; nothing is left behind."""

    reason: str
    """A fixed word: `branch-checked-out`, `worktree-root`, `setup-failed:<step>`, `disk-floor`, `branch-exists`."""
    detail: str


class CheckoutLook(Struct, frozen=True, kw_only=True):
    """The user's checkout at one moment, for comparing."""

    path: str | None
    """None in a bare repository."""
    head: str
    index: str
    """Hash of the index's entries; refreshed stat data does not change it."""
    status: str
    """Hash of `git status --porcelain=v2`."""


class Worktrees(Protocol):
    """Hands out, takes back and removes worktrees of one repository."""

    def acquire(self, owner: str, commit: str, branch: str | None) -> Tree | TreeRefused:
        """Hand out a clean tree at `commit`, on a new or moved `branch` (None: detached), pooled where possible.

        `owner` names who holds it (for instance `b1/3/0`); a tree with a live or unknown owner is never taken.
        """

    def reclaim(self, owner: str, path: Path) -> Tree | TreeRefused:
        """Hand the tree at `path` to another generation as it stands: same work, nothing reset."""

    def release(self, path: Path) -> str | None:
        """Give a tree back to the pool, detached and uncleaned; None: done, else why not, with the path.

        It is cleaned when it is handed out next.
        """

    def remove(self, path: Path) -> str | None:
        """Remove a tree for good and verify that it is gone from disk and from git's list. None: gone; else why."""

    def prepare_ahead(self, commit: str) -> bool:
        """Bring one free tree of the pool to `commit`, so that the next `acquire` is instant; say whether it did."""

    def trees(self) -> tuple[Tree, ...]:
        """List our trees that are not free, by path."""

    def free_bytes(self) -> int:
        """Tell the free space where trees are made."""

    def look_at_checkout(self) -> CheckoutLook:
        """Look at the user's main checkout: HEAD, index and status, without writing to it."""
