"""`gitsched enqueue`."""

from typing import TYPE_CHECKING, Any

import click

from gitsched.cli.call import Call
from gitsched.cli.selecting import Selection, chosen_issues, with_selectors
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.engine.intake.enqueue import EnqueueAnswer, EnqueueRequest


@verb(example="gitsched enqueue 12 14 15 --batch spring --deps 9")
@click.argument("issues", nargs=-1, metavar="ISSUE...")
@click.option("--batch", metavar="ID", help="Make this batch, or join it.")
@click.option("--solo", is_flag=True, help="Each on its own, not together.")
@click.option("--open", "leave_open", is_flag=True, help="Leave the batch forming; `gitsched seal` closes it.")
@click.option("--deps", metavar="N,…", help="Issues that must have shipped first.")
@click.option("--tier", metavar="TIER", help="mechanical, mid or strong.")
@click.option("--priority", metavar="P", help="Higher comes first.")
@click.option("--review", metavar="light|full", help="How closely the work is looked at.")
@click.option("--files", multiple=True, metavar="GLOB", help="What they may write; may be given again.")
@click.option("--group", "groups", multiple=True, metavar="N+M", help="Members that must leave together.")
@click.option("--profile", metavar="NAME", help="The agent that does the work.")
@with_selectors
def enqueue(call: Call, issues: tuple[str, ...], **options: Any) -> int:
    """Put issues into the queue.

    Several issues form one batch, a single one is worked on its own. All of the call is written, or nothing.
    """
    from gitsched.engine.intake.enqueue import enqueue as put

    clone = call.clone
    selected = Selection(issues, options["label"], options["milestone"], options["from_file"])
    numbers = chosen_issues(clone.served_forge, selected, call.directory)
    request = request_of(numbers, options)
    answer = put(call.store, clone.served_forge, clone.settings, request, call.actor)
    clone.runner.wake_all()
    call.tell(told(answer, leave_open=request.leave_open))
    return 0


def request_of(issues: tuple[int, ...], options: dict[str, Any]) -> "EnqueueRequest":
    """Read the options as the values they stand for. Raises UsageError for one that is none."""
    from gitsched.domain.words import Review, Tier
    from gitsched.engine.intake import values
    from gitsched.engine.intake.enqueue import EnqueueRequest

    def read(name: str, reader: Any) -> Any:
        return None if options.get(name) is None else reader(options[name])

    return EnqueueRequest(
        issues=issues,
        batch=options.get("batch"),
        solo=bool(options.get("solo")),
        leave_open=bool(options.get("leave_open")),
        deps=read("deps", values.issue_numbers) or (),
        tier=read("tier", lambda text: values.word_of(Tier, text)),
        priority=read("priority", values.priority_of),
        review=read("review", lambda text: values.word_of(Review, text)),
        files=options.get("files") or (),
        groups=tuple(values.group_of(text) for text in options.get("groups") or ()),
        profile=options.get("profile"),
        milestone=options.get("milestone"),
    )


def told(answer: "EnqueueAnswer", *, leave_open: bool) -> str:
    """Say what was written, and what comes next."""
    listed = ", ".join(map(str, answer.entries))
    if answer.batch is None:
        return f"Queued: {listed}."
    return f"{answer.batch}: {listed}, in this order. " + (
        f"It takes more until `gitsched seal {answer.batch}`." if leave_open else "`gitsched run` works it."
    )
