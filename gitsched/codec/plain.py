"""Output of a command as plain text: what a terminal would still show, without anything that steers it."""

import re
from typing import Final

# ECMA-48: control sequences (CSI), strings to the terminal (OSC, DCS …), and the short escapes.
_STEERING: Final = re.compile(
    r"\x1b\[[0-9:;<=>?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]", re.DOTALL
)
# Bidirectional overrides and isolates (Unicode TR 9) can make a line read as another one.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def plain_text(output: bytes) -> str:
    """Decode output, strip colour and cursor movement, and keep the last state of rewritten lines.

    Keeps tabs and line ends; undecodable bytes become U+FFFD.
    """
    text = _STEERING.sub("", output.decode("utf-8", "replace"))
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", "\n".join(lines))


def last_lines(output: bytes, most_chars: int) -> str:
    """Give the end of the output as plain text, whole lines where possible, at most `most_chars` characters."""
    text = plain_text(output[-8 * most_chars :]).strip("\n")
    if len(text) <= most_chars:
        return text
    end = text[-most_chars:]
    _, cut, rest = end.partition("\n")
    return rest if cut and rest.strip() else end


def one_line(text: str, most_chars: int) -> str:
    """Clean a text of control and bidirectional characters and put it on one line of that length."""
    words = " ".join(_CONTROL.sub(" ", _STEERING.sub("", text)).split())
    return words if len(words) <= most_chars else words[: most_chars - 1] + "…"
