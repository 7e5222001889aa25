"""Pausing and resuming the scheduler."""

import pytest
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Holder, Lease
from gitsched.domain.state import Draft
from gitsched.domain.words import RunStatus
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.errors import UsageError
from tests.engine.intake.office import ACTOR, Office


def test_a_pause_stands_until_it_is_lifted(office: Office) -> None:
    assert pause(office.store, PauseRequest("the demo"), ACTOR).changed
    control = office.state.control
    assert (control.paused, control.pause_reason, control.paused_by) == (True, "the demo", "operator")
    assert not pause(office.store, PauseRequest("the demo"), ACTOR).changed
    assert resume_scheduler(office.store, ACTOR).changed
    assert not office.state.control.paused
    assert not resume_scheduler(office.store, ACTOR).changed


def test_a_reason_is_one_line(office: Office) -> None:
    with pytest.raises(UsageError):
        pause(office.store, PauseRequest("two\nlines"), ACTOR)


def test_resuming_lifts_limits_streaks_and_the_wait_of_runs(office: Office) -> None:
    """R-45: after `gitsched resume` what waited for a provider's reset is due at once."""
    holder = Holder(host="h", boot_id="b", pid=1, started="1", driver="d")
    lease = Lease(
        batch="i1",
        issue=1,
        slot=1,
        gen=0,
        status=RunStatus.ASSIGNED,
        token="t",
        holder=holder,
        profile="claude",
        not_before_at="2099-01-01T05:00:00.000Z",
        acquired_at="2026-01-01T00:00:00.000Z",
    )

    def intent(draft: Draft) -> None:
        limited = replace(draft.state.control, limited={"claude": lease.not_before_at}, provider_errors=2)
        draft.note(EventName.ASSIGNED, "Hold", lease, limited)

    office.store.apply(intent)
    resume_scheduler(office.store, ACTOR)
    assert (office.state.control.limited, office.state.control.provider_errors) == ({}, 0)
    assert office.state.leases["i1", 1].not_before_at is None


def test_issues_are_enqueued_while_paused(office: Office) -> None:
    pause(office.store, PauseRequest(), ACTOR)
    assert office.enqueue(1, 2).batch == "b1"
