"""A worktree that git has begun and not finished: its HEAD names no commit yet, and a fetch gives up over that.

git writes zeros there for a moment. Where it was killed in that moment they stay, and no fetch of the repository goes
through any more; of a tree of ours nothing is lost with what git knows of it.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from gitsched.adapters.git.site import PREFIX

ABANDONED_S = 30.0
"""Nobody needs that long between two files."""
_COMPLAINT = re.compile(r"bad object worktrees/([^/\s]+)/HEAD")
_ZEROS = re.compile(r"0{40,64}\s*")


def half_made(complaint: str) -> str | None:
    """Name the worktree that git complains of, as git knows it; None: it is about something else."""
    found = _COMPLAINT.search(complaint)
    return found[1] if found is not None else None


def clear_abandoned(common: Path, name: str) -> bool:
    """Take a tree of ours that nobody finishes off git's list; whoever looks after our trees does the rest."""
    admin = common / "worktrees" / name
    head = admin / "HEAD"
    try:
        is_old = _file_system_now_s(common) - head.stat().st_mtime > ABANDONED_S
        is_abandoned = is_old and _ZEROS.fullmatch(head.read_text())
    except OSError:
        return False  # somebody else was quicker
    if not is_abandoned or not name.startswith(PREFIX):
        return False
    shutil.rmtree(admin, ignore_errors=True)
    return True


def _file_system_now_s(folder: Path) -> float:
    """Tell what time it is for whoever dates the files of a folder."""
    with tempfile.TemporaryFile(dir=folder) as fresh:
        return os.fstat(fresh.fileno()).st_mtime
