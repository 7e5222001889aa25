"""The screen: one look at everything, without a single code of other people's."""

from msgspec.structs import replace

from gitsched.domain.records import Control, GateResult, PullRequest, SuiteRun
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, PullRequestState
from gitsched.view.screen import render_screen
from gitsched.view.status import status_document
from gitsched.view.table import Look
from tests.golden import Golden
from tests.view.pictures import a_batch, a_driver, a_member, a_picture, an_entry

HOSTILE = "red \x1b[31malarm\x1b]0;title\x07 \u202eback\u202c \u200bnul\x00 \x9b2J end"


def test_a_screen_of_everything(golden: Golden) -> None:
    records = (
        an_entry(1, status=EntryStatus.ASSIGNED, batch="b1"),
        an_entry(2, status=EntryStatus.ASSIGNED, batch="b1"),
        an_entry(3, status=EntryStatus.PARKED, reason="gate-failed:unit"),
        an_entry(4, status=EntryStatus.DONE),
        an_entry(5),
        a_batch(1, 2, 3),
        a_member(
            1, 1, status=MemberStatus.LANDED, gen=0, landed="1" * 40, gates={"unit": GateResult(verdict="passed")}
        ),
        a_member(2, 2),
        a_member(3, 3, status=MemberStatus.EVICTED, reason="gate-failed:unit", gen=1),
        a_batch(
            id="b2",
            status=BatchStatus.AWAITING_MERGE,
            reason="target-checked-out",
            pr=PullRequest(number=7, state=PullRequestState.OPEN, head="2" * 40),
            suite=(SuiteRun(verdict="passed", tree="3" * 40, commit="2" * 40, cached=True),),
        ),
        a_driver(),
        a_driver("d2"),
    )
    picture = a_picture(*records, waits={2: ("serial:1",), 5: ("dependency:1", "capacity")})
    paused = Control(slots_max=4, paused=True, pause_reason="release day")
    picture = replace(picture, state=picture.state.put(paused), live_drivers=frozenset({"d1"}))
    golden("tests/data/golden/view/screen.txt", render_screen(status_document(picture), Look()) + "\n")


def test_an_empty_queue_says_so() -> None:
    assert "Nothing is queued." in render_screen(status_document(a_picture()), Look())


def test_ended_rows_are_shown_when_asked_for() -> None:
    document = status_document(a_picture(an_entry(4, status=EntryStatus.DONE)))
    assert "#4" not in render_screen(document, Look())
    assert "#4" in render_screen(document, Look(), include_ended=True)


def test_no_code_of_a_title_or_reason_reaches_the_terminal() -> None:
    """I-13: titles and reasons with escapes, right-to-left marks and NUL are shown as plain text."""
    entry = an_entry(3, title=HOSTILE, status=EntryStatus.PARKED, reason=HOSTILE)
    text = render_screen(status_document(a_picture(entry)), Look())
    assert "red alarm back nul" in text
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]


def test_colour_is_ours_alone() -> None:
    entry = an_entry(3, title=HOSTILE, status=EntryStatus.PARKED, reason="timeout")
    text = render_screen(status_document(a_picture(entry)), Look(colour=True, width=100))
    assert "\x1b[31mparked" in text
    assert "\x1b[31malarm" not in text
