"""The journal as lines."""

from gitsched.domain.events import EventName
from gitsched.view.log import LogLine, is_about, log_document, render_line, render_log
from gitsched.view.table import Look
from tests.view.pictures import a_batch, an_entry, an_event

LINE = LogLine(an_event(batch="b1", issue=3, gen=0, fields={"head": "1" * 40, "at": "mine"}), "Ada", "f" * 40)


def test_a_line_has_the_fields_of_the_contract_and_the_events_own() -> None:
    """I-10: at, event, batch, issue, gen, actor and commit; a field of the event never hides one of these."""
    assert log_document(LINE) == {
        "at": "2026-01-02T03:04:05.000Z",
        "event": "member-landed",
        "batch": "b1",
        "issue": 3,
        "gen": 0,
        "actor": "Ada",
        "commit": "f" * 40,
        "sentence": "Land issue 3 of b1: A title",
        "head": "1" * 40,
    }


def test_events_are_about_their_batch_and_their_issue() -> None:
    event = LINE.event
    assert [is_about(event, unit) for unit in (None, a_batch(3), a_batch(id="b2"), an_entry(3), an_entry(4))] == [
        *(True, True, False, True, False)
    ]


def test_a_table_and_a_line_for_people() -> None:
    assert render_log([], Look()) == "Nothing has happened yet."
    heading, row = render_log([LINE], Look()).splitlines()
    assert heading.split() == ["at", "event", "batch", "issue", "what"]
    assert row.split("  ")[0] == "2026-01-02 03:04:05"
    shown = render_line(an_event(EventName.PAUSED, sentence="Pause: \x1b[31mnow\nthen"))
    assert shown == "03:04:05  paused               Pause: now then"
