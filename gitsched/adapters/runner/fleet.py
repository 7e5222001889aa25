"""Runs that workers on other machines have: ordered by a ref, followed by their run ref, ended by a word on a ref.

Beside the run ref of such a run there are up to three more, whose names go on with generation and token: the `order`
(its worker claims it together with the run ref, so that neither can be had without the other), the `log` once it has
ended, and the word to `stop`. Everything else, and every run that was started here, is the business of the runner that
this one stands before.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from gitsched.adapters.git.blobref import BlobRefs
from gitsched.adapters.runner.refs import RunRefs
from gitsched.codec.runs import decode_far, encode_far
from gitsched.domain.ids import RUNS_PREFIX, far_ref, far_run, run_ref
from gitsched.domain.instants import seconds_between
from gitsched.domain.runs import FORGE_JOB, OUTPUT_AT, FarOrder, RunLook, RunOrder, RunRecord
from gitsched.domain.state import RefMove
from gitsched.domain.words import Liveness
from gitsched.errors import RecordUnreadableError
from gitsched.ports.runner import HostClock, Processes, Runner

ORDER, LOG, STOP = "order", "log", "stop"
_SENT = "sent"
"""A file in the folder of a run: a worker was asked for, and what the machine that was asked calls its job."""
_SENT_AGAIN_S = 30.0


class Starter(Protocol):
    """Asks some other machine for a worker."""

    def start(self, run: str, folder: Path) -> str | None:
        """Ask for one; the job's name, empty where it has none, or None: nobody was reached, ask again later."""

    def liveness(self, run: str, job: str) -> Liveness | None:
        """Tell how the job stands; None: only its signs of life tell."""

    def cancel(self, run: str, job: str) -> None:
        """End the job, as far as that machine can be told to."""


class Sharing(Struct, frozen=True):
    """What there is of a store whose authority is a remote."""

    afterwards: Callable[[Callable[[], None]], None]
    """Does something once what waits of this process is accepted."""
    settle: Callable[[], None]
    carry: Callable[[], object]
    has_waiting: Callable[[], bool]
    catch_up: Callable[[], object]


class FleetRunner:
    """Stands before the runner of this host."""

    def __init__(  # many-parameters: the neighbours of a runner, and the machine that is asked
        self,
        here: Runner,
        refs: BlobRefs,
        neighbours: tuple[Processes, HostClock],
        starter: Starter,
        sharing: Sharing,
        start_timeout_s: float,
    ) -> None:
        """Remember nothing yet."""
        self._here = here
        self._refs = refs
        self._runs = RunRefs(refs)
        self._processes, self._clock = neighbours
        self._starter = starter
        self._sharing = sharing
        self._start_timeout_s = start_timeout_s
        self._seen_s: dict[str, float] = {}
        self._asked_s: dict[str, float] = {}
        self._sending: set[tuple[str, str, int]] = set()

    def move_for(self, order: FarOrder) -> RefMove:
        """Write an order down, and give the move of its ref."""
        name = far_ref(_run_of(order), ORDER)
        before = self._refs.read(name)
        return RefMove(name, before.oid if before is not None else None, self._refs.write(encode_far(order)))

    def send(self, batch: str, name: str, gen: int) -> None:
        """Ask for a worker once the order is accepted."""

        def ask() -> None:
            order = self._order(batch, name, gen)
            if order is not None:
                self._ask(order)

        self._sending.add((batch, name, gen))
        self._sharing.afterwards(ask)

    def look(self, batch: str, name: str, gen: int) -> RunLook:
        """Read one run as it stands, wherever it is worked."""
        if not self._sharing.has_waiting():
            self._sending.clear()
        order = self._order(batch, name, gen)
        if order is None and (batch, name, gen) in self._sending:
            return RunLook(record=None, worker=Liveness.UNKNOWN, is_far=True)
        if order is None:
            return self._here.look(batch, name, gen)
        look = self._look(order)
        if look.worker is Liveness.GONE and not _is_over(look) and not self._sharing.has_waiting():
            # Its last word may have come to the remote since that was asked.
            self._sharing.catch_up()
            look = self._look(order)
        return look

    def _look(self, order: FarOrder) -> RunLook:
        gen, found = order.order.gen, self._runs.read(order.order.batch, order.order.name)
        if found is not None and found.gen > gen:
            return RunLook(record=None, worker=Liveness.GONE, agent=Liveness.GONE, is_far=True)
        record = found if found is not None and found.gen == gen and not found.is_fence else None
        worker = self._unclaimed(order) if record is None else self._claimed(order, record)
        return RunLook(
            record=record,
            worker=worker,
            agent=Liveness.GONE if worker is Liveness.GONE else Liveness.UNKNOWN,
            output_at=record.extra.get(OUTPUT_AT) if record is not None else None,
            is_far=True,
        )

    def stop(self, batch: str, name: str, gen: int, *, kill: bool) -> Liveness:
        """Leave word for the worker that its run is to end; KILL also ends its job where that can be told to."""
        order = self._order(batch, name, gen)
        if order is None:
            return self._here.stop(batch, name, gen, kill=kill)
        self._sharing.settle()
        run = _run_of(order)
        word = self._refs.read(far_ref(run, STOP))
        self._refs.swap(far_ref(run, STOP), word.oid if word is not None else None, b"kill" if kill else b"term")
        self._sharing.carry()
        if kill:
            self._starter.cancel(run, self._job(order, self._runs.read(batch, name)))
        return self.look(batch, name, gen).worker

    def fence(self, batch: str, name: str, gen: int, *, is_settled: bool = False) -> bool:
        """Raise the run ref to `gen`; a worker elsewhere finds that out before anything of it counts."""
        return self._here.fence(batch, name, gen, is_settled=is_settled)

    def runs(self) -> Mapping[tuple[str, str], int]:
        """List the runs that have a run ref or an order, with the generation each stands at."""
        found = dict(self._here.runs())
        for ref in self._refs.below(RUNS_PREFIX):
            order = self._read(ref) if ref.endswith(f".{ORDER}") else None
            if order is not None:
                key = (order.order.batch, order.order.name)
                found[key] = max(found.get(key, 0), order.order.gen)
        return found

    def forget(self, batch: str, name: str, gen: int) -> None:
        """Delete everything of a run that is settled in the state; a newer generation stays untouched."""
        self._here.forget(batch, name, gen)
        self._sharing.afterwards(lambda: self._drop(batch, name, gen))

    def log(self, batch: str, name: str, gen: int) -> bytes:
        """Read the whole log of a run, where it has come here."""
        order = self._order(batch, name, gen)
        if order is None:
            return self._here.log(batch, name, gen)
        held = self._refs.read(far_ref(_run_of(order), LOG))
        return held.data if held is not None else b""

    def left_file(self, batch: str, name: str, gen: int, file: str) -> bytes | None:
        """Read a file of a run's folder; of one elsewhere those that were sent there."""
        order = self._order(batch, name, gen)
        if order is None:
            return self._here.left_file(batch, name, gen, file)
        return order.files[file].encode() if file in order.files else None

    def place(self, batch: str, name: str, gen: int, files: Mapping[str, bytes]) -> Path:
        """Make the folder of a run on this host."""
        return self._here.place(batch, name, gen, files)

    def start(self, order: RunOrder, env: Mapping[str, str], stdin: bytes) -> None:
        """Start a worker on this host: jobs are run where their driver is."""
        self._here.start(order, env, stdin)

    def wake_all(self) -> None:
        """Wake every driver of this clone that waits."""
        self._here.wake_all()

    def _ask(self, order: FarOrder) -> None:
        one, run = order.order, _run_of(order)
        self._asked_s[run] = time.monotonic()
        folder = self._here.place(one.batch, one.name, one.gen, {})
        job = self._starter.start(run, folder)
        if job is not None:
            self._here.place(one.batch, one.name, one.gen, {_SENT: job.encode()})

    def _unclaimed(self, order: FarOrder) -> Liveness:
        """Say whether a worker may still come; one that nobody was asked for, as far as is known here, is asked for."""
        run, now_s = _run_of(order), time.monotonic()
        waited_s = now_s - self._seen_s.setdefault(run, now_s)
        is_ours = order.host == self._processes.own().host
        if is_ours:  # clocks of other hosts are not believed
            waited_s = max(waited_s, seconds_between(order.ordered_at, self._clock.now()))
        if waited_s >= self._start_timeout_s:
            return Liveness.GONE
        sent = self._sent(order)
        if sent is None:
            if is_ours and now_s - self._asked_s.get(run, float("-inf")) >= _SENT_AGAIN_S:
                self._ask(order)
            return Liveness.UNKNOWN
        told = self._starter.liveness(run, sent)
        return Liveness.GONE if told is Liveness.GONE else Liveness.UNKNOWN

    def _claimed(self, order: FarOrder, record: RunRecord) -> Liveness:
        if record.end is not None:
            return Liveness.GONE
        told = self._starter.liveness(_run_of(order), self._job(order, record))
        if told is None:
            told = self._processes.liveness(record.worker)
        return Liveness.GONE if told is Liveness.GONE else Liveness.ALIVE

    def _job(self, order: FarOrder, record: RunRecord | None) -> str:
        named = record.extra.get(FORGE_JOB) if record is not None else None
        return str(named or self._sent(order) or "")

    def _sent(self, order: FarOrder) -> str | None:
        one = order.order
        text = self._here.left_file(one.batch, one.name, one.gen, _SENT)
        return text.decode() if text is not None else None

    def _order(self, batch: str, name: str, gen: int) -> FarOrder | None:
        """Find the order of a run; the newest, should one that nobody needs any more be left."""
        found = [self._read(ref) for ref in self._refs.below(f"{run_ref(batch, name)}.{gen}.") if ref.endswith(ORDER)]
        return max((one for one in found if one is not None), key=lambda one: one.ordered_at, default=None)

    def _read(self, ref: str) -> FarOrder | None:
        held = self._refs.read(ref)
        try:
            return decode_far(held.data, ref, held.oid) if held is not None else None
        except RecordUnreadableError:
            return None  # whoever can push can write there: what is no order says nothing

    def _drop(self, batch: str, name: str, gen: int) -> None:
        prefix = f"{run_ref(batch, name)}."
        for ref in self._refs.below(prefix):
            number = ref.removeprefix(prefix).partition(".")[0]
            held = self._refs.read(ref) if number.isdigit() and int(number) <= gen else None
            if held is not None:
                self._refs.swap(ref, held.oid, None)


def _is_over(look: RunLook) -> bool:
    """Say whether a run has told its end, or was fenced off."""
    return look.record is not None and look.record.end is not None


def _run_of(order: FarOrder) -> str:
    one = order.order
    return far_run(one.batch, one.name, one.gen, one.token)
