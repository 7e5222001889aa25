"""`gitsched resume`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.engine.intake.resuming import ResumeAnswer


@verb(example="gitsched resume b1")
@click.argument("unit", metavar="[BATCH|ISSUE]", required=False)
@click.option("--reload", "takes_new", is_flag=True, help="The batch takes the settings as they are now.")
def resume(call: Call, unit: str | None, *, takes_new: bool) -> int:
    """Go on: all, or one issue or batch.

    Without a name it ends a pause. A blocked batch does again what blocked it; a held issue is accepted as it is.
    """
    from gitsched.engine.intake.pausing import resume_scheduler
    from gitsched.engine.intake.resuming import ResumeRequest
    from gitsched.engine.intake.resuming import resume as resume_unit
    from gitsched.errors import UsageError

    if unit is None and takes_new:
        raise UsageError("New settings were to be taken.", "No batch is named.", "`gitsched status` names them.")
    clone = call.clone
    if unit is None:
        changed = resume_scheduler(call.store, call.actor).changed
        call.tell("Resumed: new runs start again." if changed else "Nothing was paused.")
    else:
        answer = resume_unit(call.store, clone.settings, ResumeRequest(unit, reload=takes_new), call.actor)
        call.tell(_told(answer))
    clone.runner.wake_all()
    return 0


def _told(answer: "ResumeAnswer") -> str:
    told = f"{answer.unit} goes on: {answer.status}."
    told += f" Gate '{answer.gate}' is run again." if answer.gate else ""
    return told + (" It has taken the settings as they are now." if answer.reloaded else "")
