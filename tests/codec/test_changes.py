"""Changes from one process to another come to the same state as the records themselves."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.changes import Change, Rows, change_of, changed_by, decode_changes, encode_change
from gitsched.domain.records import Control, DayCosts, Entry, Format, Member, Record
from gitsched.domain.state import State, record_path
from gitsched.domain.words import EntryStatus, MemberStatus


def told(changed: dict[str, Record | None], old: str = "a", new: str = "b") -> Change:
    """Give a change as another process reads it."""
    change = change_of(old, new, changed, b"tree", {"": {b"queue": b"entry", b"gone": None}})
    assert change is not None
    encoded = encode_change(change)
    assert encoded is not None
    read = decode_changes(1, encoded)
    assert read == [change]
    return read[0]


def put(*records: Record) -> dict[str, Record | None]:
    return {record_path(record): record for record in records}


def entry(issue: int, **fields: Any) -> Entry:
    return Entry(issue=issue, title=f"Issue {issue}", status=EntryStatus.QUEUED, **fields)


def member(index: int, issue: int) -> Member:
    return Member(batch="b1", issue=issue, index=index, title="", status=MemberStatus.WAITING)


RECORDS: list[Record] = [
    Control(paused=True, pause_reason="by hand", slots_max=3),
    entry(7, files=("src/**",), extra={"weight": {"heavy": [1, "two", None]}}),
    member(0, 7),
    DayCosts(day="2026-05-06"),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_comes_as_it_was_written(record: Record) -> None:
    state = changed_by(State(), [told(put(record))])
    assert state == State().put(record)
    assert state.current(record) == record


def test_a_record_goes() -> None:
    state = State().put(entry(7)).put(entry(8))
    assert changed_by(state, [told({"queue/07/7": None, "queue/09/9": None})]) == State().put(entry(8))


def test_a_record_that_moves_to_another_path_stays() -> None:
    state = State().put(member(0, 7))
    moved = {record_path(member(0, 7)): None, **put(member(1, 7))}
    assert changed_by(state, [told(moved)]) == State().put(member(1, 7))


@given(st.lists(st.tuples(st.integers(1, 4), st.none() | st.integers(-5, 5)), max_size=8))
def test_many_at_once_come_to_what_each_in_turn_comes_to(steps: list[tuple[int, int | None]]) -> None:
    changes, one_by_one = [], State()
    for issue, priority in steps:
        record = None if priority is None else entry(issue, priority=priority)
        changes.append(told({record_path(entry(issue)): record}))
        one_by_one = changed_by(one_by_one, changes[-1:])
    together = changed_by(State(), changes)
    assert together == one_by_one
    expected: dict[int, Entry] = {}
    for issue, priority in steps:
        expected.pop(issue, None)
        if priority is not None:
            expected[issue] = entry(issue, priority=priority)
    assert dict(together.entries) == expected


def test_another_format_is_told_by_the_trees_alone() -> None:
    assert change_of("a", "b", put(Format(format=9), entry(7)), b"", {}) is None
    assert change_of("a", "b", {"later/7": None}, b"", {}) is None


def test_a_number_that_is_too_large_is_told_by_the_trees_alone() -> None:
    change = change_of("a", "b", put(entry(7, extra={"weight": 1 << 70})), b"", {})
    assert change is not None
    assert encode_change(change) is None


def test_what_is_not_understood_is_not_read() -> None:
    whole = encode_change(told(put(entry(7))))
    assert whole is not None
    assert decode_changes(1, whole[:-1]) is None
    assert decode_changes(1, whole.replace(b"\xa5issue", b"\xa5thing")) is None
    assert decode_changes(1, whole.replace(b"\xa7entries\x81", b"\xa7futures\x81")) is None


def test_each_kind_of_record_has_its_cell() -> None:
    """A state has no field of records that cannot be told."""
    fields = set(State.__struct_fields__) - {"format", "unreadable"}
    assert fields == set(Rows.__struct_fields__)
