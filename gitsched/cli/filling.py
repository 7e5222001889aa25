"""Filling the queue on the way of another verb: `run` and `plan` enqueue what they are given."""

from typing import TYPE_CHECKING, Any

from gitsched.cli.call import Call
from gitsched.cli.verbs.enqueue import request_of
from gitsched.engine.intake.enqueue import EnqueueAnswer, enqueue
from gitsched.engine.intake.filling import portions, to_enqueue
from gitsched.engine.intake.issues import read_issues
from gitsched.engine.rehearsal import Rehearsal

if TYPE_CHECKING:
    from gitsched.ports.store import Store


def fill(call: Call, store: "Store", issues: tuple[int, ...], options: dict[str, Any]) -> list[EnqueueAnswer]:
    """Enqueue the issues that have no row yet, in as many batches as their number asks for: all of them, or none.

    Raises what `enqueue` raises.
    """
    clone = call.clone
    wanted = to_enqueue(store.read(), issues)
    if not wanted:
        return []
    found = read_issues(clone.served_forge, wanted)
    cut = [wanted] if options.get("batch") else list(portions(wanted, found, clone.settings))

    def put(into: "Store") -> list[EnqueueAnswer]:
        requests = [request_of(portion, options) for portion in cut]
        return [enqueue(into, clone.served_forge, clone.settings, request, call.actor) for request in requests]

    if len(cut) > 1:
        put(Rehearsal(store.read(), clone.clock.now()))
    return put(store)
