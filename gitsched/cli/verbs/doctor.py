"""`gitsched doctor`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched doctor --fix", reads=True)
@click.option("--fix", "fixes", is_flag=True, help="Mend what has one right answer: lost drivers, orphan worktrees.")
@click.option("--run", "runs", is_flag=True, help="Try setup, gates and suite on the target as well.")
def doctor(call: Call, *, fixes: bool, runs: bool, as_json: bool) -> int:
    """Check every precondition and say what to do.

    Exit code 0 when all is green, else 1. Nothing is changed without --fix, and then only what has one right
    answer: drivers that are gone are marked so, and clean worktrees that nothing live names are removed. With --run all
    that judges work is run on the target, in a tree of its own; a known red target is told without it.
    """
    from gitsched.policy.diagnose import diagnose
    from gitsched.policy.precondition import Level
    from gitsched.view.doctor import doctor_document, render_doctor
    from gitsched.view.json_text import document_text
    from gitsched.wiring.doctor import checkup_of

    if fixes:
        _repair(call)
    look = checkup_of(call.clone)
    if runs and look.settings is not None:
        from msgspec.structs import replace

        from gitsched.wiring.trying import tried

        look = replace(look, trials=tried(call.clone))
    checks = diagnose(look)
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
