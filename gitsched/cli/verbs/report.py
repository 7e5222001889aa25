"""`gitsched report`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from gitsched.domain.instants import Instant
    from gitsched.domain.state import State
    from gitsched.view.night import Document
    from gitsched.wiring.clone import Clone

_NIGHT_S = 86_400.0


@verb(example="gitsched report b1 --html b1.html", reads=True)
@click.argument("batch", required=False)
@click.option("--night", is_flag=True, help="What the last night came to, on one page.")
@click.option("--html", "html_file", metavar="FILE", help="Write one HTML page that needs nothing else.")
@click.option("--md", is_flag=True, expose_value=False, help="As Markdown, which is also the default.")
def report(call: Call, batch: str | None, *, night: bool, html_file: str | None, as_json: bool) -> int:
    """Say what a batch, or a night, came to.

    What landed and what left, with gates, suite, evidence and costs. The same batch always gives the same text.
    `--html` writes it as one page: members, slots and suite runs over time, landing order, the search, verdicts, costs
    and evidence; it needs no other file, and reads on a phone and on paper. `--night` tells everything since the last
    window opened, or of the last day: what landed, was evicted, failed, is held or was not touched, what it cost, and
    one command for each.
    """
    if (batch is None) is not night:
        raise UsageError("A report was to be written.", "It takes a batch or --night.", "`gitsched report --night`")
    clone = call.clone.with_ended()
    if html_file is not None:
        page = _batch_page(clone, batch) if batch is not None else _night_page(clone)
        call.tell(f"Wrote {_written(call, html_file, page)}.")
    elif as_json:
        call.show(_document(clone, batch))
    else:
        call.show(_of_batch(clone, batch) if batch is not None else _of_night(clone))
    return 0


def _batch_page(clone: "Clone", batch: str) -> str:
    from gitsched.engine.intake.names import batch_named
    from gitsched.view.html import render_report_page
    from gitsched.wiring.showing import sheet_of

    return render_report_page(sheet_of(clone, batch_named(clone.store.read(), batch)))


def _document(clone: "Clone", batch: str | None) -> str:
    """Give what the page shows as one document."""
    from msgspec import to_builtins

    from gitsched.engine.intake.names import batch_named
    from gitsched.view.json_text import document_text
    from gitsched.wiring.showing import sheet_of

    if batch is None:
        return document_text(_night(clone))
    return document_text(to_builtins(sheet_of(clone, batch_named(clone.store.read(), batch)), str_keys=True))


def _night_page(clone: "Clone") -> str:
    from gitsched.view.html import render_night_page

    return render_night_page(_night(clone), clone.clock.now())


def _of_night(clone: "Clone") -> str:
    from gitsched.view.night import render_night

    return render_night(_night(clone))


def _night(clone: "Clone") -> "Document":
    from gitsched.cli.looking import picture_of
    from gitsched.view.night import night_document

    picture = picture_of(clone)
    return night_document(picture, _since(picture.state, clone.clock.now()))


def _written(call: Call, file: str, page: str) -> "Path":
    path = call.directory / file
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as failed:
        raise UsageError(
            f"A report was to be written to '{path}'.", f"{failed.strerror}.", "Name a file in a folder that is there."
        ) from failed
    return path


def _of_batch(clone: "Clone", batch: str) -> str:
    from gitsched.engine.intake.names import batch_named
    from gitsched.engine.story import batch_events, batch_story
    from gitsched.view.report import render_report
    from gitsched.view.searched import searches

    found = batch_named(clone.store.read(), batch)
    story = batch_story(clone.store, clone.lander, found, clone.situation().settings_of(found))
    events = batch_events(clone.store, found.id)
    return render_report(story, searches(events, [member.member.issue for member in story.members])).rstrip("\n")


def _since(state: "State", now: "Instant") -> "Instant":
    """Begin where the last window opened, at most a day ago."""
    from gitsched.domain.instants import after

    day_ago = after(now, -_NIGHT_S)
    opened = (schedule.opens_at for schedule in state.schedules.values() if schedule.opens_at is not None)
    return max((at for at in opened if day_ago <= at <= now), default=day_ago)
