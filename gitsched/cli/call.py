"""One call of the command line: where it looks, how loud it is, and the clone that it works on."""

import os
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsched.ports.store import Store
    from gitsched.view.table import Look
    from gitsched.wiring.clone import Clone


class Call:
    """What every verb is given beside its own arguments.

    Standard output carries what was asked for and nothing else; a verb writes it once its work is done, so
    that a refused one leaves it empty.
    """

    def __init__(self, directory: Path, *, is_quiet: bool = False) -> None:
        """Remember where to look; nothing is opened before it is needed."""
        self.directory = directory
        self.is_quiet = is_quiet

    @cached_property
    def clone(self) -> "Clone":
        """Open the clone around the directory. Raises UsageError where there is none."""
        from gitsched.errors import UsageError
        from gitsched.wiring.clone import open_clone

        if not self.directory.is_dir():
            raise UsageError(f"'{self.directory}' was to be worked in.", "It is no folder.", "Give -C a folder.")
        return open_clone(self.directory)

    @property
    def store(self) -> "Store":
        """Give the store to a verb that acts; one that is not there yet is set up by what is not refused.

        Raises ConfigError where there is no configuration either.
        """
        settings = self.clone.settings
        self.clone.catch_up()
        if self._is_set_up():
            return self.clone.store
        from gitsched.domain.records import Control
        from gitsched.domain.state import State
        from gitsched.engine.rehearsal import Beginning

        empty = State(control=Control(slots_max=settings.slots.max))
        return Beginning(self.set_up, empty, self.clone.clock.now())

    def set_up(self) -> "Store":
        """Make sure that the store is there, and give it. Raises ConfigError where there is no configuration."""
        from gitsched.domain.records import Control

        settings = self.clone.settings
        if not self._is_set_up():
            self.clone.store.initialise(Control(slots_max=settings.slots.max))
        return self.clone.store

    def _is_set_up(self) -> bool:
        from gitsched.domain.ids import STATE_REF

        return self.clone.refs.resolve(STATE_REF) is not None

    @cached_property
    def actor(self) -> str:
        """Name the person who calls."""
        from gitsched.wiring.operator import actor_of

        return actor_of(self.clone)

    def afresh(self) -> "Call":
        """Give the call once more, as its repository is by now."""
        return Call(self.directory, is_quiet=self.is_quiet)

    def below(self, directory: str | None, *, is_quiet: bool) -> "Call":
        """Give the call that a verb's own `-C` and `--quiet` make of this one."""
        if directory is None and not is_quiet:
            return self
        return Call(self.directory / (directory or ""), is_quiet=self.is_quiet or is_quiet)

    def show(self, text: str) -> None:
        """Write what a reading verb was asked for."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def tell(self, text: str) -> None:
        """Write what an acting verb did, unless it is to be quiet."""
        if not self.is_quiet:
            self.show(text)

    def remark(self, text: str) -> None:
        """Write to standard error what a person should know, unless it is to be quiet."""
        if not self.is_quiet:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def progress(self, text: str) -> None:
        """Write a line of progress to standard error, where that is a terminal."""
        if sys.stderr.isatty():
            self.remark(text)

    @property
    def look(self) -> "Look":
        """Tell how standard output may look."""
        from gitsched.view.table import Look

        if not sys.stdout.isatty():
            return Look()
        return Look(colour=_wants_colour(), width=os.get_terminal_size(sys.stdout.fileno()).columns)

    @property
    def draws(self) -> bool:
        """Say whether standard output is a terminal that can be drawn on."""
        return sys.stdout.isatty() and _can_draw() and not self.is_quiet

    @property
    def is_live(self) -> bool:
        """Say whether standard error is a terminal that can be drawn on."""
        return sys.stderr.isatty() and _can_draw() and not self.is_quiet


def _can_draw() -> bool:
    return os.environ.get("TERM", "dumb") not in ("", "dumb")


def _wants_colour() -> bool:
    # https://no-color.org: set and not empty, whatever its value.
    return _can_draw() and not os.environ.get("NO_COLOR")
