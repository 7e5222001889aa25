"""Run one order to its end and record it."""

import secrets
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.codec.plain import last_lines
from gitsched.codec.redact import Redactor
from gitsched.domain.runs import POST_TOKEN, ProcessName, RunEnd, RunOrder, RunRecord, digest_of
from gitsched.engine.worker.child import start
from gitsched.engine.worker.output import Output
from gitsched.engine.worker.pulse import pulse
from gitsched.engine.worker.remains import Named, Remains
from gitsched.engine.worker.signals import Signals
from gitsched.engine.worker.tools import Tools
from gitsched.engine.worker.watch import Watch
from gitsched.errors import GitschedError

if TYPE_CHECKING:
    from gitsched.codec.usage import Findings

_TAIL_CHARS = 4_000
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_PATIENCE_S = 3_600.0
"""How long the end of a run is kept when it cannot be written: a full disk may get room again."""


def work(order: RunOrder, tools: Tools) -> bool:
    """Run the order's command and record its end; False when its generation was not free, and nothing ran."""
    signals = Signals(ends_at_int=tools.ends_at_int)
    # Made here and handed to the command alone: no file, record, argv or driver ever holds it.
    tools = replace(tools, env={**tools.env, POST_TOKEN: secrets.token_hex(32)})
    if not tools.ledger.claim(_claim(order, tools)):
        return False
    Worker(order, tools, signals).run()
    return True


class Worker:
    """One claimed run."""

    def __init__(self, order: RunOrder, tools: Tools, signals: Signals) -> None:
        """Work on an order whose generation has been claimed."""
        self._order = order
        self._tools = tools
        self._signals = signals
        self._started_s = tools.clock.monotonic_s()
        self._slept_s = tools.clock.slept_s()
        hidden = (tools.env.get(name, "") for name in (*order.secrets, POST_TOKEN))
        self._output = Output(Path(order.log_file), order.output_bytes, Redactor(hidden))

    def run(self) -> None:
        """Start the command, follow it, and record how it ended."""
        if self._stop_asked:
            self._record(RunEnd(stopped=True, at=""))
            return
        self._tools.processes.adopt_orphans()
        child = start(self._order, self._tools)
        if isinstance(child, str):
            self._record(RunEnd(spawn_error=child, at=""))
            return
        with child:
            agent = self._tools.processes.named(child.pid)
            # A command that has ended by now needs no word: its end says everything.
            if agent is not None and not self._tell_started(agent, child.pid):
                self._signals.term_asked = True
            self._see_through(child)

    def _see_through(self, child: "subprocess.Popen[bytes]") -> None:
        # Loaded while the command runs, so that neither its start nor its end waits for them.
        from gitsched.codec.usage import read_output

        watch = Watch(self._order, child, self._output, self._signals, self._tools)
        with pulse(self._tools.beat):
            watch.follow()
        watch.read_rest()
        remains = Remains(child, self._signals, self._tools)
        survivors = remains.end_group()
        watch.read_rest()
        self._output.finish()
        found = read_output(self._order.usage, self._output.read_back(), self._tools.clock.now())
        ended = replace(_ended(child.returncode, found, survivors), budget=watch.used_up or found.budget)
        self._record(replace(ended, timed_out=watch.timed_out, stopped=self._stop_asked and not watch.timed_out))
        remains.end_survivors(survivors)

    def _tell_started(self, agent: ProcessName, group: int) -> bool:
        """Record the agent; False when a newer generation has come, and this one must not go on."""

        def started(record: RunRecord) -> RunRecord:
            return replace(record, agent=agent, group=group)

        return self._amend(started)

    def _record(self, end: RunEnd) -> None:
        """Complete the end, write it on the run ref and wake the drivers.

        A run that has been superseded writes nothing: it is nobody's concern any more.
        """
        head = self._tools.head_of(self._order.head_of) if self._order.head_of else None
        whole = replace(
            end,
            at=self._tools.clock.now(),
            head=head,
            output_cut=self._output.is_cut,
            tail=last_lines(self._output.recent, _TAIL_CHARS),
            duration_ms=round((self._tools.clock.monotonic_s() - self._started_s) * 1000),
        )
        slept_ms = round((self._tools.clock.slept_s() - self._slept_s) * 1000)

        def ended(record: RunRecord) -> RunRecord:
            extra = {**record.extra, "slept_ms": slept_ms} if slept_ms else record.extra
            return replace(record, end=whole, extra=extra)

        self._amend(ended)
        self._tools.wake()
        self._tools.share()

    def _amend(self, change: Callable[[RunRecord], RunRecord]) -> bool:
        order, pause_s = self._order, _FIRST_PAUSE_S
        until_s = self._tools.clock.monotonic_s() + _PATIENCE_S
        while True:
            try:
                return self._tools.ledger.amend(order.batch, order.name, order.gen, change) is not None
            except GitschedError:
                if self._tools.clock.monotonic_s() >= until_s:
                    raise
                self._signals.wait(pause_s)
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    @property
    def _stop_asked(self) -> bool:
        return self._signals.term_asked or self._tools.stop_asked()


def _ended(status: int, found: "Findings", survivors: tuple[Named, ...]) -> RunEnd:
    return RunEnd(
        code=status if status >= 0 else None,
        signal=-status if status < 0 else None,
        at="",
        survivors=tuple(f"{process.pid} {called}" for process, called in survivors),
        usage=found.usage,
        provider=found.provider.fields() if found.provider else None,
        waiting=found.waiting,
        last_tool=found.last_tool,
    )


def _claim(order: RunOrder, tools: Tools) -> RunRecord:
    log = Path(order.log_file)
    log_from = log.stat().st_size if log.exists() else 0
    return RunRecord(
        batch=order.batch,
        name=order.name,
        gen=order.gen,
        token=order.token,
        post_token_sha256=digest_of(tools.env[POST_TOKEN]),
        worker=tools.processes.own(),
        started_at=tools.clock.now(),
        log=order.log_file,
        extra={"log_from": log_from} if log_from else {},
    )
