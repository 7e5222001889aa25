"""Filling the queue on the way of another verb: `run` and `plan` enqueue what they are given."""

from typing import TYPE_CHECKING, Any

from gitsched.cli.call import Call
from gitsched.cli.verbs.enqueue import request_of
from gitsched.engine.intake.enqueue import EnqueueAnswer, enqueue
from gitsched.engine.intake.filling import portions, to_enqueue
from gitsched.engine.intake.issues import read_issues

if TYPE_CHECKING:
    from gitsched.ports.store import Store


def fill(call: Call, store: "Store", issues: tuple[int, ...], options: dict[str, Any]) -> list[EnqueueAnswer]:
    """Enqueue the issues that have no row yet, in as many batches as their number asks for.

    Raises what `enqueue` raises; batches that were written before stay.
    """
    clone = call.clone
    wanted = to_enqueue(store.read(), issues)
    if not wanted:
        return []
    found = read_issues(clone.forge, wanted)
    cut = [wanted] if options.get("batch") else portions(wanted, found, clone.settings)
    return [enqueue(store, clone.forge, clone.settings, request_of(portion, options), call.actor) for portion in cut]
