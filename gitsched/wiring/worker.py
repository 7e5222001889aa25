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
from gitsched.wiring.marks import known_mark

_DEAD_LOCK_S = 30.0
_NEVER_S = 3600.0


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
    mark, mark_of_clone = mark_of(order), known_mark(common)
    tools = Tools(
        ledger=RunRefs(SpawnedBlobRefs(engine_git(common)), partial(_unstick, common)),
        processes=HostProcesses(mark_of_clone),
        clock=SystemClock.of_environment(),
        wake=partial(wake_all, common),
        head_of=head_of,
        share=partial(_share, common) if mark_of_clone else _share_nothing,
        beat=partial(_beat, common) if mark_of_clone else None,
        stop_asked=(folder / STOP_FILE).exists,
        env={**os.environ, RUN_VARIABLE: mark},
        mark=mark,
    )
    return work(order, tools)


def _share_nothing() -> None:
    """Have no remote: what is recorded here is seen by everybody."""


def _share(common: Path) -> None:
    from gitsched.wiring.clone import Clone

    shared = Clone(common).shared
    if shared is not None:
        shared.carry()


def _beat(common: Path) -> float:
    from gitsched.wiring.clone import Clone

    shared = Clone(common).shared
    return shared.beat() if shared is not None else _NEVER_S


def _unstick(common: Path, ref: str) -> None:
    from gitsched.adapters.git.place import Place
    from gitsched.adapters.git.ref_locks import move_aside

    move_aside(Place(common), ref, _DEAD_LOCK_S, print)


if __name__ == "__main__":
    main(sys.argv[1])
