"""How a verb is declared: a plain function with plain arguments, its help and one example.

Every verb takes `-C DIR` and `--quiet`; a reading verb takes `--json` too, and is given it as `as_json`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from gitsched.cli.call import Call

Function = Callable[..., int]
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def verb(
    *, example: str, name: str | None = None, reads: bool = False, takes_numbers: bool = False
) -> Callable[[Function], click.Command]:
    """Make a click command of `function(call, …) -> exit code`.

    `takes_numbers` lets an argument begin with a minus.
    """

    def declare(function: Function) -> click.Command:
        @wraps(function)
        @click.pass_obj
        def callback(call: Call, /, *, directory: str | None, quiet: bool, **arguments: Any) -> int:
            return function(call.below(directory, is_quiet=quiet), **arguments)

        if reads:
            callback = _JSON(callback)
        callback = _QUIET(_DIRECTORY(callback))
        called = name or function.__name__.strip("_").replace("_", "-")
        shown = f"Example:\n\n  {example}"
        settings = SETTINGS | {"ignore_unknown_options": True} if takes_numbers else SETTINGS
        return click.command(called, epilog=kept(shown), context_settings=settings)(callback)

    return declare


def kept(text: str) -> str:
    """Mark paragraphs that click must not fold."""
    return "\n\n".join(f"\b\n{part}" for part in text.split("\n\n"))


_DIRECTORY = click.option("-C", "directory", metavar="DIR", help="Work as if started in DIR.")
_QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress, no confirmation.")
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
