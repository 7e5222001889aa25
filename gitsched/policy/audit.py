"""Audit: whether the journal tells all that happened to the state, and only by edges that the tables have.

One pass over the history, newest first: each commit's changes are claimed by its events, each claimed status follows
from the one before it by an edge of its machine, and the newest claims are the statuses of the tree.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from gitsched.domain.events import Event, EventName
from gitsched.domain.integrity import Audited, Finding
from gitsched.domain.machines import BATCH, ENTRY, MEMBER, RUN, Machine
from gitsched.domain.replay import claimed_by
from gitsched.errors import TransitionError

_MACHINE_AT: Mapping[str, Machine[Any]] = {"queue": ENTRY, "slots": RUN}
_BY_HAND = "`git show {0}` shows the change; undo it by hand, or tell what it was for."


class _Step(Struct, frozen=True):
    """A claim whose status before is still to be found."""

    event: EventName
    status: str
    commit: str


def audit(history: Iterable[Audited], tree: Mapping[str, str], base: Mapping[str, str]) -> Iterator[Finding]:
    """Name what the journal does not tell truly.

    `tree` are the statuses of the present tree, `base` those at the commit where the history was cut, if it was.
    """
    latest: dict[str, str | None] = {}
    waiting: dict[str, _Step] = {}
    for audited in history:
        if audited.cut:
            break
        yield from _unclaimed(audited)
        for event in reversed(audited.events):
            yield from _followed(event, audited.commit, latest, waiting)
    yield from (found for path, step in sorted(waiting.items()) for found in _edge(path, base.get(path), step))
    replayed = dict(base) | latest
    yield from _differing({path: status for path, status in replayed.items() if status is not None}, tree)


def _unclaimed(audited: Audited) -> Iterator[Finding]:
    for path in sorted(audited.changed - claimed_by(audited.events)):
        yield Finding(
            code="journal-unclaimed",
            unit=path,
            message=f"The commit {audited.commit} changed {path}, and no event of it says so.",
            fix=_BY_HAND.format(audited.commit),
        )


def _followed(event: Event, commit: str, latest: dict[str, str | None], waiting: dict[str, _Step]) -> Iterator[Finding]:
    """Go one event further back: it ends what waits for a status before, and begins a wait of its own."""
    for path, claim in event.claims.items():
        if claim.removed:
            latest.setdefault(path, None)
            step = waiting.pop(path, None)
            yield from _edge(path, None, step) if step is not None else ()
        elif claim.status is not None:
            latest.setdefault(path, claim.status)
            step = waiting.pop(path, None)
            yield from _edge(path, claim.status, step) if step is not None else ()
            if event.name is EventName.JOINED:
                continue  # how it came there is told by the history that was joined
            waiting[path] = _Step(event.name, claim.status, commit)


def _edge(path: str, before: str | None, step: _Step) -> Iterator[Finding]:
    machine = _machine_at(path)
    if machine is None:
        return
    try:
        machine.check(before, step.event, step.status)
    except TransitionError as refused:
        yield Finding(
            code="journal-edge",
            unit=path,
            message=f"The commit {step.commit} claims an edge that no table has: {refused.against}",
            fix=_BY_HAND.format(step.commit),
        )


def _machine_at(path: str) -> Machine[Any] | None:
    first, _, rest = path.partition("/")
    if first != "batches":
        return _MACHINE_AT.get(first)
    if rest.endswith("/batch"):
        return BATCH
    return MEMBER if rest.split("/")[1:2] == ["members"] else None


def _differing(replayed: Mapping[str, str], tree: Mapping[str, str]) -> Iterator[Finding]:
    for path in sorted(replayed.keys() | tree.keys()):
        told, found = replayed.get(path), tree.get(path)
        if told != found:
            yield Finding(
                code="journal-differs",
                unit=path,
                message=f"By the journal {path} is {told or 'not there'}; in the tree it is {found or 'not there'}.",
                fix=f"`git log refs/gitsched/state -- {path}` shows who changed it.",
            )
