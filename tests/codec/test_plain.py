"""Output as plain text."""

import pytest

from gitsched.codec.plain import last_lines, one_line, plain_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]8;;https://example.org\x07link\x1b]8;;\x1b\\", "link"),
        (b"\x1b(Bx\x1b7y", "xy"),
        (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"a\x00b\x07c\tkept\xff", "abc\tkept\ufffd"),
        ("abc\u202edcb\u2066e".encode(), "abcdcbe"),
    ],
)
def test_steering_goes_and_text_stays(raw: bytes, shown: str) -> None:
    """I-19 (display): colour and rewritten lines are stripped for display."""
    assert plain_text(raw) == shown


def test_the_last_lines_are_whole_where_they_can_be() -> None:
    assert last_lines(b"one\ntwo\n", 100) == "one\ntwo"
    assert last_lines(b"first line\nsecond\nthird\n", 14) == "second\nthird"
    assert last_lines(b"first\n" + b"x" * 50, 20) == "x" * 20
    assert last_lines(b"", 20) == ""
    assert last_lines(b"aaaa\n" + b"b" * 19, 20) == "b" * 19


def test_one_line_is_one_line() -> None:
    assert one_line("a\n b\x1b[31m\u202ec\x07d", 100) == "a b c d"
    assert one_line("abcdef", 6) == "abcdef"
    assert one_line("abcdefg", 6) == "abcde…"
