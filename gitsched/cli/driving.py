"""Driving from the command line: what is looked at first, the two Ctrl-Cs, progress, and the exit code."""

import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from gitsched.cli.call import Call
from gitsched.cli.fault import contained
from gitsched.domain.ids import branch_ref
from gitsched.domain.words import TERMINAL_BATCHES
from gitsched.errors import BusyError, ConfigError, InterruptedByUserError, PausedError, RefusedError, TemporaryError

if TYPE_CHECKING:
    from gitsched.domain.state import State
    from gitsched.engine.driver import Driver, Until
    from gitsched.wiring.clone import Clone


def refuse_unready(clone: "Clone") -> None:
    """Raise what stands against any run here: no suite, no target to begin from, no key to sign with as asked for."""
    settings = clone.settings
    if not settings.suite.is_declared:
        raise RefusedError(
            "Work was to be driven.",
            "gitsched.toml declares no suite, so nothing could prove the work.",
            'Write these lines into gitsched.toml: [suite] / run = ["make", "test"] / timeout = "30m".',
        )
    refuse_missing_target(clone, settings.project.target)
    from gitsched.wiring.signing import check_key

    check_key(settings, clone.root)


def refuse_missing_target(clone: "Clone", target: str) -> None:
    """Raise what stands against shipping to a branch: no commit at all, or no such branch."""
    if clone.refs.resolve(branch_ref(target)) is not None:
        return
    asked = f"Batches were to begin from the branch '{target}'."
    if not clone.refs.below("refs/heads/"):
        raise RefusedError(asked, "The repository has no commit yet.", "Make one: `git commit --allow-empty -m Begin`.")
    raise ConfigError(asked, "There is no such branch.", f"`git branch {target}` makes it; or change project.target.")


def drive(call: Call, until: "Until", issues: Collection[int] | None, at_most: int | None = None) -> int:
    """Drive until then, tell progress on standard error and the outcome on standard output.

    `at_most` bounds the runs on this machine for as long as that takes.
    """
    from gitsched.cli.live import progress_of
    from gitsched.wiring.operator import configuration_difference, unmeasured_caps

    difference = configuration_difference(call.clone)
    for told in (*([difference] if difference is not None else []), *unmeasured_caps(call.clone)):
        call.remark(told)
    before = call.clone.store.read()
    driver = call.clone.driver(contained, at_most)
    with _interruptible(call, driver), progress_of(call) as tell:
        ending = driver.run(until, issues, tell, call.remark)
    if ending.is_paused and not ending.interrupted:
        reason = call.clone.store.read().control.pause_reason
        told = "Scheduling is paused, and nothing is live." + (f" Its reason: {reason}." if reason else "")
        raise PausedError("Work was to be driven.", told, "`gitsched resume` lets it go on.")
    if ending.is_unreachable and not ending.interrupted:
        against = "What is left waits for a forge or remote that does not answer, and nothing is live."
        raise TemporaryError("Work was to be driven.", against, "The same command goes on once it answers.")
    if ending.is_elsewhere and not ending.interrupted:
        raise BusyError(
            "Work was to be driven.", "What is live runs on another machine, whose driver goes on.", "Come again."
        )
    _tell_outcome(call, _changed(before, call.clone.store.read()) if issues is None else issues)
    if ending.interrupted:
        raise InterruptedByUserError(
            "The driver was asked to end.", "What is left has not been started.", "The same command continues."
        )
    return 1 if ending.went_wrong else 0


def _changed(before: "State", after: "State") -> list[int]:
    """List the issues whose row changed, or that are in a batch which did: it may be all that stands still."""
    rows = {issue for issue, row in after.entries.items() if row != before.entries.get(issue)}
    for batch in after.batches.values():
        if batch != before.batches.get(batch.id) and batch.status not in TERMINAL_BATCHES:
            rows.update(slot.issue for slot in batch.members)
    return sorted(rows)


def _tell_outcome(call: Call, issues: Collection[int]) -> None:
    if call.is_quiet or not issues:
        return
    from gitsched.cli.looking import picture_of
    from gitsched.view.outcome import render_outcome

    call.show(render_outcome(picture_of(call.clone), sorted(issues), call.look))


@contextmanager
def _interruptible(call: Call, driver: "Driver") -> Iterator[None]:
    """Give the first two Ctrl-Cs to the driver; the third ends this process at once."""
    count = 0

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count > 2:
            raise KeyboardInterrupt
        told = "Nothing new starts; Ctrl-C again ends the agents." if count == 1 else "Ending the agents; work is kept."
        call.remark(told)
        driver.interrupt()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
