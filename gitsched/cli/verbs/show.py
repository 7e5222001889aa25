"""`gitsched show`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.domain.records import Batch, Entry
    from gitsched.wiring.clone import Clone


@verb(example="gitsched show b1 --at 2026-01-02T03:04:05Z", reads=True)
@click.argument("unit", metavar="BATCH|ISSUE")
@click.option("--at", "moment", metavar="TIME|COMMIT", help="As it was then.")
@click.option("--evidence", is_flag=True, help="List the batch's evidence files instead.")
def show(call: Call, unit: str, moment: str | None, *, evidence: bool, as_json: bool) -> int:
    """Show one unit in full, now or at an earlier moment.

    Its records, as they stand in the state: entry, memberships, runs, jobs, settings.
    """
    from gitsched.cli.looking import named_in
    from gitsched.cli.moments import commit_at
    from gitsched.view.json_text import document_text
    from gitsched.view.show import render_show, show_document

    clone = call.clone.with_ended()
    state = clone.store.read()
    commit = clone.store.tip
    if moment is not None:
        commit = commit_at(clone.store, moment, clone.clock.now())
        state = clone.store.read_at(commit)
    found = named_in(state, unit)
    document = _evidence(clone, found) if evidence else show_document(state, found, commit)
    call.show(document_text(document) if as_json else render_show(document))
    return 0


def _evidence(clone: "Clone", unit: "Entry | Batch") -> dict[str, object]:
    from gitsched.cli.looking import latest_membership
    from gitsched.domain.records import Entry

    if isinstance(unit, Entry):
        member = latest_membership(clone.store.read(), unit.issue)
        batch, folder = (member.batch if member is not None else None), f"runs/{unit.issue}/"
    else:
        batch, folder = unit.id, ""
    files = clone.store.evidence(batch) if batch is not None else {}
    listed = [{"path": path, "bytes": len(files[path])} for path in sorted(files) if path.startswith(folder)]
    return {"batch": batch, "evidence": listed}
