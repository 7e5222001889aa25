"""Sealing: members and settings are fixed, or nothing is written."""

from msgspec.structs import replace

from gitsched.config.encoding import decode_settings
from gitsched.domain.events import EventName
from gitsched.domain.words import BatchStatus
from gitsched.engine.intake.ending import StopRequest, stop
from gitsched.engine.intake.sealing import SealAnswer, SealRequest, seal
from tests.engine.intake.office import ACTOR, Office
from tests.engine.intake.refusal import refused


def sealed(office: Office, batch: str) -> SealAnswer:
    return seal(office.store, office.settings, SealRequest(batch), ACTOR)


def test_a_forming_batch_is_sealed_with_the_settings_of_now(office: Office) -> None:
    office.enqueue(3, 1, batch="b1", leave_open=True)
    answer = sealed(office, "b1")
    assert answer == SealAnswer(batch="b1", members=(3, 1), generation=1)
    assert office.batch("b1").status is BatchStatus.READY
    assert decode_settings(office.state.settings["b1"].data) == office.settings


def test_what_is_not_forming_is_refused(office: Office) -> None:
    office.enqueue(1, 2)
    assert refused(office, 1, lambda: sealed(office, "b1")).against == "It is ready, not forming."
    refused(office, 1, lambda: sealed(office, "b9"))
    refused(office, 1, lambda: sealed(office, "1"))


def test_an_empty_batch_is_refused(office: Office) -> None:
    office.enqueue(1, batch="b1", leave_open=True)
    stop(office.store, StopRequest("1"), ACTOR)
    assert refused(office, 1, lambda: sealed(office, "b1")).against == "It has no members."


def test_a_set_that_failed_is_refused_until_it_differs(office: Office) -> None:
    office.enqueue(1, 2, batch="b1", leave_open=True)
    failed = replace(office.state.control, failed_sets=((1, 2),))
    office.store.apply(lambda draft: draft.note(EventName.BATCH_DISSOLVED, "Remember", failed))
    assert "`gitsched abandon b1`" in refused(office, 1, lambda: sealed(office, "b1")).remedy
    office.enqueue(3, batch="b1")
    assert office.batch("b1").status is BatchStatus.READY
