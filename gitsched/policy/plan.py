"""Plan: one pass of policy over everything. `plan(situation)` touches nothing and gives the same for the same.

1. What is live comes first: runs and jobs are settled, so that the slots they free are filled in the same tick.
2. Then batches move, then rows of the queue, then free slots are filled.
3. Drivers that are gone are marked before anything that depends on it.
4. Without the remote, where one is the authority, nothing is decided.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from gitsched.domain.effects import Effect, LoseDriver
from gitsched.domain.instants import seconds_between
from gitsched.domain.words import Liveness
from gitsched.policy.admit import Admissions, admissions, landing_waits
from gitsched.policy.batches import batch_steps
from gitsched.policy.entries import entry_steps
from gitsched.policy.follow_up import follow_up_steps
from gitsched.policy.gaps import batches_wake, owed_steps
from gitsched.policy.health import ending, endings_at
from gitsched.policy.hosts import waits_for_the_remote
from gitsched.policy.runs import job_steps, lease_steps, next_timer_s, tree_steps, unleased_steps
from gitsched.policy.schedule import closing_times, schedule_steps
from gitsched.policy.situation import Situation


class Plan(Struct, frozen=True, kw_only=True):
    """What is to be done now, why the rest waits, and when to look again though nothing happens."""

    effects: tuple[Effect, ...]
    waits: Mapping[int, tuple[str, ...]]
    """By issue: every reason of everyone who waits."""
    wake_after_s: float | None
    """None: only an event can change anything."""


def plan(situation: Situation) -> Plan:
    """Decide what to do now."""
    admitted = admissions(situation)
    if situation.facts.remote is not None:
        return Plan(effects=(), waits=waits_of(situation, admitted), wake_after_s=None)
    effects = [
        *_driver_steps(situation),
        *_health_steps(situation),
        *lease_steps(situation),
        *unleased_steps(situation),
        *job_steps(situation),
        *batch_steps(situation),
        *entry_steps(situation),
        *schedule_steps(situation),
        *admitted.effects,
        *owed_steps(situation),
        *follow_up_steps(situation),
        *tree_steps(situation, situation.facts.host),
    ]
    return Plan(
        effects=tuple(effects),
        waits=waits_of(situation, admitted),
        wake_after_s=min(_timers_s(situation, admitted), default=None),
    )


def waits_of(situation: Situation, admitted: Admissions) -> dict[int, tuple[str, ...]]:
    """List by issue why everyone waits who does."""
    waits = {**landing_waits(situation), **admitted.waits}
    return waits if situation.facts.remote is None else waits_for_the_remote(situation, waits)


def _health_steps(situation: Situation) -> Iterator[Effect]:
    over = ending(situation.state.control, situation.facts.now)
    if over is not None:
        yield over


def _timers_s(situation: Situation, admitted: Admissions) -> Iterator[float]:
    """Tell when leases need something; and when what somebody waits for is over by itself."""
    lease_s = next_timer_s(situation)
    if lease_s is not None:
        yield lease_s
    leased_at = endings_at(situation.state.control) if situation.state.leases else ()
    for at in (*admitted.wakes_at, *leased_at, *closing_times(situation), *batches_wake(situation)):
        yield max(0.0, seconds_between(situation.facts.now, at))


def _driver_steps(situation: Situation) -> Iterator[Effect]:
    for driver in sorted(situation.state.drivers):
        if situation.driver_is(driver) is Liveness.GONE:
            yield LoseDriver(driver)
