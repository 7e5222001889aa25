"""What a run came to, issue by issue."""

from gitsched.domain.words import EntryStatus
from gitsched.view.outcome import render_outcome
from gitsched.view.table import Look
from tests.view.pictures import a_picture, an_entry


def test_each_issue_has_its_state_reasons_and_next_step() -> None:
    parked = an_entry(4, status=EntryStatus.PARKED, reason="suite-failed")
    text = render_outcome(a_picture(an_entry(3, status=EntryStatus.DONE), parked), [3, 4, 9], Look())
    assert [line.split()[0] for line in text.splitlines()] == ["issue", "#3", "#4"]
    assert text.splitlines()[2].split("  ")[-1] == "gitsched requeue 4"
    assert "Nothing is left to do." in text.splitlines()[1]
    assert render_outcome(a_picture(), [9], Look()) == "Nothing is queued."
