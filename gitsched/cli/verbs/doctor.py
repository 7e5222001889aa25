"""`gitsched doctor`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched doctor --fix", reads=True)
@click.option("--fix", "fixes", is_flag=True, help="Mend what has one right answer: lost drivers, orphan worktrees.")
def doctor(call: Call, *, fixes: bool, as_json: bool) -> int:
    """Check every precondition and say what to do.

    Exit code 0 when all is green, else 1. Nothing is changed without --fix, and then only what has one right
    answer: drivers that are gone are marked so, and clean worktrees that nothing live names are removed.
    """
    from gitsched.policy.checkup import Level
    from gitsched.policy.diagnose import diagnose
    from gitsched.view.doctor import doctor_document, render_doctor
    from gitsched.view.json_text import document_text
    from gitsched.wiring.doctor import checkup_of

    if fixes:
        _repair(call)
    checks = diagnose(checkup_of(call.clone))
    call.show(document_text(doctor_document(checks)) if as_json else render_doctor(checks, call.look))
    return 0 if all(check.level is Level.GREEN for check in checks) else 1


def _repair(call: Call) -> None:
    from gitsched.engine.doctor.repairs import repair
    from gitsched.wiring.doctor import checkup_of
    from gitsched.wiring.operator import desk_of

    look = checkup_of(call.clone)
    if look.settings is None or look.state is None:
        return
    with desk_of(call.clone) as desk:
        for told in repair(look, desk):
            call.remark(told)
