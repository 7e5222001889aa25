"""The lock that a worker holds for exactly as long as it lives: the kernel gives it back, however it ends."""

import fcntl
import os
from pathlib import Path
from threading import Event

_FILE = "alive"
_ATTEMPTS = 10
_PAUSE_S = 0.005


def take(folder: Path) -> int | None:
    """Open and lock a run's file; None when a worker holds it.

    The lock belongs to the open file: who inherits it holds it on.
    """
    file = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    # Somebody who only looks holds it for a moment.
    for _ in range(_ATTEMPTS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            Event().wait(_PAUSE_S)
        else:
            return file
    os.close(file)
    return None


def is_held(folder: Path) -> bool:
    """Say whether a worker lives that was started with this folder, on this host."""
    try:
        file = os.open(folder / _FILE, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(file)
