"""Payloads are read leniently, and what is no payload is told."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.deliveries import NotAPayloadError, decode_delivery, encode_delivery, read_delivery
from gitsched.domain.deliveries import Delivery

AT = "2026-03-20T12:00:00.000Z"


def read(payload: object) -> Delivery:
    return read_delivery("d", "issues", msgspec.json.encode(payload), AT)


def test_what_says_where_to_look_is_taken() -> None:
    payload = {
        "action": "created",
        "repository": {"id": 5, "full_name": "o/r"},
        "issue": {"number": 7, "body": None},
        "comment": {"id": 2**40},
    }
    assert read(payload) == Delivery(
        id="d",
        event="issues",
        action="created",
        received_at=AT,
        repository=5,
        full_name="o/r",
        number=7,
        comment=2**40,
    )
    assert read({"pull_request": {"number": 8, "head": {"repo": None}}}).number == 8


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"action": None, "repository": None, "issue": None, "comment": None},
        {"action": 1, "repository": [], "issue": "x", "comment": {"id": "x"}},
        {"repository": {"id": True, "full_name": 3}, "issue": {"number": -1}, "comment": {"id": 2**70}},
    ],
)
def test_what_is_missing_or_of_another_kind_is_left_out(payload: object) -> None:
    assert read(payload) == Delivery(id="d", event="issues", received_at=AT)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"null", b'{"a":"\xff"}', b"payload=%7B%7D", b"[" * 10_000])
def test_what_is_no_payload_is_told(body: bytes) -> None:
    with pytest.raises(NotAPayloadError):
        read_delivery("d", "issues", body, AT)


def test_it_comes_back_as_it_was_written() -> None:
    delivery = read({"action": "created", "issue": {"number": 7}})
    assert decode_delivery(encode_delivery(delivery)) == delivery
    assert decode_delivery(b"{") is None
    assert decode_delivery(b"\xff") is None


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_no_json_breaks_the_reader(payload: object) -> None:
    if isinstance(payload, dict):
        read_delivery("d", "issues", msgspec.json.encode(payload), AT)
