"""`gitsched action`."""

from importlib import import_module

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

_FACE = "gitsched.action.entry"
"""A face beside this one: it is found by its name, for neither may import the other."""


@verb(example="gitsched action")
def action(call: Call) -> int:
    """Work off a GitHub workflow's event.

    The Action's entry: it takes in the event that started the job, makes a tick, and writes summary and outputs.
    """
    ended: int = import_module(_FACE).run(call.directory)
    return ended
