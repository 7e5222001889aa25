"""Clean text that others wrote, before a terminal, a page or the forge shows it.

Titles, agents' words, file names and tool output may hold codes that steer a terminal, marks that turn the
reading order, invisible characters, mentions, closing words, comments and fences. Here they become text that
is only read. Each of the cleaners is idempotent.
"""

import re
from typing import Final

from gitsched.view.masking import masked

ZERO_WIDTH_SPACE: Final = "\u200b"
ELLIPSIS: Final = "…"
MAX_REASON: Final = 200

# ECMA-48: control sequences, strings to the terminal that have an end, short escapes.
_STEERING: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_END: Final = re.compile(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
# Bidirectional marks (UAX 9), invisible spaces and joins, tag characters. ZWJ and ZWNJ stay: words need them.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Source: docs.github.com, "Linking a pull request to an issue"; a colon may follow the word. We allow any marks
# between word and reference, and stand on the safe side.
_WORD = r"(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)"
_REFERENCE = r"\W{0,40}(?:#\W{0,4}\d+|GH\W{0,4}\d+|https?:[^\s<>]+|[\w.-]{1,100}/[\w.-]{1,100}#\d+)"
# A text that ends with the word could meet a reference in what we write behind it.
_CLOSING: Final = re.compile(rf"{_WORD}(?={_REFERENCE}|\W*\Z)", re.IGNORECASE)
_PHRASE: Final = re.compile(rf"{_WORD}{_REFERENCE}", re.IGNORECASE)
_ORDER: Final = re.compile(rf"{_WORD}(?={_REFERENCE})".encode("ascii"), re.IGNORECASE)
_MENTION: Final = re.compile(r"@(?=\w)")
_COMMENT: Final = re.compile(r"<(?=!--)|--(?=>)")


def clean(text: str) -> str:
    """Give the text without what steers a terminal, hides, or is a credential; lines end by a line feed, tabs stay."""
    text = _LINE_END.sub("\n", _STEERING.sub("", _INVISIBLE.sub("", text)))
    return masked(_CONTROL.sub("\ufffd", text))


def one_line(text: str, most_chars: int = MAX_REASON) -> str:
    """Clean a text and put it on one line of at most that many characters."""
    return cut(" ".join(clean(text).split()), most_chars)


def cut(text: str, most_chars: int) -> str:
    """Give the beginning of a text, with an ellipsis where something is left out."""
    return text if len(text) <= most_chars else text[: most_chars - 1].rstrip() + ELLIPSIS


def cut_front(text: str, most_chars: int) -> str:
    """Give the end of a text, in whole lines where it has them, with a line that says what is left out."""
    if len(text) <= most_chars:
        return text
    end = text[len(text) - max(most_chars - 60, 0) :]
    _, line_end, rest = end.partition("\n")
    end = rest if line_end and rest.strip() else end
    return f"[… {len(text) - len(end)} characters before this]\n{end}"


def disarm(text: str) -> str:
    """Clean a text and break its mentions, closing words and HTML comments by an invisible space.

    It reads as before, and no forge notifies anybody, closes anything or takes it for one of our markers.
    """
    text = _CLOSING.sub(_broken, clean(text))
    text = _MENTION.sub("@" + ZERO_WIDTH_SPACE, text)
    return _COMMENT.sub(_broken, text)


def closing_phrases(text: str) -> tuple[str, ...]:
    """List what in a message a forge may read as the order to close an issue, in order, each once."""
    found = (" ".join(match[0].split()) for match in _PHRASE.finditer(clean(text)))
    return tuple(dict.fromkeys(found))


def unclosed(message: bytes) -> bytes:
    """Put "Refs" where a message orders a forge to close an issue; the rest stays as it is, byte for byte."""
    return _ORDER.sub(lambda found: b"Refs" if found[0][:1].isupper() else b"refs", message)


def _broken(found: re.Match[str]) -> str:
    return found[0][0] + ZERO_WIDTH_SPACE + found[0][1:]
