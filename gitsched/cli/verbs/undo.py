"""`gitsched undo`."""

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched undo")
def undo(call: Call) -> int:
    """Take the last thing back that an operator did.

    An enqueue, a seal, a priority, a pause, a hold, an abandon before it took effect. Nothing that the engine did
    is taken back: where something has come of the act, undo is refused.
    """
    from gitsched.engine.intake.undo import undo as take_back

    clone = call.clone
    answer = take_back(clone.store, call.actor)
    clone.runner.wake_all()
    call.tell(f"Taken back: {answer.sentence} ({answer.actor}, {answer.at[:19].replace('T', ' ')}).")
    return 0
