"""`gitsched why`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.domain.events import Event
    from gitsched.domain.records import Batch, Entry, Member
    from gitsched.ports.store import Store


@verb(example="gitsched why 12", reads=True)
@click.argument("unit", metavar="ISSUE|BATCH")
def why(call: Call, unit: str, *, as_json: bool) -> int:
    """Say why an issue or batch is where it is, and what comes next.

    Every unit has one state, and one that does not run has at least one reason.
    """
    from gitsched.cli.looking import picture_of, unit_named
    from gitsched.view import why as view

    clone = call.clone.with_ended()
    picture = picture_of(clone)
    found = unit_named(picture, unit)
    if as_json:
        from gitsched.view.json_text import document_text

        call.show(document_text(view.why(picture, found).document))
    else:
        last = _cause(clone.store, view.bearer(picture, found))
        call.show(view.render_why(view.why(picture, found, last), last))
    return 0


def _cause(store: "Store", record: "Entry | Batch | Member") -> "Event | None":
    """Find the event that gave a record the status it has."""
    from gitsched.domain.state import record_path

    path = record_path(record)
    for entry in store.history(path):
        for event in reversed(entry.events):
            claim = event.claims.get(path)
            if claim is not None and claim.status == record.status:
                return event
    return None
