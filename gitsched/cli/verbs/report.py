"""`gitsched report`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import UsageError

if TYPE_CHECKING:
    from gitsched.domain.instants import Instant
    from gitsched.domain.state import State

_NIGHT_S = 86_400.0


@verb(example="gitsched report b1 --md")
@click.argument("batch", required=False)
@click.option("--night", is_flag=True, help="What the last night came to, on one page.")
@click.option("--md", is_flag=True, expose_value=False, help="As Markdown, which is also the default.")
def report(call: Call, batch: str | None, *, night: bool) -> int:
    """Say what a batch, or a night, came to.

    What landed and what left, with gates, suite, evidence and costs. The same batch always gives the same text.
    `--night` tells everything since the last window opened, or of the last day: what landed, was evicted, failed, is
    held or was not touched, what it cost, and one command for each.
    """
    if (batch is None) is not night:
        raise UsageError("A report was to be written.", "It takes a batch or --night.", "`gitsched report --night`")
    if batch is not None:
        call.show(_of_batch(call, batch))
        return 0
    from gitsched.cli.looking import picture_of
    from gitsched.view.night import night_document, render_night

    clone = call.clone.with_ended()
    picture = picture_of(clone)
    call.show(render_night(night_document(picture, _since(picture.state, clone.clock.now()))))
    return 0


def _of_batch(call: Call, batch: str) -> str:
    from gitsched.engine.intake.names import batch_named
    from gitsched.engine.story import batch_story
    from gitsched.view.report import render_report

    clone = call.clone.with_ended()
    found = batch_named(clone.store.read(), batch)
    story = batch_story(clone.store, clone.lander, found, clone.situation().settings_of(found))
    return render_report(story).rstrip("\n")


def _since(state: "State", now: "Instant") -> "Instant":
    """Begin where the last window opened, at most a day ago."""
    from gitsched.domain.instants import after

    day_ago = after(now, -_NIGHT_S)
    opened = (schedule.opens_at for schedule in state.schedules.values() if schedule.opens_at is not None)
    return max((at for at in opened if day_ago <= at <= now), default=day_ago)
