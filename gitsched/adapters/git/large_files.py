"""Large files go first: the objects that pointers name are sent before the refs that bring the pointers.

git-lfs does that from a hook of the user's, and none of those runs for us.
"""

from collections.abc import Iterable
from pathlib import Path

from gitsched.adapters.git.process import Git


def sending(git: Git, common: Path, remote: str, heads: Iterable[str]) -> tuple[str, ...]:
    """Give the words by which git sends what these commits need to a remote; none where the clone has no large file."""
    wanted = tuple(sorted(set(heads)))
    if not wanted or not _store(git, common).is_dir():
        return ()
    return "lfs", "push", remote, *wanted


def _store(git: Git, common: Path) -> Path:
    """Place the large files of a clone. Source: git-lfs-config page, "lfs.storage"."""
    if (common / "lfs" / "objects").is_dir():
        return common / "lfs" / "objects"
    return common / (git.run("config", "--get", "lfs.storage", check=False).text() or "lfs") / "objects"
