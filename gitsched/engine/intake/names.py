"""Names: which issue or batch a person means by `3`, `#3`, `b1` or `i3`."""

import re
from difflib import get_close_matches

from msgspec import Struct

from gitsched.domain.records import Batch, Entry
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind
from gitsched.errors import RefusedError, UnknownUnitError

_ISSUE = re.compile(r"#?0*([1-9][0-9]{0,17})")
_SOLO = re.compile(r"i([1-9][0-9]{0,17})")


class IssueUnit(Struct, frozen=True):
    """A row of the queue."""

    issue: int


class BatchUnit(Struct, frozen=True):
    """A batch, of one member or of several."""

    batch: str


Unit = IssueUnit | BatchUnit


def unit_of(state: State, text: str) -> Unit:
    """Find what `text` names; `i3` is issue 3 as long as its solo batch is not made.

    Raises UnknownUnitError with the names that are near.
    """
    name = text.strip()
    number = _ISSUE.fullmatch(name)
    if number is not None and int(number[1]) in state.entries:
        return IssueUnit(int(number[1]))
    if name in state.batches:
        return BatchUnit(name)
    solo = _SOLO.fullmatch(name)
    if solo is not None and int(solo[1]) in state.entries:
        return IssueUnit(int(solo[1]))
    raise _unknown(state, name)


def _unknown(state: State, name: str) -> UnknownUnitError:
    known = [*(batch.id for batch in state.batches_in_order()), *(str(issue) for issue in sorted(state.entries))]
    near = get_close_matches(name.removeprefix("#"), known, n=3, cutoff=0.5)
    like = f" Near it are {', '.join(near)}." if near else ""
    number = _ISSUE.fullmatch(name)
    remedy = (
        f"`gitsched enqueue {number[1]}` puts it into the queue." if number else "`gitsched status --all` lists all."
    )
    return UnknownUnitError(f"'{name}' was named.", f"No issue in the queue and no batch has that name.{like}", remedy)


def batch_named(state: State, text: str) -> Batch:
    """Find the batch that `text` names; the number of an issue does not name its batch.

    Raises UnknownUnitError, or RefusedError for an issue.
    """
    unit = unit_of(state, text)
    if isinstance(unit, BatchUnit):
        return state.batches[unit.batch]
    home = state.entries[unit.issue].batch
    against = f"{unit.issue} is an issue" + (f", a member of {home}." if home else ", and in no batch yet.")
    raise RefusedError(f"'{text}' was named as a batch.", against, f"`gitsched status {home or unit.issue}` shows it.")


def entry_named(state: State, text: str) -> Entry:
    """Find the entry that `text` names; a solo batch names that of its one member.

    Raises UnknownUnitError, or RefusedError for a batch of several.
    """
    unit = unit_of(state, text)
    if isinstance(unit, IssueUnit):
        return state.entries[unit.issue]
    batch = state.batches[unit.batch]
    issues = [slot.issue for slot in batch.members if slot.issue in state.entries]
    if batch.kind is BatchKind.SOLO and issues:
        return state.entries[issues[0]]
    listed = ", ".join(str(issue) for issue in issues) or "none"
    against = f"{batch.id} is a batch; its members are {listed}."
    raise RefusedError(f"'{text}' was named as an issue.", against, f"`gitsched status {batch.id}` shows them.")
