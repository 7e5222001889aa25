"""What a list of texts may be: names, paths, commands, and tables from a name to a value."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from gitsched.config.rules import Rule, Text, list_of, quoted, refused_type
from gitsched.config.spot import Spot

Argv = tuple[str, ...]
"""A program and its arguments."""


@dataclass(frozen=True, slots=True)
class Many:
    """An array whose elements follow one rule."""

    each: Rule
    empty_allowed: bool = True
    repeats_allowed: bool = False

    @property
    def says(self) -> str:
        """Say what an element is."""
        return f"{'an' if self.empty_allowed else 'a non-empty'} array, each element {self.each.says}"

    def read(self, value: object, spot: Spot) -> tuple[object, ...]:
        """Read every element, in order."""
        if not isinstance(value, list):
            raise refused_type(value, self, spot)
        if not value and not self.empty_allowed:
            raise spot.refusal("The array is empty.", f"It takes {self.says}.")
        items = tuple(self.each.read(item, spot.child(i)) for i, item in enumerate(value))
        for i, item in enumerate(items):
            if item in items[:i] and not self.repeats_allowed:
                raise spot.child(i).refusal("The array holds it already.", "Write it once.")
        return items

    def render(self, value: object) -> str:
        """Write the array."""
        assert isinstance(value, tuple)
        return f"[{', '.join(self.each.render(item) for item in value)}]"


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments: an array, or a string that is split without a shell."""

    absent_allowed: bool = False
    """Whether an empty array says that there is no command."""

    @property
    def says(self) -> str:
        """Say both forms."""
        return 'a command such as ["make", "test"] or "make test" (split without a shell)'

    def read(self, value: object, spot: Spot) -> Argv:
        """Read an argv whose program is named."""
        argv = self._split(value, spot) if isinstance(value, str) else self._items(value, spot)
        if self.absent_allowed and value == []:
            return argv
        if not argv or not argv[0].strip():
            raise spot.refusal("The command is empty.", f"It takes {self.says}.")
        return argv

    def render(self, value: object) -> str:
        """Write it as an array."""
        assert isinstance(value, tuple)
        return list_of(value)

    def _items(self, value: object, spot: Spot) -> Argv:
        if not isinstance(value, list):
            raise refused_type(value, self, spot)
        argument = Text("text without a NUL")
        return tuple(argument.read(item, spot.child(i)) for i, item in enumerate(value))

    def _split(self, value: str, spot: Spot) -> Argv:
        if "\0" in value:
            raise spot.refusal("The command holds a NUL.", f"It takes {self.says}.")
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise spot.refusal(
                f"The command cannot be split: {str(error).lower()}.", f"It takes {self.says}."
            ) from error


@dataclass(frozen=True, slots=True)
class SuiteCommand:
    """A command, or the word `none`: that there is no suite is said, not left out."""

    @property
    def says(self) -> str:
        """Say the command's forms and the word."""
        return f'{Command().says}, or "none" where there is no suite'

    def read(self, value: object, spot: Spot) -> Argv:
        """Read an argv; empty for `none`."""
        return () if value == "none" else Command().read(value, spot)

    def render(self, value: object) -> str:
        """Write the command, the word, or nothing where nothing was declared."""
        return Command().render(value) if value else '"none"' if value == () else ""


@dataclass(frozen=True, slots=True)
class Named:
    """A table whose keys are names and whose values follow one rule."""

    pattern: str
    """What a whole name must match."""
    each: Rule

    @property
    def says(self) -> str:
        """Say what a value is."""
        return f"a table from a name to {self.each.says}"

    def read(self, value: object, spot: Spot) -> Mapping[str, object]:
        """Read every value, in the order of the file."""
        if not isinstance(value, dict):
            raise refused_type(value, self, spot)
        for name in value:
            if not re.fullmatch(self.pattern, name):
                raise spot.child(name).refusal(
                    "The name does not have its form.", f"It takes names like {self.pattern}."
                )
        return {name: self.each.read(item, spot.child(name)) for name, item in value.items()}

    def render(self, value: object) -> str:
        """Write an inline table."""
        assert isinstance(value, Mapping)
        pairs = ", ".join(f"{quoted(n)} = {self.each.render(v)}" for n, v in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"


PATHS_BELOW = Many(
    Text(
        "a relative path that stays below the tree's root, such as node_modules",
        r"(?!/)(?!(?:.*/)?\.\.(?:/|$))(?!\.?$)[^\\]+",
    )
)
"""Paths inside a worktree: they are copied, kept or removed, so none may lead out of it."""
ENV_NAMES = Many(Text("the name of an environment variable", r"[A-Za-z_][A-Za-z0-9_]*"))
LABELS = Many(Text("a label", r"[^\s,](?:[^\n,]*[^\s,])?"))
PROFILE_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}"
