"""What a single value may be: one small rule per kind, each with the words that say it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gitsched.config.durations import (
    Malformed,
    parse_duration_s,
    parse_size_bytes,
    render_duration,
    render_size,
)
from gitsched.config.spot import Spot
from gitsched.errors import ConfigError


class Rule(Protocol):
    """Reads one value of the file into the value that the settings keep."""

    @property
    def says(self) -> str:
        """What is allowed, as it completes "It takes …"."""
        ...

    def read(self, value: object, spot: Spot) -> object:
        """Check and convert; raise ConfigError naming the spot."""
        ...

    def render(self, value: object) -> str:
        """Write a kept value as TOML would."""
        ...


def kind_of(value: object) -> str:
    """Name the TOML type of a decoded value."""
    names = {bool: "a boolean", int: "an integer", float: "a float", str: "text"}
    names |= {list: "an array", dict: "a table"}
    return names.get(type(value), "a date or time")


def refused_type(value: object, rule: Rule, spot: Spot) -> ConfigError:
    """Make the refusal of a value whose type is wrong."""
    return spot.refusal(f"The value is {kind_of(value)}.", f"It takes {rule.says}.")


def quoted(text: str) -> str:
    """Write text as a TOML basic string."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    shown = (escapes.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in text)
    return f'"{"".join(shown)}"'


def list_of(items: Sequence[str]) -> str:
    """Write texts as a TOML array."""
    return f"[{', '.join(quoted(item) for item in items)}]"


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false, and nothing that only looks like it."""

    says: str = "true or false"

    def read(self, value: object, spot: Spot) -> bool:
        """Read a boolean."""
        if isinstance(value, bool):
            return value
        raise refused_type(value, self, spot)

    def render(self, value: object) -> str:
        """Write `true` or `false`."""
        return str(value).lower()


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number of a range; a boolean is no number."""

    low: int
    high: int

    @property
    def says(self) -> str:
        """Name the range."""
        return f"a whole number from {self.low} to {self.high}"

    def read(self, value: object, spot: Spot) -> int:
        """Read an integer of the range."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise refused_type(value, self, spot)
        if not self.low <= value <= self.high:
            raise spot.refusal(f"The value {value} is out of range.", f"It takes {self.says}.")
        return value

    def render(self, value: object) -> str:
        """Write the digits."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a range, whole or not."""

    low: float
    high: float

    @property
    def says(self) -> str:
        """Name the range."""
        return f"a number from {self.low:g} to {self.high:g}"

    def read(self, value: object, spot: Spot) -> float:
        """Read a float or an integer of the range; `nan` is in none."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refused_type(value, self, spot)
        if not self.low <= value <= self.high:
            raise spot.refusal(f"The value {value} is out of range.", f"It takes {self.says}.")
        return float(value)

    def render(self, value: object) -> str:
        """Write it with a point."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Text:
    """Text of one form."""

    says: str
    pattern: str = r"(?s:.*)"
    """What the whole text must match."""

    def read(self, value: object, spot: Spot) -> str:
        """Read text that has the form and holds no NUL."""
        if not isinstance(value, str):
            raise refused_type(value, self, spot)
        if "\0" in value or not re.fullmatch(self.pattern, value):
            raise spot.refusal(f"The value {value!r} does not have its form.", f"It takes {self.says}.")
        return value

    def render(self, value: object) -> str:
        """Write it quoted."""
        return quoted(str(value))


@dataclass(frozen=True, slots=True)
class Choice:
    """One word of a closed set; the default is named beside the field."""

    words: tuple[str, ...]

    @property
    def says(self) -> str:
        """Name the words."""
        return "one of " + ", ".join(quoted(word) for word in self.words)

    def read(self, value: object, spot: Spot) -> str:
        """Read one of the words, to the letter."""
        if not isinstance(value, str):
            raise refused_type(value, self, spot)
        if value not in self.words:
            raise spot.refusal(f"The value {value!r} is not known.", f"It takes {self.says}.")
        return self.words[self.words.index(value)]  # the enum member, where the words are one

    def render(self, value: object) -> str:
        """Write it quoted."""
        return quoted(str(value))


@dataclass(frozen=True, slots=True)
class Duration:
    """A time with a unit, kept as seconds."""

    zero_allowed: bool = False

    @property
    def says(self) -> str:
        """Say the form and whether zero is one."""
        return "text with a unit such as 500ms, 30s, 15m, 2h or 30d" + (
            ", 0s included" if self.zero_allowed else ", above zero"
        )

    def read(self, value: object, spot: Spot) -> float:
        """Read seconds."""
        return _quantity(value, parse_duration_s, self, spot)

    def render(self, value: object) -> str:
        """Write it with its unit."""
        assert isinstance(value, float)
        return quoted(render_duration(value))


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of data with a unit, kept as bytes."""

    zero_allowed: bool = False

    @property
    def says(self) -> str:
        """Say the form and whether zero is one."""
        return "text with a unit such as 512KiB, 64MiB or 2GiB" + (
            ", 0B included" if self.zero_allowed else ", above zero"
        )

    def read(self, value: object, spot: Spot) -> int:
        """Read bytes."""
        return _quantity(value, parse_size_bytes, self, spot)

    def render(self, value: object) -> str:
        """Write it with its unit."""
        assert isinstance(value, int)
        return quoted(render_size(value))


Amount = TypeVar("Amount", int, float)


def _quantity(
    value: object,
    parse: Callable[[str], Amount | Malformed],
    rule: Duration | Size,
    spot: Spot,
) -> Amount:
    if not isinstance(value, str):
        raise refused_type(value, rule, spot)
    amount = parse(value)
    if isinstance(amount, Malformed):
        raise spot.refusal(f"The value {value!r} {amount.reason}.", f"It takes {rule.says}.")
    if amount == 0 and not rule.zero_allowed:
        raise spot.refusal(f"The value {value!r} is zero.", f"It takes {rule.says}.")
    return amount
