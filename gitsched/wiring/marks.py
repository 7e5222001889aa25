"""The mark of a clone: what tells it from others of the same remote on the same host."""

import os
from pathlib import Path
from secrets import token_hex

MARK_FILE = "gitsched/shared/clone"
"""Below the common git directory."""


def clone_mark(common: Path) -> str:
    """Name this clone among those of its remote; the first who asks chooses."""
    file = common / MARK_FILE
    try:
        return file.read_text()
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"clone.{os.getpid()}")
    fresh.write_text(token_hex(2))
    try:
        os.link(fresh, file)
    except FileExistsError:
        pass  # another process was quicker
    finally:
        fresh.unlink()
    return file.read_text()


def known_mark(common: Path) -> str:
    """Name this clone as it was named before; empty where it shares no remote."""
    try:
        return (common / MARK_FILE).read_text()
    except FileNotFoundError:
        return ""
