"""Where tests write: on a memory file system where there is a roomy one, for they make and remove many small files."""

import os
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30  # bytes: a whole run with several processes stays far below


def roomiest() -> Path | None:
    """Give the memory file system's folder where programs may run from it and it has room; else nothing."""
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return None
    roomy = found.f_bavail * found.f_frsize >= _ROOM and not found.f_flag & os.ST_NOEXEC
    return _MEMORY if roomy and os.access(_MEMORY, os.W_OK | os.X_OK) else None


def use_memory() -> None:
    """Put temporary files of this run and its children into memory, unless `TMPDIR` says where they go."""
    memory = roomiest()
    if memory is not None and "TMPDIR" not in os.environ:
        os.environ["TMPDIR"] = str(memory)
        tempfile.tempdir = None
