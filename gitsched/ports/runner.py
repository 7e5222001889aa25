"""The runner: starts a command detached, and tells how it stands."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

from gitsched.domain.instants import Instant
from gitsched.domain.runs import FarOrder, Milestone, ProcessName, RunLook, RunOrder, RunRecord
from gitsched.domain.state import RefMove
from gitsched.domain.words import Liveness


class Runner(Protocol):
    """Starts runs and jobs, and reads and ends them. A driver's death ends none of them."""

    def place(self, batch: str, name: str, gen: int, files: Mapping[str, bytes]) -> Path:
        """Make the folder of a run on this host, with these files in it, and name it; idempotent."""

    def start(self, order: RunOrder, env: Mapping[str, str], stdin: bytes) -> None:
        """Start a detached worker for this order; `env` is the command's whole environment.

        Returns as soon as the worker process exists. At most one worker per (batch, name, gen) ever runs its
        command, however often this is called: a worker claims its generation on the run ref first.
        """

    def look(self, batch: str, name: str, gen: int) -> RunLook:
        """Read one run as it stands: its record for this generation, and whether its worker and agent live."""

    def stop(self, batch: str, name: str, gen: int, *, kill: bool) -> Liveness:
        """Send TERM (or KILL) to the agent's process group, identity checked, and tell what is left of it.

        Never signals a process whose host, boot id or start time differ from the record.
        """

    def fence(self, batch: str, name: str, gen: int, *, is_settled: bool = False) -> bool:
        """Raise the run ref to `gen`, so that nothing an older generation posts counts from now on.

        False, and nothing is changed, where the generation right before it has ended, unless that `is_settled`: how
        it ended is not lost.
        """

    def runs(self) -> Mapping[tuple[str, str], int]:
        """List the runs that have a run ref, by batch and name, with the generation that it stands at."""

    def forget(self, batch: str, name: str, gen: int) -> None:
        """Delete the run ref and folders of a run that is settled in the state; a newer generation stays untouched."""

    def log(self, batch: str, name: str, gen: int) -> bytes:
        """Read the whole log of a run on this host; empty when there is none."""

    def left_file(self, batch: str, name: str, gen: int, file: str) -> bytes | None:
        """Read a file of a run's folder; None when there is none, or it is not a plain file."""

    def wake_all(self) -> None:
        """Wake every driver of this clone that waits."""


class Fleet(Protocol):
    """Has runs worked on other machines. What becomes of them, the runner tells as of any."""

    def move_for(self, order: FarOrder) -> RefMove:
        """Write an order down, and give the move that lets every machine have it with the transaction that asks."""

    def send(self, batch: str, name: str, gen: int) -> None:
        """Ask for a worker for an order that was moved; once for each run is enough, and twice does no harm."""


class RunPoster(Protocol):
    """Appends to the run ref what a run says."""

    def post(self, batch: str, name: str, milestone: Milestone, token: str) -> RunRecord:
        """Append a milestone that the run itself says, as `token` proves, and wake the drivers.

        Raises RefusedError for another run's token, and what `relay` raises.
        """

    def relay(self, batch: str, name: str, milestone: Milestone) -> RunRecord:
        """Append a milestone by compare-and-swap and wake the drivers; its sender has been looked at already.

        Raises SupersededError when the run ref stands at a newer generation, UnknownUnitError when there is no run.
        """

    def check(self, batch: str, name: str, gen: int, token: str) -> bool:
        """Say whether `gen` is still the run's generation. Raises RefusedError for another run's token."""


class RunLedger(Protocol):
    """Holds the run refs: one record per run, changed by compare-and-swap."""

    def read(self, batch: str, name: str) -> RunRecord | None:
        """Read the record; None when there is none."""

    def claim(self, record: RunRecord) -> bool:
        """Write a worker's first record; False when another worker has its generation, or there is a newer one."""

    def amend(self, batch: str, name: str, gen: int, change: Callable[[RunRecord], RunRecord]) -> RunRecord | None:
        """Change the record of that very generation; None when the run ref does not stand at it (any more).

        `change` is called again on the newer record after a lost race.
        """


class Processes(Protocol):
    """Names processes and tells whether they live."""

    def own(self) -> ProcessName:
        """Name this process."""

    def liveness(self, process: ProcessName) -> Liveness:
        """Tell whether that very process lives. Another host or boot id: UNKNOWN, resp. GONE on this host."""

    def named(self, pid: int) -> ProcessName | None:
        """Name the process that has this pid now; None when there is none, or it has ended."""

    def adopt_orphans(self) -> None:
        """Become the parent of what this process's descendants leave behind, where the system can do that."""

    def of_run(self, mark: str) -> tuple[tuple[ProcessName, str], ...]:
        """Find living processes, and what they are called, whose environment holds `GITSCHED_RUN=<mark>`."""

    def descendants(self) -> tuple[tuple[ProcessName, str], ...]:
        """Find this process's living children and theirs, adopted ones included, and what they are called."""


class Hosts(Protocol):
    """Hears of the hosts (clones) that share a remote."""

    def liveness(self, host: str, ttl_s: float | None = None) -> Liveness:
        """Tell whether anything of a host lives: GONE once nothing new was heard of it for the ttl, by this clock.

        `ttl_s` is that of its leases, and holds for it from then on; without any it is the configured one.
        """

    def beat(self) -> None:
        """Say that this host lives, where that has not been said for a while; a push of its own only if it must."""

    def miss(self) -> None:
        """Take note that nothing can be heard of anybody now: the time until something can again is no silence."""

    def end(self) -> None:
        """Take this host's sign away: nothing of it is left to live."""


class Waker(Protocol):
    """Waits without polling until something happens or a time limit passes."""

    def wait(self, timeout_s: float, ends_of: Iterable[ProcessName] = ()) -> bool:
        """Sleep until woken, until one of these processes has ended, or until the limit; False: it was the limit.

        Wake-ups that came before count; so does an end before the wait. Processes of other hosts are not waited for.
        """

    def wake(self) -> None:
        """Wake this very waiter, also from a signal handler."""

    def close(self) -> None:
        """Give the wake-up place back."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Instant:
        """Tell the present instant; never earlier than one it told before in this process."""

    def monotonic_s(self) -> float:
        """Tell seconds on a clock that does not run while the machine sleeps."""


class HostClock(Clock, Protocol):
    """A clock that also knows what its machine says of files and sleep."""

    def dated(self, epoch_s: float) -> Instant:
        """Write a moment of the system's own clock, for instance a file's, as an instant of this clock."""

    def slept_s(self) -> float:
        """Tell how long this machine has slept since it was started, where the system counts that."""

    def zone_name(self) -> str:
        """Name the zone that this machine's clocks go by; UTC where it does not say."""
