"""A transaction's events as a commit message, and back.

The subject is the first event's sentence; each event is one JSON object in an `Event:` trailer, so that
`git log` tells the story and `git interpret-trailers --parse` finds the facts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from gitsched.domain.events import Claim, Event, EventName

_TRAILER = "Event: "
_OWN = frozenset({"event", "at", "sentence", "batch", "issue", "gen", "claims"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_ENCODER = msgspec.json.Encoder(order="sorted")


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """What every event has; the other names in its object are its fields."""

    event: EventName
    at: str
    sentence: str
    batch: str | None = None
    issue: int | None = None
    gen: int | None = None
    claims: dict[str, Claim] = {}


def message_of(events: Iterable[Event]) -> str:
    """Write the message of the commit that carries these events, at least one, in their order."""
    told = list(events)
    subject = " ".join(_CONTROL.sub(" ", told[0].sentence).split()) or told[0].name.value
    return f"{subject}\n\n" + "".join(f"{_TRAILER}{_encoded(event)}\n" for event in told)


def events_of(message: str) -> tuple[Event, ...]:
    """Read the events back, in order. A trailer that is not one of ours claims nothing and is left out."""
    return tuple(_decoded(message))


def _encoded(event: Event) -> str:
    clash = _OWN & event.fields.keys()
    assert not clash, f"a field of an event may not be called {sorted(clash)}"
    head: dict[str, Any] = {
        "event": event.name,
        "at": event.at,
        "sentence": event.sentence,
        "batch": event.batch,
        "issue": event.issue,
        "gen": event.gen,
    }
    known = {name: value for name, value in head.items() if value is not None}
    return _ENCODER.encode({**known, "claims": event.claims, **event.fields}).decode()


def _decoded(message: str) -> Iterator[Event]:
    for line in message.rstrip("\n").rpartition("\n\n")[2].split("\n"):
        if not line.startswith(_TRAILER):
            continue
        try:
            whole = msgspec.json.decode(line.removeprefix(_TRAILER))
            head = msgspec.convert(whole, _Head)
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue
        yield Event(
            name=head.event,
            at=head.at,
            sentence=head.sentence,
            batch=head.batch,
            issue=head.issue,
            gen=head.gen,
            fields={name: value for name, value in whole.items() if name not in _OWN},
            claims=head.claims,
        )
