"""`gitsched gc`."""

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched gc")
def gc(call: Call) -> int:
    """Move what has ended out of the way, and sum old history up.

    Ended batches go into the archive, where `status --all`, `show`, `log` and `report` still find them; rescued work
    goes after 14 days and evidence after `evidence.keep`, unless something unfinished may ask for it; history older
    than `store.compact_after` becomes one commit. Safe beside drivers at work.
    """
    from gitsched.engine.hygiene.gc import collect

    clone = call.clone
    done = collect(clone.premises(), clone.settings_or_default, clone.clock.now(), call.actor)
    for count, what in (
        (len(done.archived), "batches are in the archive now"),
        (len(done.rescues), "refs of rescued work are gone"),
        (len(done.evidence), "batches have no evidence any more"),
        (done.squashed, "transactions are summed up"),
    ):
        if count:
            call.tell(f"{count} {what}.")
    if not (done.archived or done.rescues or done.evidence or done.squashed):
        call.tell("There was nothing to do.")
    return 0
