"""Records of the local forge: what is written is read back, unknown fields too."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.forge import (
    Counters,
    UndecodableError,
    decode_counters,
    decode_format,
    decode_record,
    encode_counters,
    encode_format,
    encode_record,
)
from gitsched.domain.forge import Comment, Issue, PullRequestView
from gitsched.domain.words import PullRequestState

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
EXTRA = st.dictionaries(TEXT.map("x_{}".format), st.integers() | TEXT | st.lists(TEXT), max_size=2)
ISSUES = st.builds(Issue, number=st.integers(1, 999), title=TEXT, body=TEXT, labels=NAMES, files=NAMES, extra=EXTRA)
COMMENTS = st.builds(Comment, id=st.integers(1), issue=st.integers(1), author=TEXT, body=TEXT, extra=EXTRA)
PULLS = st.builds(
    PullRequestView,
    **dict.fromkeys(("title", "body", "source", "target", "head"), TEXT),
    number=st.integers(1),
    state=st.sampled_from(PullRequestState),
    merged_at=st.none() | TEXT,
    extra=EXTRA,
)


@given(ISSUES | COMMENTS | PULLS)
def test_records_round_trip(record: Issue | Comment | PullRequestView) -> None:
    raw = encode_record(record)
    kind: type[Any] = type(record)
    assert decode_record(raw, kind) == record
    assert list(json.loads(raw)) == sorted(json.loads(raw))
    assert raw.count(b"\n") == 1


def test_a_field_called_extra_is_kept_too() -> None:
    raw = b'{"extra":1,"number":2,"title":"x"}'
    assert json.loads(encode_record(decode_record(raw, Issue)))["extra"] == 1


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"number":"x","title":"y"}', b'{"title":"y"}', b"\xff", b"[" * 9999]
)
def test_what_is_no_record_is_refused(raw: bytes) -> None:
    with pytest.raises(UndecodableError):
        decode_record(raw, Issue)


def test_bookkeeping_round_trips() -> None:
    counters = Counters(number=4, comment=9)
    assert decode_counters(encode_counters(counters)) == counters
    assert decode_format(encode_format()) == 1
    with pytest.raises(UndecodableError):
        decode_format(b"{}")
