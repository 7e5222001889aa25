"""`gitsched sync`."""

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.domain.counting import how_many


@verb(example="gitsched sync")
def sync(call: Call) -> int:
    """Have what the remote has.

    State, runs, notes, evidence and branches of `project.remote`, which is the authority. What this clone did apart
    from it, with `remote = ""`, is joined in record by record: what both changed is held `record-conflict`.
    A remote whose state was set back gets this clone's newer one again.
    """
    from gitsched.adapters.store.meeting import meet
    from gitsched.domain.ids import STATE_REF
    from gitsched.errors import RefusedError

    clone = call.clone
    if clone.shared is None:
        asked = "The state was to be brought to where the remote has it."
        against = "No remote is the authority here: `project.remote` is empty."
        raise RefusedError(
            asked, against, "Name one in gitsched.toml; until then `gitsched status` shows all there is."
        )
    met = meet(clone.shared.store, call.actor)
    name = clone.settings.project.remote
    if clone.refs.resolve(STATE_REF) is None:
        call.tell(f"'{name}' holds no state yet.")
    else:
        held = how_many(len(clone.store.read().entries), "entry", "entries")
        call.tell(f"This clone has what '{name}' has: {held}.")
    if met is not None:
        call.tell(f"'{name}' has taken in what this clone did apart from it: {met.taken_in} records.")
        worked = [*(f"issue {issue}" for issue in met.issues), *(f"batch {batch}" for batch in met.batches)]
        if worked:
            call.tell(f"Both sides worked {', '.join(worked)}: held as record-conflict; `gitsched log` has ours.")
    clone.wake_all()
    return 0
