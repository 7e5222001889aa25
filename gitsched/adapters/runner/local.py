"""Runs as processes of this host: start them detached, look at them, end them.

Everything that a driver knows of a run comes from its run ref and from the kernel; nothing is remembered
here but which pids to reap, so a driver that was started just now sees as much as the one that started the run.
"""

import os
import shutil
import signal
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from gitsched.adapters.runner import alive
from gitsched.adapters.runner.ending import group_liveness, members, signal_each, signal_group
from gitsched.adapters.runner.launch import launch_worker
from gitsched.adapters.runner.names import (
    LOG_FILE,
    LOG_FROM,
    ORDER_FILE,
    PROMPT_FILE,
    RUN_VARIABLE,
    STOP_FILE,
    WORKER_OUTPUT,
    mark_of,
)
from gitsched.adapters.runner.refs import RunRefs
from gitsched.codec.runs import decode_order, encode_order
from gitsched.domain.ids import run_folder, run_id
from gitsched.domain.instants import Instant
from gitsched.domain.runs import ProcessName, RunLook, RunOrder, RunRecord
from gitsched.domain.words import Liveness
from gitsched.errors import InternalError, RecordUnreadableError
from gitsched.ports.runner import HostClock, Processes


class LocalRunner:
    """Starts workers on this host and reads runs of one clone."""

    def __init__(
        self, common: Path, refs: RunRefs, processes: Processes, clock: HostClock, wake: Callable[[], None]
    ) -> None:
        """Stand on a clone by its common git directory; `wake` wakes its drivers."""
        self._common = str(common)
        self._refs = refs
        self._processes = processes
        self._clock = clock
        self._wake = wake
        self._children: set[int] = set()

    def place(self, batch: str, name: str, gen: int, files: Mapping[str, bytes]) -> Path:
        """Make the folder of a run on this host, with these files in it, and name it; idempotent."""
        folder = self._folder(batch, name, gen)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        return folder

    def start(self, order: RunOrder, env: Mapping[str, str], stdin: bytes) -> None:
        """Start a detached worker for this order; `env` is the command's whole environment.

        `stdin` is written to the order's `stdin_file` (default: `prompt` in its folder). Does nothing when a
        worker of this run lives already. Raises InternalError when no process could be started.
        """
        self._reap()
        folder = Path(order.folder)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = alive.take(folder)
            if lock is None:
                return
            try:
                self._launch(order, env, stdin, lock)
            finally:
                os.close(lock)
        except (OSError, ValueError) as failed:
            run = run_id(order.batch, order.name, order.gen)
            raise InternalError(f"A worker for run {run} was to be started.", f"It could not be: {failed}.") from failed

    def look(self, batch: str, name: str, gen: int) -> RunLook:
        """Read one run as it stands: its record for this generation, and whether its worker and agent live.

        A generation that has been superseded has no record any more; its processes are found all the same.
        """
        self._reap()
        folder = self._folder(batch, name, gen)
        # The lock is asked first: a worker writes its last word before it gives the lock back.
        held = alive.is_held(folder)
        record = self._record(batch, name, gen)
        worker = Liveness.ALIVE if held else self._worker_liveness(record)
        agent = self._agent_liveness(record, worker, folder)
        if record is None and held and self._is_superseded(batch, name, gen) and self._left_behind(folder):
            agent = Liveness.ALIVE
        return RunLook(
            record=record,
            worker=worker,
            agent=agent,
            output_at=self._output_at(Path(record.log) if record and record.log else folder / LOG_FILE),
        )

    def stop(self, batch: str, name: str, gen: int, *, kill: bool) -> Liveness:
        """Send TERM (or KILL) to the agent's process group, identity checked, and tell what is left of it.

        A worker that has not started its agent yet is told not to. What has no record (a superseded
        generation) or no worker any more is found by the mark in its environment.
        """
        folder = self._folder(batch, name, gen)
        if folder.is_dir():
            (folder / STOP_FILE).touch()
        look = self.look(batch, name, gen)
        number = signal.SIGKILL if kill else signal.SIGTERM
        signalled = look.record is not None and signal_group(look.record, self._processes, number)
        if look.record is not None and not signalled and look.worker is Liveness.ALIVE:
            signal_each([look.record.worker], self._processes, signal.SIGTERM)
        if look.record is None or look.worker is Liveness.GONE:
            signal_each(self._left_behind(folder), self._processes, number)
        return self._left(batch, name, gen)

    def fence(self, batch: str, name: str, gen: int, *, is_settled: bool = False) -> bool:
        """Raise the run ref to `gen`, so that nothing an older generation posts counts; see `Runner.fence`."""
        fence = RunRecord(
            batch=batch,
            name=name,
            gen=gen,
            token="",
            worker=self._processes.own(),
            started_at=self._clock.now(),
        )
        return self._refs.fence(fence, is_settled=is_settled)

    def runs(self) -> Mapping[tuple[str, str], int]:
        """List the runs that have a run ref, by batch and name, with the generation that it stands at."""
        return self._refs.generations()

    def forget(self, batch: str, name: str, gen: int) -> None:
        """Delete the run ref and folders of a run that is settled in the state; a newer generation stays untouched."""
        self._refs.delete(batch, name, gen)
        runs = self._folder(batch, name, gen).parent
        for folder in runs.glob("*"):
            if folder.name.isdigit() and int(folder.name) <= gen:
                shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # other runs are there
            runs.rmdir()
            runs.parent.rmdir()

    def log(self, batch: str, name: str, gen: int) -> bytes:
        """Read the whole log of a run on this host; empty when there is none."""
        record = self._record(batch, name, gen)
        path = Path(record.log) if record and record.log else self._folder(batch, name, gen) / LOG_FILE
        try:
            with path.open("rb") as file:
                file.seek(int(record.extra.get(LOG_FROM, 0)) if record else 0)
                return file.read()
        except FileNotFoundError:
            return b""

    def left_file(self, batch: str, name: str, gen: int, file: str) -> bytes | None:
        """Read a file of a run's folder; None when there is none, or it is not a plain file."""
        path = self._folder(batch, name, gen) / file
        try:
            # What a run left could be a link to anything, or a pipe that nobody writes to.
            opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            return None
        with open(opened, "rb") as content:
            return content.read()

    def wake_all(self) -> None:
        """Wake every driver of this clone that waits."""
        self._wake()

    def _launch(self, order: RunOrder, env: Mapping[str, str], stdin: bytes, lock: int) -> None:
        folder = Path(order.folder)
        # The worker gives the mark to its command alone, so that the mark finds commands and no worker.
        env = {name: value for name, value in env.items() if name != RUN_VARIABLE}
        prompt = Path(order.stdin_file or folder / PROMPT_FILE)
        prompt.write_bytes(stdin)
        written = folder / f"{ORDER_FILE}.new"
        written.write_bytes(encode_order(order))
        written.replace(folder / ORDER_FILE)  # whole or not at all, whenever this process is killed
        self._children.add(launch_worker(folder / ORDER_FILE, folder / WORKER_OUTPUT, lock, env))

    def _reap(self) -> None:
        """Let workers of ours that have ended go; others' are none of our business."""
        for pid in tuple(self._children):
            try:
                ended, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                ended = pid
            if ended:
                self._children.discard(pid)

    def _folder(self, batch: str, name: str, gen: int) -> Path:
        return Path(run_folder(self._common, batch, name, gen))

    def _record(self, batch: str, name: str, gen: int) -> RunRecord | None:
        record = self._refs.read(batch, name)
        return record if record is not None and record.gen == gen and not record.is_fence else None

    def _is_superseded(self, batch: str, name: str, gen: int) -> bool:
        record = self._refs.read(batch, name)
        return record is not None and record.gen > gen

    def _worker_liveness(self, record: RunRecord | None) -> Liveness:
        return Liveness.GONE if record is None else self._processes.liveness(record.worker)

    def _agent_liveness(self, record: RunRecord | None, worker: Liveness, folder: Path) -> Liveness:
        if record is not None and record.agent is not None:
            return group_liveness(record, self._mark(folder), self._processes)
        if record is not None and record.end is not None:
            return Liveness.GONE
        if worker is not Liveness.GONE:
            return Liveness.UNKNOWN
        # Its worker may have died between starting the agent and writing that down.
        return Liveness.ALIVE if self._left_behind(folder) else Liveness.GONE

    def _left_behind(self, folder: Path) -> list[ProcessName]:
        mark = self._mark(folder)
        return members(self._processes, mark, None)

    def _left(self, batch: str, name: str, gen: int) -> Liveness:
        look = self.look(batch, name, gen)
        return look.worker if look.agent is Liveness.UNKNOWN else look.agent

    def _mark(self, folder: Path) -> str:
        """Give the mark that everything of a run carries; empty when no whole order for it is on this host."""
        try:
            return mark_of(decode_order((folder / ORDER_FILE).read_bytes()))
        except (FileNotFoundError, RecordUnreadableError):
            return ""

    def _output_at(self, log: Path) -> Instant | None:
        try:
            return self._clock.dated(log.stat().st_mtime)
        except FileNotFoundError:
            return None
