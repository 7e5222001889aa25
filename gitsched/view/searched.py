"""The search for whoever turned a suite red, read from its events: what each run held, and what it came to."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from gitsched.domain.events import Event, EventName, FieldValue
from gitsched.domain.instants import Instant

_ENDS = frozenset(
    {EventName.BATCH_REBUILT, EventName.BATCH_BLOCKED, EventName.FIX_DISPATCHED, EventName.BATCH_DISSOLVING}
)


class SearchRow(Struct, frozen=True, kw_only=True):
    """One run of failing tests, or what was concluded."""

    at: Instant
    depth: int
    """How far the search has narrowed: 0 for base, tip and conclusions."""
    purpose: str
    outcome: str
    """`fails`, `passes`, `proves nothing`, or a method that names somebody."""
    cached: bool
    held: tuple[bool, ...]
    """By the batch's members in order: whether their work was in the tree."""
    sentence: str
    evidence: str


class SearchStory(Struct, frozen=True, kw_only=True):
    """One search, from the red suite to its answer."""

    members: tuple[int, ...]
    failing: tuple[str, ...]
    rows: tuple[SearchRow, ...]

    @property
    def run_count(self) -> int:
        """Count the runs that were made; what was known already is none."""
        return sum(row.purpose != "" and not row.cached for row in self.rows)


def searches(events: Iterable[Event], members: Sequence[int]) -> tuple[SearchStory, ...]:
    """Read a batch's searches, oldest first; `members` are its issues in order."""
    found: list[SearchStory] = []
    failing: tuple[str, ...] = ()
    rows: list[SearchRow] = []
    for event in events:
        if event.name is EventName.SUITE_FAILED:
            failing = tuple(map(str, _listed(event.fields.get("failing"))))
        elif event.name is EventName.BISECT_STEP:
            rows.append(_step(event, members, rows))
        elif event.name in (EventName.ATTRIBUTED, EventName.SUSPICION_DROPPED):
            rows.append(_conclusion(event, members))
        if event.name in _ENDS and rows:
            found.append(SearchStory(members=tuple(members), failing=failing, rows=tuple(rows)))
            rows = []
    if rows:
        found.append(SearchStory(members=tuple(members), failing=failing, rows=tuple(rows)))
    return tuple(found)


def _step(event: Event, members: Sequence[int], before: Sequence[SearchRow]) -> SearchRow:
    inside = set(_listed(event.fields.get("members")))
    purpose = str(event.fields.get("purpose") or "")
    return SearchRow(
        at=event.at,
        depth=1 + sum(row.purpose == "probe" for row in before) if purpose == "probe" else 0,
        purpose=purpose,
        outcome=_outcome(str(event.fields.get("outcomes") or "")),
        cached=bool(event.fields.get("cached")),
        held=tuple(issue in inside for issue in members),
        sentence=event.sentence,
        evidence=str(event.fields.get("evidence") or ""),
    )


def _outcome(letters: str) -> str:
    if "f" in letters:
        return "fails"
    return "proves nothing" if "b" in letters else "passes"


def _conclusion(event: Event, members: Sequence[int]) -> SearchRow:
    suspects = {event.issue, *_listed(event.fields.get("suspects"))}
    is_named = event.name is EventName.ATTRIBUTED
    return SearchRow(
        at=event.at,
        depth=0,
        purpose="",
        outcome=str(event.fields.get("method") or "none") if is_named else "dropped",
        cached=False,
        held=tuple(issue in suspects for issue in members),
        sentence=event.sentence,
        evidence="; ".join(map(str, _listed(event.fields.get("evidence")))),
    )


def _listed(value: FieldValue) -> Sequence[str | int]:
    return value if isinstance(value, list) else ()
