"""This machine, as verbs ask about it that only read."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gitsched.config.settings import Settings

if TYPE_CHECKING:
    from gitsched.engine.looking import Machine


def is_program(name: str) -> bool:
    """Say whether a program is on PATH."""
    return shutil.which(name) is not None


def machine_of(settings: Settings) -> "Machine":
    """Give what is asked of this machine, by the settings that say where worktrees are made."""
    from gitsched.adapters.git.room import default_root, free_bytes
    from gitsched.engine.looking import Machine

    chosen = settings.worktrees.dir
    root = Path(chosen) if chosen else default_root()
    return Machine(is_program, lambda: free_bytes(root.expanduser().absolute()))
