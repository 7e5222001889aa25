"""Commands: who may give which, which comments are heard at all, and what a command is bound to.

1. Edits, bots and accounts that are gone are not heard; nor is what was written longer ago than the ledger remembers.
2. A right is that of the person's number at this moment; a login proves nothing.
3. `at=` binds a command to the batch as its author saw it: its generation, or its head.
4. More than five commands in one comment are none.

See docs/explanation/security.md, "Commands in comments".
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from gitsched.domain.commands import CommandVerb, Heard, Role, Spoken
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Batch
from gitsched.domain.state import State

MOST_COMMANDS: Final = 5
REMEMBERED_S: Final = 14 * 86_400.0
"""How long a row of the ledger is kept: deliveries come again for about three days."""

NEEDED: Final[Mapping[CommandVerb, Role]] = {
    **dict.fromkeys(CommandVerb, Role.WRITE),
    CommandVerb.HELP: Role.NONE,
    CommandVerb.STATUS: Role.NONE,
    CommandVerb.WHY: Role.NONE,
    CommandVerb.RESUME: Role.TRIAGE,
    CommandVerb.HOLD: Role.TRIAGE,
    CommandVerb.UNHOLD: Role.TRIAGE,
    CommandVerb.ABANDON: Role.MAINTAIN,
    CommandVerb.SHIP: Role.MAINTAIN,
}
"""The weakest role that may, where the configuration says nothing else."""

_ORDER: Final = tuple(Role)
_GENERATION: Final = re.compile(r"[0-9]{1,6}")


def needed_role(verb: CommandVerb, configured: Mapping[str, str]) -> Role:
    """Name the weakest role that may give a command; `configured` is `github.commands`, verb to role."""
    chosen = configured.get(verb)
    if chosen is None:
        return NEEDED[verb]
    return Role.NONE if chosen == "anyone" else Role(chosen)


def is_enough(role: Role, needed: Role) -> bool:
    """Say whether a role reaches another."""
    return _ORDER.index(role) >= _ORDER.index(needed)


def why_unheard(spoken: Spoken, now: Instant) -> str | None:
    """Say why nothing in a comment is run; None where it is heard."""
    if spoken.author is None:
        return "author-gone"
    if spoken.author.is_bot:
        return "bot"
    if spoken.is_edited:
        return "edited"
    if seconds_between(spoken.created_at, now) > REMEMBERED_S:
        return "too-old"
    return None


def forgettable(state: State, now: Instant, most_count: int) -> list[Heard]:
    """List rows of the ledger that nothing can come for any more, at most so many."""
    old = (row for row in state.heard.values() if seconds_between(row.created_at, now) > 2 * REMEMBERED_S)
    return sorted(old, key=lambda row: row.comment)[:most_count]


def is_current(batch: Batch, at: str) -> bool:
    """Say whether a command bound by `at=` means the batch as it is now."""
    if _GENERATION.fullmatch(at):
        return int(at) == batch.generation
    head = batch.integration.head
    return head is not None and head.startswith(at.lower())


def nearest_verb(word: str) -> CommandVerb | None:
    """Find the verb that an unknown word was likely meant to be."""
    found = get_close_matches(word.lower(), list(CommandVerb), n=1, cutoff=0.5)
    return CommandVerb(found[0]) if found else None


def unit_of_number(state: State, number: int) -> str:
    """Name what a comment on an issue or pull request is about: the batch that the request ships, else the issue."""
    owners = [batch.id for batch in state.batches_in_order() if batch.pr is not None and batch.pr.number == number]
    return owners[-1] if owners else str(number)


def batch_of_unit(state: State, unit: str) -> Batch | None:
    """Find the batch that a command on `unit` is about: that very one, or the issue's present one."""
    if unit in state.batches:
        return state.batches[unit]
    number = unit.removeprefix("#")
    entry = state.entries.get(int(number)) if number.isascii() and number.isdigit() else None
    return None if entry is None else state.batches.get(entry.batch or "")
