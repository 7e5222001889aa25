"""Milestones as `key=value` text: the arguments of `gitsched post`, and the comment form.

A comment is a milestone when its first line is the header below; then come `key=value` lines, and the first
occurrence of a key wins. Lines of another shape are for people and are skipped.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from gitsched.domain.ids import is_batch_id
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.runs import Milestone
from gitsched.domain.words import MilestoneStatus
from gitsched.errors import UsageError

HEADER: Final = "<!-- gitsched:milestone v=1 -->"
MAX_VALUE_CHARS: Final = 4_000
EARLY_S: Final = 60.0
"""How long before its spawn a milestone of a run may be dated."""

_PHASE: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_KEY: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_RESERVED: Final = ("phase", "status", "batch", "issue", "gen")
_NEEDS_REASON: Final = (MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL)


class CommentMilestone(Struct, frozen=True, kw_only=True):
    """What a comment claims; whether its author may is asked elsewhere."""

    batch: str
    issue: int
    gen: int
    phase: str
    status: MilestoneStatus
    keys: Mapping[str, str] = field(default_factory=dict)


class Malformed(Struct, frozen=True):
    """A comment with the header that is no milestone; `reason` is a sentence."""

    reason: str


def parse_keys(pairs: Iterable[str]) -> dict[str, str]:
    """Read `key=value` arguments; the first occurrence of a key wins. Raises UsageError."""
    keys: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UsageError(
                f"A milestone was to be posted with '{pair[:80]}'.",
                "It is not of the form key=value.",
                "Write for instance --key tests=12.",
            )
        keys.setdefault(key, value)
    return keys


def milestone_of(phase: str, status: str, keys: Mapping[str, str], *, gen: int, at: Instant) -> Milestone:
    """Build a milestone. Raises UsageError, naming what is missing or wrong; nothing has been recorded then."""
    wrong = _fault(phase, status, keys)
    if wrong:
        raise UsageError(f"A milestone '{phase} {status}' was to be posted.", *wrong)
    return Milestone(phase=phase, status=MilestoneStatus(status), gen=gen, at=at, keys=dict(keys))


def belongs(milestone: Milestone, gen: int, spawned_at: Instant) -> bool:
    """Say whether a milestone counts for the run of that generation that was spawned then.

    One of an older generation, or dated more than `EARLY_S` before the spawn, is stale.
    """
    return milestone.gen == gen and seconds_between(spawned_at, milestone.at) >= -EARLY_S


def read_comment(body: str) -> CommentMilestone | Malformed | None:
    """Read the comment form; None when the comment is not one."""
    first, *lines = body.replace("\r\n", "\n").split("\n")
    if first.rstrip() != HEADER:
        return None
    fields: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.partition("=")
        if equals and _KEY.fullmatch(key):
            fields.setdefault(key, value.strip())
    return _comment_milestone(fields)


def _comment_milestone(fields: dict[str, str]) -> CommentMilestone | Malformed:
    missing = [key for key in _RESERVED if key not in fields]
    if missing:
        return Malformed(f"It has no {', '.join(missing)}.")
    phase, status, batch, issue, gen = (fields.pop(key) for key in _RESERVED)
    if not is_batch_id(batch):
        return Malformed(f"'{batch[:40]}' is no batch id.")
    if not (_NUMBER.fullmatch(issue) and _NUMBER.fullmatch(gen)):
        return Malformed("issue and gen are whole numbers.")
    wrong = _fault(phase, status, fields)
    if wrong:
        return Malformed(wrong[0])
    return CommentMilestone(
        batch=batch, issue=int(issue), gen=int(gen), phase=phase, status=MilestoneStatus(status), keys=fields
    )


def _fault(phase: str, status: str, keys: Mapping[str, str]) -> tuple[str, str] | None:
    """Find what keeps these words from being a milestone: what stands against it, and what to do."""
    if not _PHASE.fullmatch(phase):
        return f"'{phase[:80]}' is no phase.", "Use plan, implement, review, or a word of small letters."
    if status not in set(MilestoneStatus):
        return f"'{status[:80]}' is no status.", f"Use one of {', '.join(MilestoneStatus)}."
    if status in _NEEDS_REASON and not keys.get("reason", "").strip():
        return f"Its status '{status}' needs a reason.", "Say it with --reason, in one line."
    return next((fault for key, value in keys.items() if (fault := _value_fault(key, value))), None)


def _value_fault(key: str, value: str) -> tuple[str, str] | None:
    if not _KEY.fullmatch(key) or key in _RESERVED:
        return f"'{key[:80]}' is no key of a milestone.", "Use a word of small letters, digits and '-'."
    if len(value) > MAX_VALUE_CHARS:
        return (
            f"The value of '{key}' has {len(value)} characters, more than {MAX_VALUE_CHARS}.",
            "Shorten it, and put the rest into a file of the work.",
        )
    if len(value.splitlines()) > 1 or value != value.rstrip("\r\n") or "\0" in value:
        return f"The value of '{key}' has more than one line.", "Put it on one line."
    return None
