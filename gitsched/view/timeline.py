"""Who ran when: a batch's members, jobs and slots over time, read from its events.

A span begins and ends with an event; one that nothing has ended yet goes on until the end of the picture.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from gitsched.domain.events import Event, EventName
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.words import JobKind
from gitsched.view.spans import span

WIDTH: Final = 1000
"""Positions are whole thousandths of the picture."""
_RUN_ENDS: Final = frozenset({EventName.EXIT_DETECTED, EventName.SLOT_RELEASED, EventName.REDISPATCHED})
_MARKS: Final = {
    EventName.MEMBER_LANDED: "landed",
    EventName.MEMBER_EVICTED: "evicted",
    EventName.MEMBER_HANDED_BACK: "handed-back",
    EventName.MEMBER_STOPPED: "stopped",
    EventName.MEMBER_WITHDRAWN: "withdrawn",
    EventName.LANDING_CONFLICT: "landing-conflict",
    EventName.MERGE_ACCEPTED: "merged",
    EventName.BATCH_BLOCKED: "blocked",
    EventName.BATCH_REBUILT: "rebuilt",
}
_CHECKS: Final = frozenset({JobKind.SUITE, JobKind.STEP, JobKind.TRIAL, JobKind.FIX, JobKind.REVIEW, JobKind.DEPLOY})


class Span(Struct, frozen=True, kw_only=True):
    """Something that took a while."""

    kind: str
    """`run`, `slot`, or a kind of job."""
    name: str
    outcome: str
    """A verdict, how it ended, or `live`."""
    from_at: Instant
    to_at: Instant


class Mark(Struct, frozen=True, kw_only=True):
    """A moment."""

    word: str
    at: Instant
    sentence: str


class Lane(Struct, frozen=True, kw_only=True):
    """One row of the picture."""

    name: str
    issue: int | None = None
    spans: tuple[Span, ...] = ()
    marks: tuple[Mark, ...] = ()


class Timeline(Struct, frozen=True, kw_only=True):
    """A batch over time: its members by index, then its checks, then the slots it used."""

    from_at: Instant
    to_at: Instant
    lanes: tuple[Lane, ...]

    @property
    def ticks(self) -> tuple[tuple[int, str], ...]:
        """Give five moments along the picture, each with its place and the time since the beginning."""
        whole_s = seconds_between(self.from_at, self.to_at)
        return tuple((WIDTH * part // 4, span(whole_s * part / 4)) for part in range(5))

    def place(self, at: Instant) -> int:
        """Tell where an instant lies, in thousandths."""
        whole_s = max(0.001, seconds_between(self.from_at, self.to_at))
        return max(0, min(WIDTH, round(WIDTH * seconds_between(self.from_at, at) / whole_s)))


class _Open(Struct):
    """A span that is being read."""

    lane: str
    kind: str
    name: str
    from_at: Instant


class _Reader:
    """Reads events into lanes, oldest first."""

    def __init__(self) -> None:
        self.spans: dict[str, list[Span]] = {}
        self.marks: dict[str, list[Mark]] = {}
        self._open: dict[str, _Open] = {}

    def read(self, event: Event) -> None:
        issue = str(event.issue)
        match event.name:
            case EventName.ASSIGNED:
                self._begin(f"slot/{issue}", _Open(f"slot {event.fields.get('slot')}", "slot", f"#{issue}", event.at))
            case EventName.SPAWNED:
                self._begin(f"run/{issue}", _Open(issue, "run", f"run {event.gen}", event.at))
            case EventName.JOB_CLAIMED:
                self._begin_job(event)
            case _:
                self._end(event)
        if event.name in _MARKS:
            mark = Mark(word=_MARKS[event.name], at=event.at, sentence=event.sentence)
            self.marks.setdefault(issue if event.issue is not None else "checks", []).append(mark)

    def _begin_job(self, event: Event) -> None:
        job, kind = str(event.fields.get("job")), str(event.fields.get("kind"))
        lane = "checks" if kind in _CHECKS or event.issue is None else str(event.issue)
        self._begin(f"job/{job}", _Open(lane, kind, job, event.at))

    def _begin(self, key: str, begun: _Open) -> None:
        self._close(key, begun.from_at, "lost")
        self._open[key] = begun

    def _end(self, event: Event) -> None:
        if event.name in _RUN_ENDS:
            code = event.fields.get("code")
            told = f"exit {code}" if code is not None else str(event.fields.get("reason") or "ended")
            self._close(f"run/{event.issue}", event.at, told)
        if event.name is EventName.SLOT_RELEASED:
            self._close(f"slot/{event.issue}", event.at, str(event.fields.get("reason") or "ended"))
        for path, claim in event.claims.items():
            if claim.removed and "/jobs/" in path:
                verdict = str(event.fields.get("verdict") or "lost")
                self._close(f"job/{path.rpartition('/')[2]}", event.at, verdict)

    def _close(self, key: str, at: Instant, outcome: str) -> None:
        begun = self._open.pop(key, None)
        if begun is not None:
            ended = Span(kind=begun.kind, name=begun.name, outcome=outcome, from_at=begun.from_at, to_at=at)
            self.spans.setdefault(begun.lane, []).append(ended)

    def close_all(self, at: Instant) -> None:
        for key in list(self._open):
            self._close(key, at, "live")


def timeline(events: Iterable[Event], members: Sequence[tuple[int, str]], until: Instant) -> Timeline | None:
    """Read the events of a batch, oldest first; `members` are issue and title by index. None where nothing ran."""
    reader, first, last = _Reader(), None, None
    for event in events:
        reader.read(event)
        if event.name in (EventName.ASSIGNED, EventName.JOB_CLAIMED) or event.name in _MARKS:
            first = first or event.at
        last = event.at
    if first is None or last is None:
        return None
    is_live = bool(reader._open)  # noqa: SLF001 - the reader is this function's own
    to_at = max(last, until) if is_live else last
    reader.close_all(to_at)
    names = [(str(issue), title, issue) for issue, title in members]
    slots = sorted((name for name in reader.spans if name.startswith("slot ")), key=lambda name: (len(name), name))
    rows = [*names, ("checks", "Suite and search", None), *((name, name, None) for name in slots)]
    return Timeline(from_at=first, to_at=to_at, lanes=tuple(_lane(reader, *row) for row in rows))


def _lane(reader: _Reader, key: str, name: str, issue: int | None) -> Lane:
    spans, marks = tuple(reader.spans.get(key, ())), tuple(reader.marks.get(key, ()))
    return Lane(name=name, issue=issue, spans=spans, marks=marks)
