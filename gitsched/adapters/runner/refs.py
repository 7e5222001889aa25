"""Run refs: the record of each run, and who may write to it.

A generation that has been fenced off or superseded is never written to again; the worker of a run and the
posts from inside it are the only writers of their generation.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event

from gitsched.adapters.git.blobref import BlobRefs, Held
from gitsched.codec.runs import decode_run, encode_run
from gitsched.domain.ids import RUNS_PREFIX, run_ref
from gitsched.domain.runs import RunRecord
from gitsched.errors import BusyError, RecordUnreadableError

Change = Callable[[RunRecord | None], RunRecord | None]
_FIRST_PAUSE_S = 0.002
_LONGEST_PAUSE_S = 0.5
_PATIENCE_S = 30.0


class RunRefs:
    """The run refs of one repository."""

    def __init__(
        self, refs: BlobRefs, unstick: Callable[[str], None] = lambda _ref: None, patience_s: float = _PATIENCE_S
    ) -> None:
        """Stand on a repository's refs.

        `patience_s` bounds the pauses after lost races; then `unstick` is called with the ref, to move a dead
        process's lock out of the way, and there is one more attempt.
        """
        self._refs = refs
        self._unstick = unstick
        self._patience_s = patience_s

    def read(self, batch: str, name: str) -> RunRecord | None:
        """Read the record; None when there is none. Raises RecordUnreadableError."""
        ref = run_ref(batch, name)
        held = self._refs.read(ref)
        return _decoded(held, ref)

    def claim(self, record: RunRecord) -> bool:
        """Write a worker's first record; False when another worker has its generation, or there is a newer one."""

        def claimed(found: RunRecord | None) -> RunRecord | None:
            free = found is None or found.gen < record.gen or (found.gen == record.gen and found.is_fence)
            return record if free else None

        return self._change(record.batch, record.name, claimed) is not None

    def amend(self, batch: str, name: str, gen: int, change: Callable[[RunRecord], RunRecord]) -> RunRecord | None:
        """Change the record of that very generation; None when the run ref does not stand at it (any more)."""

        def amended(found: RunRecord | None) -> RunRecord | None:
            return change(found) if found is not None and found.gen == gen and not found.is_fence else None

        return self._change(batch, name, amended)

    def fence(self, fence: RunRecord, *, is_settled: bool = False) -> bool:
        """Raise the ref to the generation of `fence`, a record without a token; never lowers it.

        False, and nothing is changed, where the generation right before it has ended meanwhile: unless that
        `is_settled`, its end would be lost.
        """
        assert fence.is_fence
        has_ended = False

        def fenced(found: RunRecord | None) -> RunRecord | None:
            nonlocal has_ended
            has_ended = found is not None and found.gen == fence.gen - 1 and found.end is not None and not is_settled
            return fence if not has_ended and (found is None or found.gen < fence.gen) else None

        self._change(fence.batch, fence.name, fenced)
        return not has_ended

    def generations(self) -> dict[tuple[str, str], int]:
        """List the runs that have a ref, by batch and name, with the generation that it stands at."""
        found: dict[tuple[str, str], int] = {}
        for ref in self._refs.below(RUNS_PREFIX):
            batch, _, name = ref.removeprefix(RUNS_PREFIX).partition("/")
            record = self.read(batch, name)
            if record is not None:
                found[batch, name] = record.gen
        return found

    def delete(self, batch: str, name: str, gen: int) -> None:
        """Delete the ref while it stands at this generation or an older one."""
        ref = run_ref(batch, name)

        def attempt() -> str | None:
            held = self._refs.read(ref)
            found = _decoded(held, ref)
            if held is None or (found is not None and found.gen > gen):
                return None
            return self._refs.swap(ref, held.oid, None)

        self._retry(ref, attempt)

    def _change(self, batch: str, name: str, decide: Change) -> RunRecord | None:
        """Write what `decide` makes of the present record, again after a lost race; None when it wants nothing."""
        ref = run_ref(batch, name)
        wanted: RunRecord | None = None

        def attempt() -> str | None:
            nonlocal wanted
            held = self._refs.read(ref)
            wanted = decide(_decoded(held, ref))
            if wanted is None:
                return None
            return self._refs.swap(ref, None if held is None else held.oid, encode_run(wanted))

        self._retry(ref, attempt)
        return wanted

    def _retry(self, ref: str, attempt: Callable[[], str | None]) -> None:
        """Repeat `attempt` until it answers None, with jittered pauses. Raises BusyError when patience ends."""
        waited_s, pause_s = 0.0, _FIRST_PAUSE_S
        while attempt() is not None:
            if waited_s >= self._patience_s:
                return self._last_attempt(ref, attempt)
            pause = pause_s * (0.5 + os.urandom(1)[0] / 512)
            Event().wait(pause)
            waited_s += pause
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
        return None

    def _last_attempt(self, ref: str, attempt: Callable[[], str | None]) -> None:
        self._unstick(ref)
        if (lost := attempt()) is not None:
            raise BusyError(
                f"'{ref}' was to be changed.",
                f"Others kept it for {self._patience_s:.0f} s: {lost}.",
                f"Try again; when nothing else runs, look for '{Path(ref).name}.lock' beside it.",
            )


def _decoded(held: Held | None, ref: str) -> RunRecord | None:
    """Read what a run ref holds. An agent shares the repository and can write there: what is no record says nothing."""
    if held is None:
        return None
    try:
        return decode_run(held.data, ref, held.oid)
    except RecordUnreadableError:
        return None
