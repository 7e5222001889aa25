"""The worker's entry: `LocalRunner` starts it, and so does `gitsched worker`.

It is on the way of every run, so it imports little: no command line, no tables, no libgit2.
"""

import os
import sys
from functools import partial
from pathlib import Path

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.git.blobref import SpawnedBlobRefs
from gitsched.adapters.git.head import head_of
from gitsched.adapters.git.process import engine_git
from gitsched.adapters.process import RUN_VARIABLE, HostProcesses
from gitsched.adapters.runner import alive
from gitsched.adapters.runner.names import STOP_FILE, mark_of
from gitsched.adapters.runner.refs import RunRefs
from gitsched.adapters.wake import wake_all
from gitsched.codec.runs import decode_order
from gitsched.engine.worker.main import work
from gitsched.engine.worker.tools import Tools

_DEAD_LOCK_S = 30.0


def main(order_file: str, lock: int | None = None) -> bool:
    """Run the order in that file to its end; False when somebody else has run it or runs it.

    `lock` is the open, locked file that a starter on this host hands over; without one it is taken here.
    """
    order = decode_order(Path(order_file).read_bytes())
    folder = Path(order.folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = alive.take(folder) if lock is None else lock
    if lock is None:
        return False
    os.set_inheritable(lock, False)
    common = Path(order.repository)
    mark = mark_of(order)
    tools = Tools(
        ledger=RunRefs(SpawnedBlobRefs(engine_git(common)), partial(_unstick, common)),
        processes=HostProcesses(),
        clock=SystemClock.of_environment(),
        wake=partial(wake_all, common),
        head_of=head_of,
        stop_asked=(folder / STOP_FILE).exists,
        env={**os.environ, RUN_VARIABLE: mark},
        mark=mark,
    )
    return work(order, tools)


def _unstick(common: Path, ref: str) -> None:
    from gitsched.adapters.git.place import Place
    from gitsched.adapters.git.ref_locks import move_aside

    move_aside(Place(common), ref, _DEAD_LOCK_S, print)


if __name__ == "__main__":
    main(sys.argv[1])
