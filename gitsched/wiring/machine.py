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


def has_battery(supplies: Path = Path("/sys/class/power_supply")) -> bool:
    """Say whether it is a laptop, as far as the kernel tells; elsewhere nobody is told of sleep."""
    if not supplies.is_dir():
        return False
    return any(_is_battery(supply) for supply in supplies.iterdir())


def _is_battery(supply: Path) -> bool:
    """Tell the machine's own battery from a mouse's or a pen's."""
    kind, scope = supply / "type", supply / "scope"
    is_one = kind.is_file() and kind.read_text(encoding="ascii").strip() == "Battery"
    return is_one and not (scope.is_file() and scope.read_text(encoding="ascii").strip() == "Device")


def machine_of(settings: Settings) -> "Machine":
    """Give what is asked of this machine, by the settings that say where worktrees are made."""
    from gitsched.adapters.git.room import default_root, free_bytes
    from gitsched.engine.looking import Machine

    chosen = settings.worktrees.dir
    root = Path(chosen) if chosen else default_root()
    return Machine(is_program, lambda: free_bytes(root.expanduser().absolute()))
