"""`gitsched plan`."""

from typing import TYPE_CHECKING, Any

import click

from gitsched.cli.call import Call
from gitsched.cli.selecting import Selection, chosen_issues, with_selectors
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.policy.situation import Situation
    from gitsched.view.picture import Picture
    from gitsched.view.plan import Refusal


@verb(example="gitsched plan --label good-first", reads=True)
@click.argument("issues", nargs=-1, metavar="[ISSUE]...")
@click.option("--batch", metavar="ID", help="As one batch of this name.")
@click.option("--solo", is_flag=True, help="Each on its own, not together.")
@click.option("--all-open", is_flag=True, help="Every open issue.")
@click.option("--apply", "applies", is_flag=True, help="Enqueue what was planned.")
@with_selectors
def plan(call: Call, issues: tuple[str, ...], *, applies: bool, as_json: bool, **options: Any) -> int:
    """Show what would be done, and change nothing.

    Which batches, in which order, who waits for whom and why, and how often the suite will run. Goes through the
    same code as `run`; without any issue it shows what the queue holds.
    """
    from gitsched.view.json_text import document_text
    from gitsched.view.plan import plan_document, render_plan

    selected = Selection(issues, options["label"], options["milestone"], options["from_file"], options["all_open"])
    clone = call.clone
    numbers = chosen_issues(clone.served_forge, selected, call.directory)
    situation, refused = _rehearsed(call, numbers, options)
    picture = _pictured(situation)
    document = plan_document(picture, None if selected.is_empty else frozenset(numbers), refused)
    if applies and not refused:
        from gitsched.cli.filling import fill

        fill(call, call.store, numbers, options)
        clone.runner.wake_all()
    call.show(document_text(document) if as_json else render_plan(document, call.look))
    return 1 if refused else 0


def _rehearsed(
    call: Call, numbers: tuple[int, ...], options: dict[str, Any]
) -> "tuple[Situation, tuple[Refusal, ...]]":
    from msgspec.structs import replace

    from gitsched.cli.filling import fill
    from gitsched.cli.looking import situation_of
    from gitsched.engine.rehearsal import Rehearsal
    from gitsched.errors import RefusedError
    from gitsched.view.plan import Refusal

    situation = situation_of(call.clone)
    stage = Rehearsal(situation.state, situation.facts.now)
    refused: tuple[Refusal, ...] = ()
    try:
        fill(call, stage, numbers, options)
    except RefusedError as error:
        refused = (Refusal(error.asked, error.against, error.remedy),)
    read = call.clone.served_forge.issues(numbers)
    known = situation.facts.issues
    issues = {**known, **read} if isinstance(known, dict) and isinstance(read, dict) else known
    return replace(situation, state=stage.state, facts=replace(situation.facts, issues=issues)), refused


def _pictured(situation: "Situation") -> "Picture":
    from msgspec.structs import replace

    from gitsched.engine.looking import picture_in
    from gitsched.engine.rehearsal import begun

    return replace(picture_in(begun(situation), None), state=situation.state)
