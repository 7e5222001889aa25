"""`gitsched logs`."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsched.domain.records import Member
    from gitsched.domain.state import State
    from gitsched.wiring.clone import Clone

FOLLOW_S = 0.2


@verb(example="gitsched logs 12 --follow", reads=True)
@click.argument("issue")
@click.option("--gen", type=click.IntRange(min=0), metavar="N", help="Of that attempt; default: the latest.")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run has ended.")
def logs(call: Call, issue: str, gen: int | None, *, follow: bool, as_json: bool) -> int:
    """Show what an agent printed.

    Colour and cursor movement are taken out for display; the log itself keeps them. With --json and --follow there is
    one document for each piece, on a line of its own.
    """
    from gitsched.wiring.showing import log_of

    clone = call.clone.with_ended()
    member, chosen = _run_of(clone.store.read(), issue, gen)
    raw = log_of(clone, member, chosen)
    show = partial(_show, call, member, chosen, as_json=as_json)
    show(raw)
    if follow:
        _follow(call, member, chosen, len(raw), show)
    return 0


def _show(call: Call, member: "Member", gen: int, raw: bytes, *, as_json: bool) -> None:
    from gitsched.codec.plain import plain_text
    from gitsched.view.json_text import line_text

    text = plain_text(raw).rstrip("\n")
    told = {"batch": member.batch, "issue": member.issue, "gen": gen, "text": text}
    call.show(line_text(told) if as_json else text)


def _run_of(state: "State", issue: str, gen: int | None) -> "tuple[Member, int]":
    from gitsched.cli.looking import latest_membership
    from gitsched.engine.intake.names import entry_named
    from gitsched.errors import RefusedError

    number = entry_named(state, issue).issue
    member = latest_membership(state, number)
    if member is None or member.gen < 0:
        raise RefusedError(
            f"The log of issue {number} was to be shown.",
            "No agent has been started for it yet.",
            f"`gitsched why {number}` tells what it waits for.",
        )
    if gen is not None and gen > member.gen:
        raise RefusedError(
            f"The log of run {gen} of issue {number} was to be shown.",
            f"Its latest run is {member.gen}.",
            f"`gitsched logs {number}` shows that one.",
        )
    return member, member.gen if gen is None else gen


def _follow(call: Call, member: "Member", gen: int, shown: int, show: "Callable[[bytes], None]") -> None:
    from gitsched.wiring.operator import waker_of
    from gitsched.wiring.showing import log_of

    clone = call.clone
    waker = waker_of(clone)
    try:
        over = False
        while not over:
            waker.wait(FOLLOW_S)
            over = _is_over(clone, member, gen)
            raw = log_of(clone, member, gen)
            end = len(raw) if over else raw.rfind(b"\n") + 1
            if end > shown:
                show(raw[shown:end])
                shown = end
    finally:
        waker.close()


def _is_over(clone: "Clone", member: "Member", gen: int) -> bool:
    lease = clone.store.read().leases.get((member.batch, member.issue))
    if lease is None or lease.gen != gen:
        return True
    record = clone.runner.look(member.batch, str(member.issue), gen).record
    return record is not None and record.end is not None
