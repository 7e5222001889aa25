"""Where worktrees are kept when nothing is configured, and how much room there is; cheap to ask, without libgit2."""

import shutil
from pathlib import Path


def default_root() -> Path:
    """Tell where worktrees are kept when nothing is configured: under the platform's state directory."""
    from platformdirs import user_state_path

    return user_state_path("gitsched")


def free_bytes(folder: Path) -> int:
    """Tell the free space where a folder is or would be made."""
    place = next(each for each in (folder, *folder.parents) if each.is_dir())
    return shutil.disk_usage(place).free
