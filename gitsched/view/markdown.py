"""Put cleaned text of others into Markdown so that it stays text: escaped, in code, or in a fence it cannot close.

Source: CommonMark 0.31, sections 2.4, 6.1 and 4.5; GitHub Flavored Markdown for `~` and `|`.
"""

import re
from typing import Final

from gitsched.view.clean import ZERO_WIDTH_SPACE, clean, cut_front, disarm, one_line

MAX_TITLE: Final = 120
MAX_CODE: Final = 160

_SPECIAL: Final = re.compile(r"[\\`*\[\]<~|]|&(?=#?\w)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=\s)#(?=#*$)")
_BLOCK_START: Final = re.compile(r"^(\d{0,9})(?=[-+>=#.):])")
_BACKTICKS: Final = re.compile(r"`+")
_LONG_RUN: Final = re.compile(r"(`{40})(?=`)")


def escaped(text: str, most_chars: int = MAX_TITLE) -> str:
    """Write a text into a line of Markdown as what it says; never empty."""
    plain = disarm(one_line(text, most_chars)) or "(nothing)"
    return _BLOCK_START.sub(r"\1" + r"\\", _SPECIAL.sub(r"\\\g<0>", plain))


def code(text: str, most_chars: int = MAX_CODE) -> str:
    """Write a text as code within a line; never empty."""
    plain = _shortened(disarm(one_line(text, most_chars))) or "(nothing)"
    longest = max((len(run) for run in _BACKTICKS.findall(plain)), default=0)
    ticks = "`" * (longest + 1)
    gap = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{gap}{plain}{gap}{ticks}"


def cell(text: str) -> str:
    """Fit a piece of Markdown that may hold bars into a cell of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def fenced(text: str, most_chars: int) -> str:
    """Write the end of a tool's output as a block whose fence is longer than any inside it."""
    plain = _shortened(disarm(cut_front(clean(text).strip("\n"), most_chars)))
    longest = max((len(run) for run in _BACKTICKS.findall(plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{plain}\n{fence}"


def _shortened(plain: str) -> str:
    """Break runs of backticks that are longer than any fence should be."""
    return _LONG_RUN.sub(rf"\1{ZERO_WIDTH_SPACE}", plain)
