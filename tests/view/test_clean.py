"""Cleaning: what others wrote becomes text that is only read."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitsched.view.clean import clean, closing_phrases, cut, cut_front, disarm, one_line
from tests.view.reading import MENTION, ORDER

PIECES = st.sampled_from(
    [
        *(
            "\x1b",
            "\x1b[31m",
            "\x1b]0;title\x07",
            "\x9b2J",
            "\x9d",
            "\x00",
            "\x7f",
            "\x85",
            "\u202e",
            "\u2066",
            "\u200b",
        ),
        *("\u2028", "\r\n", "\r", "\n", "\t", " ", "\ufeff", "\U000e0041", "\ud800", "\u200d", "é", "`", "```", "<!--"),
        *(
            "-->",
            "@",
            "@everyone",
            "Fixes",
            "closes",
            ":",
            " #1",
            "#",
            "GH-2",
            "o/r#3",
            "https://x/issues/4",
            "fi",
            "xes",
        ),
    ]
)
HOSTILE = st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join)
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@given(HOSTILE)
@example("\x1b\x1b[31m[31mred")
@example("\x1b[\u200b31m")
@example("fi\u200bxes #1")
def test_every_cleaner_is_idempotent(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert disarm(disarm(text)) == disarm(text)
    assert one_line(one_line(text, 9), 9) == one_line(text, 9)
    assert cut_front(cut_front(clean(text), 70), 70) == cut_front(clean(text), 70)


@given(HOSTILE)
def test_nothing_that_steers_or_hides_is_left(text: str) -> None:
    """I-13: no code reaches the terminal."""
    assert not STEERS.search(clean(text))
    one_line(text).encode()
    assert len(one_line(text)) <= 200
    assert not [c for c in one_line(text) if unicodedata.category(c) == "Cc"]


@given(HOSTILE)
def test_a_disarmed_text_orders_and_mentions_nothing(text: str) -> None:
    assert not ORDER.search(disarm(text))
    assert not ORDER.search(disarm(text) + " #7")
    assert not MENTION.search(disarm(text))
    assert "<!--" not in disarm(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x00b", "a\ufffdb"),
        ("\u202eevil\u202c", "evil"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("lone \x9d stays readable", "lone \ufffd stays readable"),
        ("👩\u200d💻 ünïcode", "👩\u200d💻 ünïcode"),
    ],
)
def test_what_is_readable_stays(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_cutting_says_that_it_cut() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abc def", 5) == "abc…"
    assert one_line(" a \n b ") == "a b"
    lines = "\n".join(f"line {n}" for n in range(100))
    end = cut_front(lines, 200)
    assert len(end) <= 200
    assert end.splitlines()[0].startswith("[… ")
    assert end.splitlines()[-1] == "line 99"
    assert cut_front("x" * 100, 80) == f"[… 80 characters before this]\n{'x' * 20}"
    assert cut_front("short", 80) == "short"


@pytest.mark.parametrize(
    ("message", "phrases"),
    [
        ("Fixes #99", ("Fixes #99",)),
        ("closes: #1 and resolved GH-2\n\nFix o/r#3, fixed https://x/o/r/issues/4", None),
        ("prefixes #9 and fix the #parser, see #5", ()),
        ("fi\u200bxes\n#7 fixes #7", ("fixes #7",)),
    ],
)
def test_closing_words_of_a_message_are_found(message: str, phrases: tuple[str, ...] | None) -> None:
    expected = ("closes: #1", "resolved GH-2", "Fix o/r#3", "fixed https://x/o/r/issues/4")
    assert closing_phrases(message) == (expected if phrases is None else phrases)
