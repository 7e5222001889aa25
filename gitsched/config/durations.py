"""Text with a unit: durations (`500ms 30s 15m 2h 30d`) and sizes (`64MiB 1GiB`).

One whole number and one unit, nothing between them: what reads in two ways is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_MILLISECONDS: Final[Mapping[str, int]] = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}
_BYTES: Final[Mapping[str, int]] = {
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_QUANTITY: Final = re.compile(r"([0-9]{1,19})([A-Za-z]+)")

LONGEST_S: Final = 3650 * 86_400.0
"""Ten years: longer is a slip, not a wish."""
LARGEST_BYTES: Final = 2**60
"""One exbibyte, for the same reason."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """The text is no quantity; `reason` completes "the value …"."""

    reason: str


def parse_duration_s(text: str) -> float | Malformed:
    """Read a duration as seconds."""
    amount = _amount(text, _MILLISECONDS, "30s")
    if isinstance(amount, Malformed):
        return amount
    return Malformed("is longer than 3650d") if amount > LONGEST_S * 1000 else amount / 1000


def parse_size_bytes(text: str) -> int | Malformed:
    """Read a size as bytes; units are binary."""
    amount = _amount(text, _BYTES, "64MiB")
    if isinstance(amount, Malformed):
        return amount
    return Malformed("is larger than 1048576TiB") if amount > LARGEST_BYTES else amount


def render_duration(seconds: float) -> str:
    """Write a duration with the largest unit that keeps it whole, to the millisecond."""
    return _render(round(seconds * 1000), _MILLISECONDS, "s")


def render_size(size_bytes: int) -> str:
    """Write a size with the largest unit that keeps it whole."""
    return _render(size_bytes, _BYTES, "B")


def _amount(text: str, units: Mapping[str, int], example: str) -> int | Malformed:
    found = _QUANTITY.fullmatch(text)
    if found is None:
        bare = text.strip().isdecimal()
        return Malformed("has no unit" if bare else f"is not a whole number and a unit like {example}")
    factor = units.get(found[2])
    if factor is None:
        return Malformed(f"has the unknown unit '{found[2]}'")
    return int(found[1]) * factor


def _render(amount: int, units: Mapping[str, int], zero_unit: str) -> str:
    if amount == 0:
        return f"0{zero_unit}"
    unit = max((u for u in units if amount % units[u] == 0), key=lambda u: units[u])
    return f"{amount // units[unit]}{unit}"
