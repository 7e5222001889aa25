"""A spot in a configuration file, and the refusal that names it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gitsched.config.lines import KeyPath
from gitsched.errors import ConfigError

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Spot:
    """One key of one file."""

    filename: str
    """As it is to be shown."""
    lines: Mapping[KeyPath, int]
    path: KeyPath = ()

    def child(self, key: str | int) -> "Spot":
        """Step to a key of this table, or to an element of this array (from 0)."""
        return Spot(self.filename, self.lines, (*self.path, key))

    def at(self, path: KeyPath) -> "Spot":
        """Step to any key, counted from the root."""
        return Spot(self.filename, self.lines, path)

    @property
    def line(self) -> int:
        """The line of the key, or of the nearest table around it; 1 where nothing is written."""
        for length in range(len(self.path), 0, -1):
            if self.path[:length] in self.lines:
                return self.lines[self.path[:length]]
        return 1

    @property
    def key(self) -> str:
        """The dotted key; the second element of an array is `[2]`."""
        return dotted(self.path)

    def refusal(self, against: str, remedy: str) -> ConfigError:
        """Make the error that names file, line and key; the caller raises it."""
        return ConfigError(f"{self.filename}, line {self.line}: '{self.key}' was to be read.", against, remedy)


def dotted(path: KeyPath) -> str:
    """Write a path as a person would: quoted where a bare key cannot hold it, counted from 1."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            shown = part if _BARE.fullmatch(part) else repr(part)
            text += f".{shown}" if text else shown
    return text
