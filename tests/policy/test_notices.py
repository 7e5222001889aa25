from gitsched.config.parse import parse_settings
from gitsched.domain.events import Event
from gitsched.domain.events import EventName as E
from gitsched.policy.notices import notice_of

AT = "2026-01-02T03:04:05.000Z"


def event(name: E, sentence: str = "It happened") -> Event:
    return Event(name=name, at=AT, sentence=sentence, batch="b1")


def test_an_event_has_one_name_for_ever_and_another_has_another() -> None:
    settings = parse_settings("")
    first = notice_of(event(E.BATCH_BLOCKED), settings, AT)
    again = notice_of(event(E.BATCH_BLOCKED), settings, "2026-01-02T04:04:05.000Z")
    other = notice_of(event(E.BATCH_BLOCKED, "Another"), settings, AT)
    assert first is not None
    assert again is not None
    assert other is not None
    assert first == again
    assert first.id != other.id


def test_only_chosen_classes_and_only_news() -> None:
    chosen = parse_settings('notify.events = ["paused"]')
    assert notice_of(event(E.BATCH_BLOCKED), chosen, AT) is None
    assert notice_of(event(E.PAUSED), chosen, AT) is not None
    assert notice_of(event(E.PAUSED), chosen, "2026-01-03T03:04:06.000Z") is None
    assert notice_of(event(E.SPAWNED), parse_settings(""), AT) is None


def test_an_open_request_needs_a_person_only_where_nothing_else_merges_it() -> None:
    opened = event(E.PR_OPENED)
    manual = notice_of(opened, parse_settings('ship.merge = "manual"'), AT)
    assert manual is not None
    assert manual.kind == "needs-you"
    assert notice_of(opened, parse_settings('ship.merge = "direct"'), AT) is None
