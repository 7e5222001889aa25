"""Bring a tree of the pool to a commit, whatever the owner before left in it.

The caller holds the tree, and nobody else is at work in it: only then may locks that were left behind be taken away.
The reflog of HEAD is kept, so that a commit which only it remembers stays reachable.
"""

import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from gitsched.adapters.git.branches import point
from gitsched.adapters.git.site import LONG_S, STRICT, Site, nested_in
from gitsched.adapters.git.submodule_checkout import check_out

_KEPT = frozenset({"gitdir", "commondir", "HEAD", "index", "logs", "modules", "locked"})
"""What git needs of a worktree's own folder; all else belongs to an operation that was begun in it."""
_SPECIAL = re.compile(r"([\\*?\[\] ])")


def tidy(site: Site, commit: str, keep: Sequence[str]) -> str | None:
    """Make the tree clean at `commit`, HEAD detached; ignored files go too, but for the paths in `keep`.

    None: done; else why its submodules could not be checked out. Raises `GitFailedError` when the tree cannot be
    brought in order.
    """
    end_operations(site)
    point(site, commit)
    _drop_untrusted_index(site)
    _drop_links(site.path, keep)
    _reset(site)
    clean(site, keep)
    _unregister_nested(site)
    return check_out(site)


def end_operations(site: Site) -> None:
    """Take away what a rebase, merge, bisect or sparse checkout left, and stale locks."""
    for entry in os.scandir(site.admin):
        if entry.name in _KEPT or entry.name.startswith("sharedindex."):
            continue
        _erase(Path(entry.path))
    for lock in (site.admin / "logs").glob("*.lock"):
        lock.unlink(missing_ok=True)  # a garbage collection of this moment takes one for a moment, too


def drop_stale_locks(site: Site) -> None:
    """Take away the locks that a killed git left on the tree's index, HEAD and branch."""
    locks = [site.admin / "index.lock", site.admin / "HEAD.lock"]
    if site.branch is not None:
        locks.append(site.admin.parents[1] / "refs/heads" / f"{site.branch}.lock")
    for lock in locks:
        lock.unlink(missing_ok=True)


def clean(site: Site, keep: Sequence[str]) -> None:
    """Remove what is not tracked, ignored files and nested repositories too, but for the paths in `keep`."""
    excluded = [part for path in keep for part in ("-e", "/" + _SPECIAL.sub(r"\\\1", path.rstrip("/")))]
    words = (*STRICT, "clean", "-ffdxq", *excluded)
    if not site.git.run(*words, timeout_s=LONG_S, check=False).ok:
        make_writable(site.path)
        site.git.run(*words, timeout_s=LONG_S)


def make_writable(folder: Path) -> None:
    """Let us remove what lies in folders that were made read-only, as module caches are."""
    for place, _, _ in os.walk(folder):
        mode = os.stat(place).st_mode
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(place, mode | stat.S_IRWXU)


def _reset(site: Site) -> None:
    words = (*STRICT, "reset", "-q", "--hard")
    if site.git.run(*words, timeout_s=LONG_S, check=False).ok:
        return
    drop_index(site)  # torn by a kill, or of a kind this git cannot read: it is made again from the commit
    site.git.run(*words, timeout_s=LONG_S)


def _unregister_nested(site: Site) -> None:
    """Free the branches of worktrees that were made inside this one; a detached one still guards its commits."""
    for one in nested_in(site):
        if one.branch is not None and not os.path.lexists(one.path):
            site.git.run("worktree", "remove", "--force", "--force", "--", str(one.path), check=False)


def _drop_untrusted_index(site: Site) -> None:
    """Let no entry say that its file is to be taken for unchanged: such a file would survive a reset."""
    if (site.admin / "index").exists() and site.hides:
        drop_index(site)


def drop_index(site: Site) -> None:
    """Remove the index, and what it was split into; the next reset makes it anew."""
    for file in (site.admin / "index", *site.admin.glob("sharedindex.*")):
        file.unlink(missing_ok=True)


def _drop_links(tree: Path, keep: Sequence[str]) -> None:
    """Keep folders, not links: one that an agent made may lead into the user's checkout."""
    for path in keep:
        if (tree / path).is_symlink():
            (tree / path).unlink()


def _erase(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
