"""The table of admission: every reason why somebody does not start, alone and beside a full house."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import Struct

from gitsched.config.parse import parse_settings
from gitsched.config.settings import Settings
from gitsched.domain.costs import DayCosts
from gitsched.domain.effects import Admit, FormSolo, StartBatch
from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Record, Schedule
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.words import BatchStatus, Dispatch, EntryStatus, MemberStatus
from gitsched.policy.admit import admissions, landing_waits
from gitsched.view.words import REASONS
from tests.policy.situations import (
    a_batch,
    a_driver,
    a_lease,
    a_member,
    a_situation,
    a_state,
    an_entry,
    at,
    settings,
)

ISSUE = 9
QUEUED = an_entry(ISSUE)
RUNS = (a_batch(1), a_member(1, MemberStatus.RUNNING, files=("x",)), a_lease(1))
AWAY: Mapping[str, Any] = {"batch": "busy", "profile": "plain"}
BUSY = (a_batch(90, id="busy"), a_member(90, MemberStatus.RUNNING, **AWAY), a_lease(90, **AWAY))
"""Somebody who has nothing to do with the candidate, and has a slot."""
SUITELESS = '[agents]\ndefault = "fake"\n[agents.fake]\ncommand = ["fake"]\n'


class Row(Struct, frozen=True, kw_only=True):
    """What stands against issue 9, and the one reason that it gives."""

    reason: str
    records: tuple[Record, ...] = (QUEUED,)
    config: Settings | None = None
    facts: Mapping[str, Any] = {}
    control: Mapping[str, Any] = {}


def _issue(**fields: Any) -> Mapping[str, Any]:
    return {"issues": {ISSUE: Issue(number=ISSUE, title="t", **fields)}}


def _booked(**fields: Any) -> tuple[Record, ...]:
    given = {"window": "22:00-06:00", "zone": "UTC", "status": ScheduleStatus.WAITING, **fields}
    return (QUEUED, Schedule(id="s1", issues=(ISSUE,), created_at=at(0), opens_at="2026-01-01T22:00:00.000Z", **given))


def _second(**batch: Any) -> tuple[Record, ...]:
    """Let issue 9 be the second member of a batch whose first one runs."""
    given: dict[str, Any] = {"parallelism": 4, **batch}
    return (a_batch(1, ISSUE, **given), a_member(1, MemberStatus.RUNNING), a_lease(1), a_member(ISSUE))


TABLE = [
    Row(reason="paused", control={"paused": True}),
    Row(reason="verification-undeclared", config=parse_settings(SUITELESS)),
    Row(reason="disk-floor", facts={"disk_low": True}),
    Row(reason="label:epic", facts=_issue(labels=("epic",))),
    Row(reason="closed", facts=_issue(is_open=False)),
    Row(reason="remote-unreachable", facts={"issues": Unreachable(what="forge", detail="away")}),
    Row(reason="dep-failed:3", records=(an_entry(ISSUE, EntryStatus.BLOCKED, reason="dep-failed:3"),)),
    Row(reason="held:later", records=(an_entry(ISSUE, hold="later"),)),
    Row(reason="dependency:1", records=(*RUNS, an_entry(ISSUE, deps=(1,)))),
    Row(
        reason="worker-not-gone",
        records=(a_driver("other"), a_batch(ISSUE), a_member(ISSUE), a_lease(ISSUE, driver="other")),
    ),
    Row(reason="not-sealed", records=(a_batch(ISSUE, status=BatchStatus.FORMING), a_member(ISSUE))),
    Row(
        reason="held:base-red",
        records=(a_batch(ISSUE, status=BatchStatus.BLOCKED, reason="base-red"), a_member(ISSUE)),
    ),
    Row(reason="serial:1", records=_second(dispatch=Dispatch.SERIAL, groups=((1, ISSUE),))),
    Row(reason="parallelism", records=_second(parallelism=1)),
    Row(reason="window:2026-01-01T22:00:00.000Z", records=_booked()),
    Row(reason="approval", records=_booked(needs_approval=True, status=ScheduleStatus.VALIDATED)),
    Row(reason="held:missed-window", records=_booked(status=ScheduleStatus.HUMAN_REQUIRED, reason="missed-window")),
    Row(reason="held:cancelled", records=_booked(status=ScheduleStatus.CANCEL_REQUESTED)),
    Row(
        reason="budget:day.runs",
        records=(QUEUED, DayCosts(day="2026-01-01", profiles={"fake": {"runs": 3}})),
        config=settings("[budget.day]\nruns = 3\n"),
    ),
    Row(reason="overlap:1", records=(*RUNS, an_entry(ISSUE, files=("x",)))),
    Row(reason="profile-missing:gone", records=(an_entry(ISSUE, profile="gone"),)),
    Row(reason="held:profile-fake", config=settings("hold = true\n")),
    Row(reason=f"usage-limit:{at(90)}", control={"limited": {"fake": at(90)}}),
    Row(reason="held:manual", config=settings('mode = "manual"\n')),
    Row(
        reason="sequential:1",
        records=(*RUNS, QUEUED),
        config=settings('mode = "sequential"\n[agents.plain]\ncommand = ["plain"]\n'),
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.reason)
def test_each_reason_stands_alone_and_beside_a_full_house(row: Row) -> None:
    """R-11, A-14: it is the only one while slots are free, and `capacity` hides it no more than it hides that."""
    free = admissions(a_situation(a_state(*row.records, **row.control), row.config, **row.facts))
    assert free.waits[ISSUE] == (row.reason,)
    state = a_state(*row.records, *BUSY, **row.control)
    leases = len(state.leases)
    full = a_state(*row.records, *BUSY, **{"slots_max": leases, **row.control})
    found = admissions(a_situation(full, row.config, **row.facts))
    assert found.waits[ISSUE] == (row.reason, "capacity")
    assert not [effect for effect in (*free.effects, *found.effects) if isinstance(effect, Admit | FormSolo)]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.reason)
def test_each_reason_has_a_sentence_and_a_step(row: Row) -> None:
    """What `why` says of it, and what can be done."""
    word, _, rest = row.reason.partition(":")
    meaning = REASONS.get(row.reason) or REASONS[word]
    assert meaning.says
    assert meaning.step
    assert bool(rest) >= ("{0}" in meaning.says)


@pytest.mark.parametrize(
    ("records", "effect"),
    [
        ((QUEUED,), FormSolo(ISSUE)),
        ((a_batch(ISSUE, status=BatchStatus.READY), a_member(ISSUE)), StartBatch("b1")),
        ((a_batch(ISSUE), a_member(ISSUE)), Admit("b1", ISSUE)),
    ],
)
def test_each_way_of_being_admitted(records: tuple[Record, ...], effect: object) -> None:
    """A batch of its own, a batch that begins, or a slot; with a full house each waits for `capacity`."""
    found = admissions(a_situation(a_state(*records)))
    assert (found.effects, found.waits) == ((effect,), {})
    full = admissions(a_situation(a_state(*records, *BUSY, slots_max=1)))
    assert (full.effects, full.waits) == ((), {ISSUE: ("capacity",)})


def test_one_that_is_verified_waits_for_its_turn_to_land() -> None:
    """It has no slot any more, so that a full house is nothing to it."""
    members = (a_member(1, MemberStatus.RUNNING), a_lease(1), a_member(ISSUE, MemberStatus.VERIFIED))
    state = a_state(a_batch(1, ISSUE), *members, *BUSY, slots_max=2)
    assert landing_waits(a_situation(state)) == {ISSUE: ("landing-order:1",)}
