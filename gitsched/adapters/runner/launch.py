"""Start a worker so that nothing ties it to its driver: its own session, its own files, no shared pipe."""

import fcntl
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import gitsched

ALIVE_FD = 3
"""Where a worker finds the lock that its starter took for it."""
_FREE_FD = 10
# Isolated: what the agent's environment says to Python is the agent's business. The package is found where
# this process found it, installed or not.
_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from gitsched.wiring.worker import main; main(sys.argv[2], int(sys.argv[3]))"
)
_RESET_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD)


def launch_worker(order_file: Path, output: Path, lock: int, env: Mapping[str, str]) -> int:
    """Start a worker for that order and give its pid; it inherits the open file `lock` and holds it.

    Returns as soon as the process exists. Raises OSError.
    """
    root = str(Path(gitsched.__file__).parent.parent)
    argv = [sys.executable, "-I", "-X", "utf8", "-c", _BOOT, root, str(order_file), str(ALIVE_FD)]
    # Above every number that the child's own files get, so that none of them overwrites it.
    held = fcntl.fcntl(lock, fcntl.F_DUPFD_CLOEXEC, _FREE_FD)
    try:
        return os.posix_spawn(
            sys.executable,
            argv,
            dict(env),
            file_actions=(
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
                (os.POSIX_SPAWN_DUP2, held, ALIVE_FD),
                *((os.POSIX_SPAWN_CLOSE, file) for file in _handed_down()),
            ),
            setsid=True,
            setsigmask=(),
            setsigdef=_RESET_SIGNALS,
        )
    finally:
        os.close(held)


def _handed_down() -> list[int]:
    """List open files that whoever started this process meant for it: a worker would hold them for hours."""
    found = []
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > ALIVE_FD and os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:
            continue  # the listing itself
    return found
