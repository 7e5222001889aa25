"""Run records and orders as canonical JSON."""

import json

import pytest

from gitsched.codec.runs import decode_far, decode_order, decode_run, encode_far, encode_order, encode_run
from gitsched.domain.runs import FarOrder, Milestone, ProcessName, RunEnd, RunOrder, RunRecord
from gitsched.domain.words import MilestoneStatus
from gitsched.errors import RecordUnreadableError

NAME = ProcessName(host="h", boot_id="b", pid=1, started="2")
AT = "2026-01-02T03:04:05.000Z"
RECORD = RunRecord(
    batch="b1",
    name="3",
    gen=1,
    token="t",
    worker=NAME,
    agent=NAME,
    group=1,
    started_at=AT,
    milestones=(Milestone(phase="review", status=MilestoneStatus.DONE, gen=1, at=AT, keys={"head": "x"}),),
    end=RunEnd(code=0, at=AT, usage={"turns": 3}, provider={"status": 529, "resets_at": None}, survivors=("1 a",)),
    log="/log",
)
ORDER = RunOrder(
    batch="b1",
    name="3",
    gen=0,
    token="t",
    argv=("a", "b"),
    cwd="/",
    folder="/f",
    repository="/r",
    log_file="/l",
    timeout_s=1.5,
    output_bytes=5,
    kill_grace_s=2.0,
    secrets=("KEY",),
)


def test_records_come_back_as_they_were_in_canonical_form() -> None:
    raw = encode_run(RECORD)
    assert decode_run(raw) == RECORD
    assert encode_run(decode_run(raw)) == raw
    fields = json.loads(raw)
    assert list(fields) == sorted(fields)
    assert "extra" not in fields


def test_unknown_fields_survive() -> None:
    fields = json.loads(encode_run(RECORD)) | {"mood": "good", "log_from": 7, "extra": "not ours"}
    record = decode_run(json.dumps(fields).encode())
    assert record.extra == {"mood": "good", "log_from": 7}
    assert json.loads(encode_run(record))["mood"] == "good"


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"batch":1}'])
def test_what_is_no_record_names_its_place(raw: bytes) -> None:
    with pytest.raises(RecordUnreadableError) as refused:
        decode_run(raw, "refs/x", "abc")
    assert (refused.value.path, refused.value.oid) == ("refs/x", "abc")


def test_orders_come_back_as_they_were() -> None:
    assert decode_order(encode_order(ORDER)) == ORDER
    with pytest.raises(RecordUnreadableError):
        decode_order(b"{}")


def test_an_order_for_another_machine_is_read_back() -> None:
    far = FarOrder(
        order=ORDER,
        identity={"GITSCHED_ISSUE": "3"},
        env=("KEY",),
        files={"prompt.md": "Do it"},
        branch="b",
        integration="i",
        at="c",
        host="h",
        ordered_at=AT,
        sign_s=20.5,
    )
    assert decode_far(encode_far(far)) == far
    with pytest.raises(RecordUnreadableError):
        decode_far(b"{}", "refs/x", "1")
