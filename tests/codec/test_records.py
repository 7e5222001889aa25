"""Records to canonical JSON and back."""

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.records import Unreadable, cell_of, decode_record, encode_record
from gitsched.domain.costs import RunCost
from gitsched.domain.records import (
    Batch,
    Control,
    DayCosts,
    Entry,
    Format,
    GateResult,
    Integration,
    Member,
    Rates,
    Record,
    Schedule,
    Settings,
)
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.state import State, record_path
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, MemberStatus

ENTRY = Entry(issue=300, title='Mend "extra":{}, \u2028 Ünïcode', status=EntryStatus.QUEUED)
MEMBER = Member(batch="b1", issue=3, index=1, title="t", status=MemberStatus.WAITING)
DAY = DayCosts(day="2026-11-30", profiles={"fake": {"runs": 1}})
RATES = Rates(profile="fake", recent=(RunCost(amounts={"tokens": 5}),))
BOOKED = Schedule(id="s1", status=ScheduleStatus.SUBMITTED, zone="UTC", window="22:00-06:00")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
whole_numbers = st.integers(-(2**60), 2**60)


st.register_type_strategy(int, whole_numbers)  # 64 bits are what JSON readers agree on
st.register_type_strategy(str, texts)


@given(st.builds(Entry, issue=st.integers(1, 10**6), title=texts, extra=st.just({})))
def test_an_entry_survives(entry: Entry) -> None:
    assert decode_record(record_path(entry), encode_record(entry)) == entry


@given(
    st.builds(
        Batch,
        id=st.just("b1"),
        integration=st.builds(Integration),
        extra=st.just({}),
    )
)
def test_a_batch_survives(batch: Batch) -> None:
    data = encode_record(batch)
    assert decode_record(record_path(batch), data) == batch
    assert (
        data == json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    )


def test_costs_and_schedules_survive() -> None:
    for record in (DAY, RATES, BOOKED):
        assert decode_record(record_path(record), encode_record(record)) == record


def test_encoding_is_canonical() -> None:
    data = encode_record(ENTRY)
    assert list(json.loads(data)) == sorted(json.loads(data))
    assert (data.count(b"\n"), data[-1:]) == (1, b"\n")
    assert b'"extra"' not in data.replace(rb"\"extra\"", b"")


def test_no_record_holds_a_float() -> None:
    with pytest.raises(ValueError, match="floats"):
        encode_record(Settings(batch="b1", hash="0", data={"a": [{"b": 0.5}]}))
    whole = Settings(batch="b1", hash="0", data={"a": [{"b": 5}], "c": ["x"]})
    assert decode_record("batches/b1/settings", encode_record(whole)) == whole
    assert isinstance(decode_record("queue/2c/300", encode_record(ENTRY).replace(b"300", b"300.5")), Unreadable)


def _written(record: Record, change: Any) -> Record:
    fields = json.loads(encode_record(record))
    change(fields)
    read = decode_record(record_path(record), json.dumps(fields).encode())
    assert not isinstance(read, Unreadable), read
    assert json.loads(encode_record(read)) == fields, "what is not known here is written back where it was"
    assert decode_record(record_path(read), encode_record(read)) == read
    return read


def test_unknown_fields_survive() -> None:
    """S-24 (unknown fields): whatever a newer version added to a record, at any depth, is written back."""
    read = _written(ENTRY, lambda fields: fields.update(weight={"a": [1]}, zeal=None))
    assert read.extra == {"weight": {"a": [1]}, "zeal": None}


def test_unknown_fields_of_inner_values_survive() -> None:
    gates = {"unit/fast~1": GateResult(verdict="pass"), "e2e": GateResult(verdict="fail")}
    member = msgspec.structs.replace(MEMBER, gates=gates)

    def change(fields: dict[str, Any]) -> None:
        fields["gates"]["unit/fast~1"]["shards"] = 4
        fields["gates"]["e2e"]["sha/rds"] = 5

    assert _written(member, change).extra == {"/gates/unit~1fast~01/shards": 4, "/gates/e2e/sha~1rds": 5}


def test_unknown_fields_in_lists_survive_and_go_with_their_place() -> None:
    batch = Batch(
        id="b1",
        kind=BatchKind.BATCH,
        status=BatchStatus.READY,
        target="main",
        integration=Integration(branch="x"),
        members=(),
    )

    def change(fields: dict[str, Any]) -> None:
        fields["members"] = [{"index": 1, "issue": 2, "colour": "red"}, {"index": 2, "issue": 9}]
        fields["integration"]["tip"] = "y"

    read = _written(batch, change)
    assert isinstance(read, Batch)
    shorter = msgspec.structs.replace(read, members=())
    assert json.loads(encode_record(shorter))["integration"] == {"branch": "x", "head": None, "tip": "y"}
    assert b"red" not in encode_record(shorter)


@pytest.mark.parametrize(
    ("path", "data", "words"),
    [
        ("queue/2c/300", b"garbage", "malformed"),
        ("queue/2c/300", b"", "truncated"),
        ("queue/2c/300", b"[1]", "Expected `object`"),
        ("queue/2c/300", b'{"issue":300,"title":"x"}', "required field `status`"),
        ("queue/2c/300", b'{"issue":300,"title":"x","status":"resting"}', "resting"),
        ("queue/2c/300", b'{"issue":300,"new":1,"title":5,"status":"queued"}', "Expected `str`"),
        ("queue/2c/300", b'{"issue":300,"title":"\xff","status":"queued"}', "UTF-8"),
        ("queue/2d/301", encode_record(ENTRY), "belongs at 'queue/2c/300'"),
        ("queue/2d/300", encode_record(ENTRY), "belongs at 'queue/2c/300'"),
        ("nights/nightly", b"{}", "no record of this version"),
    ],
)
def test_what_does_not_decode_says_why(path: str, data: bytes, words: str) -> None:
    read = decode_record(path, data)
    assert isinstance(read, Unreadable)
    assert words in read.detail


@pytest.mark.parametrize("count", [0, 65, 900])
def test_a_10_a_stored_number_of_slots_is_held_to_the_range_as_well(count: int) -> None:
    """A-10: on read; a control record that does not decode pauses the store, so that no 65th run is admitted."""
    stored = encode_record(Control()).replace(b'"slots_max":2', b'"slots_max":%d' % count)
    read = decode_record("control", stored)
    assert isinstance(read, Unreadable)
    assert "$.slots_max" in read.detail


def test_every_record_has_its_place() -> None:
    for record in (ENTRY, MEMBER, DAY, RATES, BOOKED, Control(), Format()):
        cell = cell_of(record_path(record))
        assert cell is not None
        assert cell.type is type(record)
        assert hasattr(State(), cell.field)
    assert {"Entry", "Job", "Lease"} <= {kind.__name__ for kind in get_args(Record)}
    assert cell_of("queue/00/x") is cell_of("batches/b1/members/x") is cell_of("slots/b1/x") is None
