"""Moments that people name: an instant, a time ago, or a commit of the state's history."""

import re
from datetime import UTC, datetime
from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from gitsched.domain.instants import Instant, after, instant_of
from gitsched.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from gitsched.ports.store import Store

_COMMIT = re.compile(r"([0-9a-f]{7,64})(?:~(\d{1,6}))?")
_AGO = re.compile(r"(\d{1,6})(s|m|h|d)")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_FORMS = "an instant such as 2026-01-02T03:04:05Z, a time ago such as 2h, or a state commit"


def commit_of(store: "Store", text: str) -> str | None:
    """Find the state commit that `text` begins, or with `~N` the one N before it; None where it names none."""
    named = _COMMIT.fullmatch(text)
    if named is None:
        return None
    line = dropwhile(lambda commit: not commit.startswith(named[1]), (entry.commit for entry in store.history()))
    return next(islice(line, int(named[2] or 0), None), None)


def instant_named(text: str, now: Instant) -> Instant:
    """Read an instant, a date, or a time ago; without a zone it is UTC. Raises UsageError."""
    ago = _AGO.fullmatch(text.strip())
    if ago is not None:
        return after(now, -int(ago[1]) * _UNIT_S[ago[2]])
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{text!r} was given as a moment.", f"It takes {_FORMS}.", "`gitsched log` shows moments."
        ) from None
    return instant_of(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def commit_at(store: "Store", text: str, now: Instant) -> str:
    """Find the state commit that stood at a moment. Raises UsageError, and RefusedError before the beginning."""
    commit = commit_of(store, text)
    if commit is not None:
        return commit
    instant = instant_named(text, now)
    found = next((entry.commit for entry in store.history() if entry.at <= instant), None)
    if found is None:
        raise RefusedError(
            f"The state as it was at {instant} was to be shown.",
            "It begins later.",
            "`gitsched log` shows its whole history.",
        )
    return found
