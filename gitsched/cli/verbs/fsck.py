"""`gitsched fsck`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched fsck --fix", reads=True)
@click.option("--fix", "fixes", is_flag=True, help="Mend what has one right answer; the rest is named.")
def fsck(call: Call, *, fixes: bool, as_json: bool) -> int:
    """Check everything that is kept, and mend what has one right answer.

    Journal, records, refs, kept commits, notes, evidence, runs, locks and worktrees. Exit code 1 when something
    is wrong and stays so. Nothing is changed without --fix.
    """
    from gitsched.engine.hygiene.fsck import findings_of
    from gitsched.engine.hygiene.mending import mend_all
    from gitsched.view.fsck import fsck_document, render_fsck
    from gitsched.view.json_text import document_text

    around = call.clone.premises()
    found = left = findings_of(around)
    if fixes and found:
        mend_all(found, around, call.actor)
        left = findings_of(around)
    mended = [finding for finding in found if finding not in left]
    call.show(document_text(fsck_document(left, mended)) if as_json else render_fsck(left, mended, call.look))
    return 1 if left else 0
