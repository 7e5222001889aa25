"""`gitsched schedule show`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="show", example="gitsched schedule show s1", reads=True)
@click.argument("schedule")
def show(call: Call, schedule: str, *, as_json: bool) -> int:
    """Show a schedule, its packet and the token that approves it.

    The packet is what an approval is bound to: texts of the issues, base, configuration, agents, checks and budget.
    """
    from gitsched.cli.looking import situation_of
    from gitsched.engine.intake.booking import schedule_named
    from gitsched.engine.intake.issues import read_issues
    from gitsched.engine.packet import issues_in, packet_of
    from gitsched.view.json_text import document_text
    from gitsched.view.schedules import packet_document, render_packet

    clone = call.clone
    situation = situation_of(clone)
    found = schedule_named(situation.state, schedule)
    texts = read_issues(clone.served_forge, issues_in(situation.state, found))
    document = packet_document(found, packet_of(situation, found, clone.refs, texts))
    call.show(document_text(document) if as_json else render_packet(document))
    return 0
