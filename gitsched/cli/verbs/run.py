"""`gitsched run`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.selecting import Selection, chosen_issues, with_label
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.engine.driver import Until


@verb(example="gitsched run 12 14 15")
@click.argument("issues", nargs=-1, metavar="[ISSUE]...")
@click.option("--all-open", is_flag=True, help="Every open issue.")
@with_label
@click.option("--slots", type=int, metavar="N", help="Have N slots from now on.")
@click.option("--at-most", type=click.IntRange(1), metavar="N", help="Have at most N runs on this machine meanwhile.")
@click.option("--until-idle", is_flag=True, help="End when only a person or the forge can move anything.")
@click.option("--once", is_flag=True, help="One pass, then end.")
def run(
    call: Call,
    issues: tuple[str, ...],
    *,
    all_open: bool,
    label: str | None,
    slots: int | None,
    at_most: int | None,
    **how: bool,
) -> int:  # many-parameters: click hands each option over
    """Drive until the named issues are settled.

    Issues that are not queued yet are enqueued first. Without any it drives until Ctrl-C: the first starts nothing
    new and waits for what runs, the second ends the agents and keeps their work. The same command again continues.
    """
    from gitsched.cli.driving import drive, refuse_unready
    from gitsched.cli.filling import fill
    from gitsched.engine.intake.capacity import change_slots, checked_slots

    clone = call.clone
    selected = Selection(issues, label=label, all_open=all_open)
    refuse_unready(clone)
    numbers = chosen_issues(clone.served_forge, selected, call.directory)
    wanted = None if slots is None else checked_slots(slots)
    fill(call, call.store, numbers, {})
    if wanted is not None:
        change_slots(call.store, wanted, call.actor)
    call.set_up()
    return drive(call, _until(selected, **how), None if selected.is_empty else numbers, at_most)


def _until(selected: Selection, *, until_idle: bool, once: bool) -> "Until":
    from gitsched.engine.driver import Until

    if once:
        return Until.ONCE
    if until_idle:
        return Until.IDLE
    return Until.STOPPED if selected.is_empty else Until.SETTLED
