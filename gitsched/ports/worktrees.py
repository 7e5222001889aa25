"""Worktrees: a pool outside the user's checkout, and the watch over that checkout.

Paths inside a tree are texts relative to it, with `/`; bytes that are not UTF-8 are surrogates in them.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

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
    """A fixed word: `branch-checked-out`, `worktree-root`, `setup-failed:<step>`, `disk-floor`, `branch-exists`,
    `tree-held` (the owner has a tree already, at another commit or branch), `tree-gone` (nothing to reclaim)."""
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
    reflog_bytes: int = 0
    """Length of HEAD's reflog: where to read on for what happened since."""
    conversion: str = ""
    """Hash of what decides, outside of any commit, how contents become files; empty: it was not looked at."""


class CheckoutChange(Struct, frozen=True, kw_only=True):
    """What happened to the user's checkout between two looks."""

    word: Literal["isolation-breach", "checkout-changed"]
    """A breach is tied to the run, or changes what every suite reads; any other change is the user's own."""
    parts: tuple[str, ...]
    """Of `head`, `index`, `status`, `conversion`, those that differ; empty when a run covered its tracks."""
    detail: str
    """One sentence that names the checkout, and HEAD before and after."""


class Reflogged(NamedTuple):
    """One entry of HEAD's reflog in the user's checkout."""

    old: str
    new: str
    message: str


class Identity(NamedTuple):
    """Who a commit is by, and when."""

    name: str
    email: str
    at_s: int | None = None
    """Whole seconds since 1970, so that making it again gives the same commit; None: now, by the system's clock."""


class Rescued(Struct, frozen=True, kw_only=True):
    """Uncommitted work as it was saved."""

    commit: str | None
    """None: everything there was had to be left."""
    left: tuple[str, ...]
    """Paths not saved, each with its reason in brackets; they are still in the tree."""


class Broken(Struct, frozen=True, kw_only=True):
    """What somebody did to git's own files of a tree: `.git`, HEAD, the index, or its folder in the git directory."""

    what: str
    """A sentence without its stop."""
    left: str | None
    """None: it was made again, and git can be asked in the tree; else why not: the tree was set aside with its files,
    and nobody gets it any more."""


class Worktrees(Protocol):
    """Hands out, takes back and removes worktrees of one repository."""

    def acquire(self, owner: str, commit: str, branch: str | None, move_from: str | None = None) -> Tree | TreeRefused:
        """Hand out a clean tree at `commit`, on a new or moved `branch` (None: detached), pooled where possible.

        `owner` names who holds it (for instance `b1/3/0`); a tree with a live or unknown owner is never taken.
        A branch that exists elsewhere than at `commit` is moved only if it stands at `move_from`. Asking again
        with the same words gives the same tree as it stands.
        """

    def reclaim(self, owner: str, path: Path) -> Tree | TreeRefused:
        """Hand the tree at `path` to another generation as it stands: same work, nothing reset."""

    def release(self, path: Path, owners: Collection[str] | None = None) -> str | None:
        """Give a tree back to the pool, detached and uncleaned; None: done, else why not, with the path.

        With `owners` only while one of them holds it: whoever comes late must not take it from its next owner.
        It is cleaned when it is handed out next.
        """

    def remove(self, path: Path) -> str | None:
        """Remove a tree for good and verify that it is gone from disk and from git's list. None: gone; else why."""

    def prepare_ahead(self, commit: str, *, make: bool = False) -> bool:
        """Bring one free tree of the pool to `commit`, so that the next `acquire` is instant.

        Says whether one is ready now; with `make` a tree is made where none is free.
        """

    def trees(self) -> tuple[Tree, ...]:
        """List our trees that are not free, by path."""

    def owners(self) -> Mapping[Path, str | None]:
        """Tell who holds each tree that is not free, by path; None where that cannot be told."""

    def free_bytes(self) -> int:
        """Tell the free space where trees are made."""

    def look_at_checkout(self) -> CheckoutLook:
        """Look at the user's main checkout: HEAD, index and status, without writing to it."""

    def conversion(self) -> str:
        """Name what decides, outside of any commit, how contents become files: another name, other rules."""

    def breaches(self, before: CheckoutLook, after: CheckoutLook, acts: Sequence[str]) -> CheckoutChange | None:
        """Compare two looks; None when nothing changed.

        `acts` are the git commands that the run called there and that could have changed it.
        """

    def copy_list(self, path: Path, names: Sequence[str]) -> tuple[str, ...]:
        """Copy files and folders of the user's checkout into a tree, kept out of every commit of it.

        Answers a sentence for each that was not copied; no link is followed out of the checkout.
        """


class TreeWork(Protocol):
    """Looks at the work in a tree, and commits or saves it. No hook of the user's runs."""

    def uncommitted(self, path: Path) -> tuple[str, ...]:
        """List changed, deleted and untracked paths, ignored and copied ones left out, in order."""

    def tracked_changed(self, path: Path, commit: str) -> bool:
        """Say whether tracked files of the tree differ from `commit`; untracked ones do not count."""

    def restore(self, path: Path, commit: str) -> None:
        """Bring tracked files and the index to `commit`, wherever HEAD is; untracked files stay as they are."""

    def lay_out(self, path: Path, commit: str) -> None:
        """Bring a clean tree's files to those of `commit`, HEAD and index staying: what differs is uncommitted then."""

    def unfinished(self, path: Path) -> str | None:
        """Name the operation that git is in the middle of there.

        One of `rebase`, `am`, `merge`, `cherry-pick`, `revert`, `bisect`.
        """

    def commit_all(self, path: Path, paths: Sequence[str], message: str, identity: Identity) -> str | None:
        """Commit just these paths as they are on disk, whatever else is staged; None: no change in them."""

    def rescue(self, path: Path, ref: str, limit_bytes: int = ...) -> Rescued | None:
        """Save uncommitted work as a commit on the new ref `ref`, leaving index, branch and files as they are.

        Secret-looking files and those over the limit are left and named. None: there was no uncommitted work.
        A ref that exists with the same content is the same answer; with another content it raises RefusedError.
        """

    def stray_commits(
        self, path: Path, base: str, branch: str, visited: Collection[str] = ()
    ) -> Mapping[str, tuple[str, ...]]:
        """Find commits beyond `base`, not on `branch`, that the tree's owner made elsewhere, oldest first.

        By the name of the local branch, or `worktree <path>` for a detached one; `visited` are the worktrees in which
        it called git.
        """

    def made_commits(self, path: Path, base: str) -> tuple[str, ...]:
        """Name the newest commits beyond `base` that the tree's owner made, on whichever branch or on none.

        Those that it amended or reset away are among them. None where no tree of ours is, though its folder be gone.
        """

    def mend(self, path: Path, branch: str, commit: str) -> Broken | None:
        """Make git's own files of a tree of ours again where they are broken, its files staying as they are.

        HEAD comes to `branch`, or to `commit` where that is gone, unless it can be read. None: the tree is whole, or
        there is none of ours.
        """

    def made_here(self, path: Path, commit: str) -> bool:
        """Say whether a commit was made in this tree, and not only brought into it, as its HEAD's reflog tells."""

    def made_for(self, path: Path, branch: str, commit: str) -> bool:
        """Say whether a commit was made on a branch, or in the tree by its present owner, and not only brought there.

        The branch's own reflog goes on over all runs of a member; it lacks what a rebase made on its way.
        """
