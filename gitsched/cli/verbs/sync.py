"""`gitsched sync`."""

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched sync")
def sync(call: Call) -> int:
    """Have what the remote has.

    State, runs, notes, evidence and branches of `project.remote`, which is the authority. Two stores that were both
    worked on without a remote are not joined.
    """
    from gitsched.domain.ids import STATE_REF
    from gitsched.errors import RefusedError

    clone = call.clone
    if clone.shared is None:
        asked = "The state was to be brought to where the remote has it."
        against = "No remote is the authority here: `project.remote` is empty."
        raise RefusedError(
            asked, against, "Name one in gitsched.toml; until then `gitsched status` shows all there is."
        )
    clone.catch_up()
    name = clone.settings.project.remote
    if clone.refs.resolve(STATE_REF) is None:
        call.tell(f"'{name}' holds no state yet.")
    else:
        call.tell(f"This clone has what '{name}' has: {len(clone.store.read().entries)} entries.")
    clone.wake_all()
    return 0
