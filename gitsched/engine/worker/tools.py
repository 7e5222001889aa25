"""What a worker is given from outside."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from gitsched.ports.runner import HostClock, Processes, RunLedger


class Tools(Struct, frozen=True, kw_only=True):
    """The neighbours of one worker."""

    ledger: RunLedger
    processes: Processes
    clock: HostClock
    wake: Callable[[], None]
    """Wakes the drivers of the clone."""
    head_of: Callable[[str], str | None]
    """Names HEAD of a worktree."""
    stop_asked: Callable[[], bool]
    """Tells whether a driver has asked for the end of this run."""
    share: Callable[[], None]
    """Brings what was recorded to where other hosts see it, where nobody else does."""
    beat: Callable[[], float] | None
    """Gives other hosts a sign of life, and tells in how many seconds the next is due; None: there are none."""
    env: Mapping[str, str]
    """The whole environment of the command."""
    ends_at_int: bool = False
    """INT asks for a quick end: this is a job that somebody can cancel."""
    mark: str
    """What `GITSCHED_RUN` is in it."""
