"""`gitsched schedule add`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.domain.state import Draft
    from gitsched.engine.intake.booking import Booking
    from gitsched.engine.intake.enqueue import EnqueueAnswer


@verb(name="add", example="gitsched schedule add 12 14 15 --window 22:00-06:00 --tz Europe/Berlin")
@click.argument("units", nargs=-1, required=True, metavar="BATCH|ISSUE...")
@click.option("--window", metavar="HH:MM-HH:MM", help="Every day between these two times.")
@click.option("--tz", "zone", metavar="ZONE", help="Whose clocks count, for instance Europe/Berlin.")
@click.option("--at", metavar='"YYYY-MM-DD HH:MM"', help="Not before this moment.")
@click.option("--latest-start", metavar="D", help="Nothing starts later than that after the opening, such as 2h.")
@click.option("--overrun", type=click.Choice(["finish", "stop"]), help="What the window's end finds at work.")
@click.option("--misfire", type=click.Choice(["wait", "run", "ask"]), default="wait", help="After a missed window.")
@click.option("--harvest", type=click.Choice(["manual", "auto"]), help="Who lands what comes of it.")
@click.option("--approval", "needs_approval", is_flag=True, help="Nothing starts before `gitsched approve`.")
def add(call: Call, units: tuple[str, ...], **options: Any) -> int:
    """Book issues and batches for a window.

    Issues that are not in the queue yet are enqueued: several as one batch, a single one on its own. The ends of the
    window go by the clocks of the zone, also when these change.
    """
    from gitsched.cli.looking import situation_of
    from gitsched.engine.intake.booking import add_schedule

    clone = call.clone
    known, missing = _sorted_out(call, units)
    booked = add_schedule(call.store, situation_of(clone), _booking(known, options), call.actor, _enter(call, missing))
    clone.runner.wake_all()
    if booked.needs_approval:
        call.tell(f"{booked.id} is booked and waits for its approval: `gitsched schedule show {booked.id}`.")
    else:
        call.tell(f"{booked.id} is booked; it opens at {booked.opens_at}.")
    return 0


def _sorted_out(call: Call, units: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Tell what is in the queue from the numbers of issues that are not."""
    from gitsched.cli.looking import situation_of
    from gitsched.engine.intake import values
    from gitsched.engine.intake.names import unit_of
    from gitsched.errors import UnknownUnitError

    state = situation_of(call.clone).state
    known: list[str] = []
    missing: list[int] = []
    for text in units:
        try:
            unit_of(state, text)
            known.append(text)
        except UnknownUnitError:
            if not text.removeprefix("#").isdecimal():
                raise
            missing.append(values.issue_number(text))
    return tuple(known), tuple(missing)


def _enter(call: Call, missing: tuple[int, ...]) -> "Callable[[Draft], EnqueueAnswer] | None":
    from gitsched.engine.intake.enqueue import EnqueueRequest, entering

    if not missing:
        return None
    return entering(call.clone.served_forge, call.clone.settings, EnqueueRequest(issues=missing))


def _booking(units: tuple[str, ...], options: dict[str, Any]) -> "Booking":
    from gitsched.config.durations import Malformed, parse_duration_s
    from gitsched.domain.schedules import Harvest, Misfire, Overrun
    from gitsched.engine.intake.booking import Booking
    from gitsched.errors import UsageError

    latest = options["latest_start"]
    latest_s = None if latest is None else parse_duration_s(latest)
    if isinstance(latest_s, Malformed):
        raise UsageError(
            f"'{latest}' was given as the latest start.", f"It {latest_s.reason}.", "Write it as 90m or 2h."
        )
    return Booking(
        units=units,
        window=options["window"],
        zone=options["zone"],
        at=options["at"],
        latest_start_s=latest_s,
        overrun=Overrun(options["overrun"]) if options["overrun"] else None,
        misfire=Misfire(options["misfire"]),
        harvest=Harvest(options["harvest"]) if options["harvest"] else None,
        needs_approval=options["needs_approval"],
    )
