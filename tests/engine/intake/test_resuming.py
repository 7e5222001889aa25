"""Resume: by the reason that blocks."""

import pytest

from gitsched.config.encoding import decode_settings
from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.holding import HoldRequest, hold
from gitsched.engine.intake.resuming import ResumeAnswer, ResumeRequest, resume
from tests.engine.intake.office import ACTOR, Office, settings
from tests.engine.intake.refusal import refused

GATES = '[suite]\nrun = "make test"\n[[gates]]\nname = "unit"\nrun = "make unit"\n'


def resumed(office: Office, unit: str, *, reload: bool = False) -> ResumeAnswer:
    return resume(office.store, office.settings, ResumeRequest(unit, reload), ACTOR)


@pytest.fixture
def landed(office: Office) -> Office:
    """Give an office whose b1 executes with 1 and 2 landed."""
    office.settings = settings(GATES)
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    for issue in (1, 2):
        office.run("b1", issue, MemberStatus.LANDED)
    return office


def test_only_the_gate_that_could_not_decide_is_asked_for_again(landed: Office) -> None:
    landed.judge("b1", 1, "unit", "passed")
    landed.judge("b1", 2, "unit", "broken")
    landed.judge("b1", 2, "lint", "passed")
    landed.block("b1", "gate-inconclusive:unit")
    assert resumed(landed, "b1") == ResumeAnswer(unit="b1", status="executing", gate="unit")
    assert (landed.member("b1", 2).regate, set(landed.member("b1", 2).gates)) == (("unit",), {"lint"})
    assert (landed.member("b1", 1).regate, set(landed.member("b1", 1).gates)) == ((), {"unit"})
    assert landed.member("b1", 2).status is MemberStatus.LANDED
    assert landed.events() == ["batch-resumed", "gate-retried"]


def test_the_suite_is_asked_for_again_over_the_landed_members(landed: Office) -> None:
    """V-43: the suite is due again, no member is."""
    landed.bring("b1", BatchStatus.VALIDATING)
    landed.block("b1", "suite-broken")
    resumed(landed, "b1")
    batch = landed.batch("b1")
    assert (batch.status, batch.fresh_suite, batch.reason) == (BatchStatus.VALIDATING, True, None)
    assert landed.member("b1", 1).status is MemberStatus.LANDED


def test_resume_is_refused_where_it_cannot_help(landed: Office) -> None:
    """V-43: on a batch whose reason resume cannot help it is refused with the reason."""
    assert "not blocked" in refused(landed, 1, lambda: resumed(landed, "b1")).against
    landed.block("b1", "dissolve-refused:the suite is red")
    error = refused(landed, 1, lambda: resumed(landed, "b1"))
    assert "`dissolve-refused:the suite is red`" in error.against
    assert "`gitsched abandon b1 --keep`" in error.remedy


@pytest.mark.parametrize(
    ("came_from", "reason", "goes_to"),
    [
        (BatchStatus.READY, "target-missing", BatchStatus.READY),
        (BatchStatus.EXECUTING, "landing-refused:a hook", BatchStatus.EXECUTING),
        (BatchStatus.EXECUTING, "isolation-breach", BatchStatus.EXECUTING),
        (BatchStatus.REVIEWING, "members-mismatch:1", BatchStatus.VALIDATING),
        (BatchStatus.AWAITING_MERGE, "pr-head-moved", BatchStatus.VALIDATING),
    ],
    ids=str,
)
def test_it_goes_on_where_it_was(office: Office, came_from: BatchStatus, reason: str, goes_to: BatchStatus) -> None:
    office.enqueue(1, 2)
    office.bring("b1", came_from)
    office.block("b1", reason)
    assert resumed(office, "b1").status == goes_to
    assert not office.batch("b1").fresh_suite


def test_a_held_member_is_accepted_through_its_batch_or_itself(office: Office) -> None:
    office.enqueue(1, 2)
    office.bring("b1", BatchStatus.EXECUTING)
    for unit in ("b1", "1"):
        hold(office.store, HoldRequest("1"), ACTOR)
        office.block("b1", "held:operator")
        resumed(office, unit)
        assert office.batch("b1").status is BatchStatus.EXECUTING
        assert office.member("b1", 1).hold is None


def test_an_issue_that_is_not_held_is_told_what_helps(office: Office) -> None:
    office.enqueue(1, 2)
    office.enqueue(5)
    assert "`gitsched why 5`" in refused(office, 1, lambda: resumed(office, "5")).remedy
    office.bring("b1", BatchStatus.EXECUTING)
    office.run("b1", 2, MemberStatus.RUNNING)
    office.evict("b1", 2)
    assert "`gitsched requeue 2`" in refused(office, 1, lambda: resumed(office, "2")).remedy
    office.block("b1", "landing-failed")
    assert "`gitsched resume b1`" in refused(office, 1, lambda: resumed(office, "1")).remedy


def test_a_batch_takes_new_settings_when_it_is_told_to(office: Office) -> None:
    office.enqueue(1, 2)
    old = office.batch("b1").settings_hash
    office.settings = settings(GATES)
    assert resumed(office, "b1", reload=True).reloaded
    assert office.batch("b1").settings_hash != old
    assert decode_settings(office.state.settings["b1"].data) == office.settings
    office.block("b1", "target-missing")
    assert resumed(office, "1", reload=True).reloaded
    assert resumed(office, "b1", reload=True).status == "ready"


def test_a_batch_without_settings_of_its_own_takes_none(office: Office) -> None:
    office.enqueue(1, batch="b1", leave_open=True)
    refused(office, 1, lambda: resumed(office, "b1", reload=True))
    stop(office.store, StopRequest("b1"), ACTOR)
    refused(office, 1, lambda: resumed(office, "b1", reload=True))
