"""`gitsched report`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched report b1 --md")
@click.argument("batch")
@click.option("--md", is_flag=True, expose_value=False, help="As Markdown, which is also the default.")
def report(call: Call, batch: str) -> int:
    """Say what a batch came to.

    What landed and what left, with gates, suite, evidence and costs. The same batch always gives the same text.
    """
    from gitsched.engine.intake.names import batch_named
    from gitsched.engine.story import batch_story
    from gitsched.view.report import render_report

    clone = call.clone.with_ended()
    found = batch_named(clone.store.read(), batch)
    story = batch_story(clone.store, clone.lander, found, clone.situation().settings_of(found))
    call.show(render_report(story).rstrip("\n"))
    return 0
