"""The overview: the words of status, what needs a person first, ages and signs of life."""

from msgspec.structs import replace

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.view.overview import Overview, Sign, overview
from gitsched.view.screen import render_screen
from gitsched.view.status import status_document
from gitsched.view.table import Look
from gitsched.view.watch import render_watch
from tests.view.pictures import AT, a_batch, a_driver, a_lease, a_member, a_picture, an_entry

NOW = "2026-01-02T03:14:05.000Z"
ALIVE = "2026-01-02T03:13:35.000Z"


def a_night() -> tuple[Overview, str]:
    """Give an overview of a running batch, a blocked one, a parked issue and a queued one; and the status screen."""
    running = a_member(1, status=MemberStatus.RUNNING, gen=0, updated_at=AT, usage={"runs": 1, "unknown_runs": 1})
    picture = a_picture(
        a_batch(1, 2, updated_at=AT),
        running,
        a_member(2, index=2),
        a_batch(3, id="b2", status=BatchStatus.BLOCKED, reason="base-red", updated_at=AT),
        a_member(3, batch="b2", status=MemberStatus.LANDED),
        *(an_entry(issue, status=EntryStatus.ASSIGNED, batch="b1") for issue in (1, 2)),
        an_entry(3, status=EntryStatus.ASSIGNED, batch="b2"),
        an_entry(4, status=EntryStatus.PARKED, reason="landing-conflict"),
        an_entry(5),
        replace(a_lease(1), spawned_at=AT),
        a_driver(),
        waits={2: ("parallelism",), 5: ("capacity",)},
    )
    shown = overview(picture, {("b1", 1): Sign(ALIVE, "implement")}, NOW)
    return shown, render_screen(status_document(picture), Look())


def test_what_needs_a_person_stands_first_with_its_command() -> None:
    shown, _ = a_night()
    assert [(need.unit, need.next) for need in shown.needs] == [
        ("b2", "gitsched resume b2"),
        ("#4", "gitsched requeue 4"),
    ]
    assert render_watch(shown, Look()).index("gitsched resume b2") < render_watch(shown, Look()).index("b1 executing")


def test_a_member_has_its_stage_age_sign_of_life_and_cost() -> None:
    shown, _ = a_night()
    first = shown.batches[0].members[0]
    assert (first.status, first.phase, first.age_s, first.silent_s, first.cost) == (
        "running",
        "implement",
        600.0,
        30.0,
        "unknown",
    )
    line = next(line for line in render_watch(shown, Look(width=120)).splitlines() if "#1 " in line)
    assert " ".join(line.split()) == "1 #1 Title 1 running 0 10 min 30 s ago unknown implement"


def test_the_words_and_the_order_are_those_of_status() -> None:
    shown, screen = a_night()
    assert [line.head for line in shown.batches] == [line for line in screen.splitlines() if "landed →" in line]
    assert [f"#{line.issue}" for line in shown.queue] == ["#4", "#5"]
    for word in ("parallelism", "capacity", "base-red", shown.head, shown.costs):
        assert word in screen
        assert word in render_watch(shown, Look())


def test_nobody_drives_is_said_once() -> None:
    waits: dict[int, tuple[str, ...]] = dict.fromkeys((1, 2), ("driver-lost",))
    shown = overview(a_picture(an_entry(1), an_entry(2), waits=waits), {}, NOW)
    assert [(need.unit, need.next) for need in shown.needs] == [("gitsched", "gitsched run")]


def test_an_empty_queue_says_so() -> None:
    assert "Nothing is queued." in render_watch(overview(a_picture(), {}, NOW), Look())


def test_eighty_columns_and_few_lines_are_enough() -> None:
    shown, _ = a_night()
    lines = render_watch(shown, Look(width=80), 12).splitlines()
    assert len(lines) == 12
    assert max(map(len, lines)) <= 80
    assert "more lines" in lines[-2]
    assert lines[-1] == shown.costs


def test_titles_of_others_steer_no_terminal() -> None:
    """I-13: the live view shows no escape code, no mark that turns the order, no NUL."""
    evil = "red \x1b[31malarm\x1b]0;x\x07 \u202eback\u202c \x00"
    picture = a_picture(
        a_batch(1), a_member(1, title=evil), an_entry(1, title=evil, batch="b1"), an_entry(2, title=evil)
    )
    text = render_watch(overview(picture, {}, NOW), Look())
    assert not [sign for sign in text if sign != "\n" and not sign.isprintable()]
