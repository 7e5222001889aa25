"""`gitsched reprioritize`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


# A priority may be negative: what follows the unit is never an option.
@verb(example="gitsched reprioritize 12 20", takes_numbers=True)
@click.argument("unit", metavar="ISSUE|BATCH")
@click.argument("priority")
def reprioritize(call: Call, unit: str, priority: str) -> int:
    """Change a priority.

    Higher comes first; batches begin at `batch.default_priority`, issues on their own at 0.
    """
    from gitsched.engine.intake.priority import PriorityRequest
    from gitsched.engine.intake.priority import reprioritize as change_priority
    from gitsched.engine.intake.values import priority_of

    clone = call.clone
    answer = change_priority(call.store, PriorityRequest(unit, priority_of(priority)), call.actor)
    clone.runner.wake_all()
    call.tell(f"{answer.unit}: priority {answer.before} → {answer.priority}.")
    return 0
