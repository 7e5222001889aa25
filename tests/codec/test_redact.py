"""Secrets taken out of a stream by their value."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.redact import SHORTEST, Redactor, redact

KEY = "k-12345678"


def fed(chunks: list[bytes], *values: str) -> bytes:
    redactor = Redactor(values)
    return b"".join(redactor.feed(chunk) for chunk in chunks) + redactor.finish()


def test_a_value_is_found_wherever_it_is_split() -> None:
    """R-68: split over two writes, at any place, the value does not show."""
    text = f"before {KEY} after".encode()
    for cut in range(len(text) + 1):
        assert fed([text[:cut], text[cut:]], KEY) == b"before *** after"


def test_what_cannot_begin_a_value_is_shown_at_once() -> None:
    redactor = Redactor([KEY])
    assert redactor.feed(b"plain text\n") == b"plain text\n"
    assert redactor.feed(b"almost k-12") == b"almost "
    assert redactor.feed(b"99") == b"k-1299"
    assert redactor.feed(b"k-") == b""
    assert redactor.finish() == b"k-"
    assert redactor.finish() == b""


def test_the_longer_of_two_values_wins_also_across_chunks() -> None:
    assert fed([b"x abcdefg", b"hij y"], "abcdefg", "abcdefghij") == b"x *** y"
    assert fed([b"x abcdefg", b" y"], "abcdefg", "abcdefghij") == b"x *** y"


def test_a_whole_value_whose_end_begins_another_is_not_cut_in_two() -> None:
    assert fed([b"abcXabc", b"defabc"], "abcXabc", "abcdefabc") == b"***defabc"


def test_short_values_stay_because_they_are_ordinary_text() -> None:
    assert redact(b"true or 12345", ["true", "12345", "", " "]) == b"true or 12345"
    assert len("12345") < SHORTEST


def test_values_are_found_as_json_writes_them_and_line_by_line() -> None:
    value = 'first-line-of-a-key-"quoted"\nsecond-line-of-a-key\nend'
    text = json.dumps({"key": value}).encode() + b"\n" + value.encode() + b"\nsecond-line-of-a-key"
    shown = redact(text, [value])
    assert b"line-of-a-key" not in shown
    assert shown.count(b"***") == 3


def test_without_values_everything_passes() -> None:
    assert redact(b"anything", []) == b"anything"


def test_what_an_address_lets_in_by_is_found_by_itself() -> None:
    assert (
        redact(b"the password s3cr+t99 of postgres", ["postgres://ada:s3cr%2Bt99@h/db"])
        == b"the password *** of postgres"
    )
    assert redact(b"token tok-123456", ["https://tok-123456@h/simple"]) == b"token ***"
    assert redact(b"ada at h", ["ssh://ada@h"]) == b"ada at h"


def test_whoever_s_it_is_what_stands_before_a_host_is_not_shown() -> None:
    text = b"fatal: unable to access 'https://tok123@h/r.git' HTTP://u:p@h ssh://git@h https://h:80/a@b https://$T@h h"
    shown = b"fatal: unable to access 'https://***@h/r.git' HTTP://***@h ssh://git@h https://h:80/a@b https://$T@h h"
    for cut in range(len(text) + 1):
        assert fed([text[:cut], text[cut:]]) == shown
        assert fed([text[:cut], text[cut:]], "unable") == shown.replace(b"unable", b"***")
    assert redact(b"https://" + b"x" * 300 + b"@h", []) == b"https://" + b"x" * 300 + b"@h"


@given(
    text=st.lists(st.sampled_from(["a", "b", "ab", "abcabc", "bcabca", "c", "https://", "@"]), max_size=40),
    values=st.lists(st.text(alphabet="abc", min_size=6, max_size=9), max_size=3),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_chunks_do_not_matter(text: list[str], values: list[str], cuts: list[int]) -> None:
    whole = "".join(text).encode()
    places = [0, *sorted(cut % (len(whole) + 1) for cut in cuts), len(whole)]
    chunks = [whole[start:end] for start, end in pairwise(places)]
    shown = fed(chunks, *values)
    assert shown == redact(whole, values)
    assert not any(value.encode() in shown for value in values)
