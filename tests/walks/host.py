"""A host in one process: runs, drivers and their deaths, quick enough for walks of thousands of steps.

Runs have their real run refs and folders; only the processes behind them are played. A play decides what a run's
command does and when it ends.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from gitsched.adapters.runner.refs import RunRefs
from gitsched.domain.ids import run_folder
from gitsched.domain.records import Lease
from gitsched.domain.runs import Milestone, ProcessName, RunEnd, RunLook, RunOrder, RunRecord
from gitsched.domain.words import Liveness
from gitsched.ports.runner import Clock

Key = tuple[str, str, int]
HOST, BOOT = "walk", "boot"


class Live(dict[Key, RunOrder]):
    """The commands that run now, by batch, name and generation."""


class PlayedProcesses:
    """Names and liveness of played processes: every driver has its own name, and can die while this process lives."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self.host = HOST
        self._living: set[ProcessName] = set()
        self._count = 0

    def born(self) -> ProcessName:
        """Start a process."""
        self._count += 1
        name = ProcessName(host=self.host, boot_id=BOOT, pid=100_000 + self._count, started=str(self._count))
        self._living.add(name)
        return name

    def die(self, name: ProcessName) -> None:
        """End a process."""
        self._living.discard(name)

    def is_living(self, name: ProcessName) -> bool:
        """Say whether it lives."""
        return name in self._living


class DriverProcesses:
    """The processes as one driver sees them: it is one of them."""

    def __init__(self, played: PlayedProcesses) -> None:
        """Be born."""
        self.me = played.born()
        self._played = played

    def own(self) -> ProcessName:
        """Name this driver's process."""
        return self.me

    def liveness(self, process: ProcessName) -> Liveness:
        """Tell whether that very process lives."""
        return Liveness.ALIVE if self._played.is_living(process) else Liveness.GONE

    def named(self, pid: int) -> ProcessName | None:
        """Name nobody: nothing is signalled by number here."""
        return None

    def adopt_orphans(self) -> None:
        """Adopt nobody."""

    def of_run(self, mark: str) -> tuple[tuple[ProcessName, str], ...]:
        """Find nobody: what a run leaves behind is played by its liveness."""
        return ()

    def descendants(self) -> tuple[tuple[ProcessName, str], ...]:
        """Have none."""
        return ()


class PlayedRunner:
    """Starts played runs, and tells how they stand; it outlives every driver, as workers do."""

    def __init__(self, common: Path, refs: RunRefs, clock: Clock, played: PlayedProcesses) -> None:
        """Stand on the run refs of a clone."""
        self._common = str(common)
        self._refs = refs
        self._clock = clock
        self._played = played
        self.live = Live()
        self.orphans: set[Key] = set()
        """Runs whose worker is gone while the agent lives on."""
        self.started: list[Key] = []
        self.stopped: set[Key] = set()

    def place(self, batch: str, name: str, gen: int, files: Mapping[str, bytes]) -> Path:
        """Make the folder of a run, with these files in it."""
        folder = Path(run_folder(self._common, batch, name, gen))
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        return folder

    def start(self, order: RunOrder, env: Mapping[str, str], stdin: bytes) -> None:
        """Start a worker, which claims its generation before its command begins."""
        self.place(order.batch, order.name, order.gen, {"prompt": stdin})
        key = (order.batch, order.name, order.gen)
        record = RunRecord(
            batch=order.batch,
            name=order.name,
            gen=order.gen,
            token=order.token,
            worker=self._played.born(),
            agent=self._played.born(),
            started_at=self._clock.now(),
            log=order.log_file,
        )
        if not self._refs.claim(record):
            self._played.die(record.worker)
            return
        self.started.append(key)
        self.live[key] = order

    def look(self, batch: str, name: str, gen: int) -> RunLook:
        """Read one run as it stands."""
        record = self._refs.read(batch, name)
        if record is None or record.gen != gen or record.is_fence:
            record = None
        key = (batch, name, gen)
        worker = Liveness.ALIVE if key in self.live and key not in self.orphans else Liveness.GONE
        agent = Liveness.ALIVE if key in self.live else Liveness.GONE
        return RunLook(record=record, worker=worker, agent=agent)

    def stop(self, batch: str, name: str, gen: int, *, kill: bool) -> Liveness:
        """End the agent: it obeys at once, and its worker, if there is one, records that."""
        key = (batch, name, gen)
        if key not in self.live:
            return Liveness.GONE
        self.stopped.add(key)
        self.end(key, RunEnd(signal=9 if kill else 15, stopped=True, at=self._clock.now()))
        return Liveness.GONE

    def fence(self, batch: str, name: str, gen: int, *, is_settled: bool = False) -> bool:
        """Raise the run ref to `gen`, unless what went before has ended and is not settled."""
        worker = ProcessName(host=self._played.host, boot_id=BOOT, pid=1, started="0")
        at = self._clock.now()
        fence = RunRecord(batch=batch, name=name, gen=gen, token="", worker=worker, started_at=at)
        return self._refs.fence(fence, is_settled=is_settled)

    def runs(self) -> Mapping[tuple[str, str], int]:
        """List the runs that have a run ref."""
        return self._refs.generations()

    def forget(self, batch: str, name: str, gen: int) -> None:
        """Delete the run ref of a settled run; a newer generation stays untouched."""
        self._refs.delete(batch, name, gen)

    def log(self, batch: str, name: str, gen: int) -> bytes:
        """Have written nothing."""
        return b""

    def left_file(self, batch: str, name: str, gen: int, file: str) -> bytes | None:
        """Read a file of a run's folder."""
        path = Path(run_folder(self._common, batch, name, gen)) / file
        return path.read_bytes() if path.is_file() else None

    def wake_all(self) -> None:
        """Wake nobody: walks tick by themselves."""

    def post(self, key: Key, milestone: Milestone) -> None:
        """Post from inside a run."""
        self._refs.amend(*key, lambda record: replace(record, milestones=(*record.milestones, milestone)))

    def end(self, key: Key, end: RunEnd) -> None:
        """End a run's command; its worker records it, unless it is gone."""
        del self.live[key]
        if key in self.orphans:
            self.orphans.discard(key)
            return
        self._refs.amend(*key, lambda record: replace(record, end=end))

    def by_hand(self, lease: Lease, tree: str) -> RunOrder:
        """Give the order that a person who works by hand would have had."""
        return RunOrder(
            batch=lease.batch,
            name=str(lease.issue),
            gen=lease.gen,
            token=lease.token,
            argv=(),
            cwd=tree,
            folder="",
            repository=self._common,
            log_file="",
            timeout_s=0.0,
            output_bytes=0,
            kill_grace_s=0.0,
        )

    def lose_worker(self, key: Key, *, with_agent: bool) -> None:
        """Kill a worker, and its agent with it or not."""
        self.orphans.add(key)
        if with_agent:
            self.end(key, RunEnd(at=self._clock.now()))


class StillWaker:
    """Never sleeps: a walk decides when time passes."""

    def wait(self, timeout_s: float, ends_of: Iterable[ProcessName] = ()) -> bool:
        """Go on at once, as if woken."""
        return True

    def wake(self) -> None:
        """Wake nobody."""

    def close(self) -> None:
        """Have nothing to give back."""
