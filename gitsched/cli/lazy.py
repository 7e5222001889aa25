"""A group whose verbs are loaded when they are called: start-up is budgeted."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

import click

from gitsched.cli.catalogue import Section

_VERY_NEAR: Final = 0.8
"""A second verb is named only where it is this like the word as well: `statsu` may be `stats` or `status`."""


class LazyGroup(click.Group):
    """Finds the verb `x-y` as the one command of the module `<package>.<prefix>x_y`."""

    def __init__(self, *args: Any, sections: Mapping[str, Section], prefix: str = "", **kwargs: Any) -> None:
        """Know the verbs by section."""
        super().__init__(*args, **kwargs)
        self.sections = sections
        self._prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the verbs in the order of their sections."""
        return [verb for section in self.sections.values() for verb in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb; None for a word that is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        name = f"{self._prefix}{cmd_name.replace('-', '_')}"
        module = import_module(f"gitsched.cli.verbs.{name}")
        commands = [value for value in vars(module).values() if isinstance(value, click.Command)]
        return next(command for command in commands if command.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that was called, or name the nearest ones."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            verbs = self.list_commands(ctx)
            near = get_close_matches(args[0], verbs, 2, _VERY_NEAR) or get_close_matches(args[0], verbs, 1)
            hint = _hint(near)
            raise click.UsageError(f"There is no verb '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections without loading a verb."""
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(list(section.items()))


def _hint(near: list[str]) -> str:
    if len(near) > 1:
        return f" The nearest are '{near[0]}' and '{near[1]}'."
    return f" The nearest is '{near[0]}'." if near else ""
