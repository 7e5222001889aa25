"""The work in a tree: what is uncommitted, and how it is committed, saved, or found elsewhere."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from gitsched.adapters.git.branches import detach
from gitsched.adapters.git.changes import changes
from gitsched.adapters.git.ownership import Holding
from gitsched.adapters.git.pool import Pool
from gitsched.adapters.git.private_index import add, commit_of, unhiding
from gitsched.adapters.git.reflog import entries
from gitsched.adapters.git.rescue import LIMIT_BYTES, rescue
from gitsched.adapters.git.site import LONG_S, STRICT, Site
from gitsched.adapters.git.strays import made_in, stray_commits
from gitsched.adapters.git.wholeness import mend
from gitsched.errors import GitFailedError, RefusedError
from gitsched.ports.worktrees import Broken, Identity, Reflogged, Rescued


def _was_made(site: Site, commit: str, moves: Iterable[Reflogged]) -> bool:
    """Say whether one of these moves is the making of a commit.

    What brings others' commits in (fast-forward, reset, checkout) is logged in git's own words.
    """
    subject = site.git.run("log", "-1", "--format=%s", commit).text()
    return any(move.new == commit and move.message.endswith(f": {subject}") for move in moves)


class GitTreeWork:
    """`TreeWork` on the worktrees of a pool."""

    def __init__(self, pool: Pool) -> None:
        """Work in the trees of this pool and in no other folder."""
        self._pool = pool

    def uncommitted(self, path: Path) -> tuple[str, ...]:
        """List changed, deleted and untracked paths, ignored and copied ones left out, in order.

        A repository nested in the tree is left out as well: git would record a pointer and none of its files.
        """
        site = self._site(path)
        copied = self._pool.ledger.copied(site.admin.name)
        found = changes(site, inside_submodules=False)
        return tuple(change.path for change in found if not change.is_nested and change.path not in copied)

    def tracked_changed(self, path: Path, commit: str) -> bool:
        """Say whether tracked files of the tree differ from `commit`; untracked ones do not count."""
        with unhiding(self._site(path), commit) as git:
            words = (*STRICT, "diff", "--quiet", "--no-ext-diff", "--no-renames", commit)
            return git.run(*words, check=False).code != 0

    def restore(self, path: Path, commit: str) -> None:
        """Bring tracked files and the index to `commit`, wherever HEAD is; untracked files stay as they are."""
        self._site(path).git.run("read-tree", "--reset", "-u", commit, timeout_s=LONG_S)

    def lay_out(self, path: Path, commit: str) -> None:
        """Bring a clean tree's files to those of `commit`, HEAD and index staying; see `TreeWork.lay_out`."""
        git = self._site(path).git
        git.run("read-tree", "--reset", "-u", commit, timeout_s=LONG_S)
        git.run("read-tree", "--reset", "HEAD")

    def unfinished(self, path: Path) -> str | None:
        """Name the operation that git is in the middle of there."""
        return self._site(path).operation

    def commit_all(self, path: Path, paths: Sequence[str], message: str, identity: Identity) -> str | None:
        """Commit just these paths as they are on disk; see `TreeWork.commit_all`."""
        site = self._site(path)
        head = site.head()
        commit = commit_of(site, paths, message, identity)
        if commit is not None:
            site.git.run("update-ref", "-m", "gitsched pool: closing commit", "HEAD", commit, head or "0" * len(commit))
            add(site.git, paths)
        return commit

    def rescue(self, path: Path, ref: str, limit_bytes: int = LIMIT_BYTES) -> Rescued | None:
        """Save uncommitted work on a new ref, leaving the tree as it is; see `TreeWork.rescue`."""
        site = self._site(path)
        return rescue(site, ref, limit_bytes, self._pool.ledger.copied(site.admin.name))

    def stray_commits(
        self, path: Path, base: str, branch: str, visited: Collection[str] = ()
    ) -> Mapping[str, tuple[str, ...]]:
        """Find commits that the run made elsewhere than on its branch; see `TreeWork.stray_commits`."""
        site, ours = self._site(path), {os.path.realpath(one.path) for one in self._pool.sites()}
        holding = self._pool.ledger.read(site.admin.name)
        logged = holding.log_bytes if holding is not None else 0
        return stray_commits(site, base, branch, logged, frozenset(visited) - ours)

    def made_commits(self, path: Path, base: str) -> tuple[str, ...]:
        """Name the newest commits that the tree's owner made; see `TreeWork.made_commits`."""
        site = self._pool.site_at(path)
        if site is None:
            return ()
        holding = self._pool.ledger.read(site.admin.name)
        return made_in(site, base, holding.log_bytes if holding is not None else 0)

    def mend(self, path: Path, branch: str, commit: str) -> Broken | None:
        """Make git's own files of a tree again; one that cannot be mended is set aside. See `TreeWork.mend`."""
        site = self._pool.place_at(path)
        found = mend(site, branch, commit) if site is not None else None
        if site is not None and found is not None and found.left is not None:
            self._pool.ledger.write(site.admin.name, Holding(broken=f"{found.what}; {found.left}"))
            with suppress(GitFailedError, OSError):
                detach(site)  # its branch is for the tree that takes its place
        return found

    def made_here(self, path: Path, commit: str) -> bool:
        """Say whether a commit was made in this tree; see `TreeWork.made_here`."""
        site = self._site(path)
        return _was_made(site, commit, entries(site.admin / "logs/HEAD"))

    def made_for(self, path: Path, branch: str, commit: str) -> bool:
        """Say whether a commit was made on this branch, or by the tree's present owner; see `TreeWork.made_for`."""
        site = self._site(path)
        holding = self._pool.ledger.read(site.admin.name)
        logged = holding.log_bytes if holding is not None else 0
        on_branch = entries(site.admin.parents[1] / "logs/refs/heads" / branch)
        return _was_made(site, commit, chain(on_branch, entries(site.admin / "logs/HEAD", logged)))

    def _site(self, path: Path) -> Site:
        site = self._pool.site_at(path)
        if site is None:
            raise RefusedError(
                f"Work in '{path}' was asked for.",
                "It is no worktree of ours.",
                "`gitsched doctor` lists the worktrees and who holds them.",
            )
        return site
