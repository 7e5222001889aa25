"""The verbs of comments: how each is written, and how the words of a line become typed values."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec import Struct

from gitsched.codec.commands import CommandLine
from gitsched.domain.commands import CommandVerb
from gitsched.domain.words import Tier
from gitsched.engine.intake import values
from gitsched.errors import UsageError
from gitsched.policy.commands import nearest_verb


class Names(Enum):
    """What may stand behind a verb without a key."""

    NOTHING = ""
    UNIT = "an issue or a batch"
    ISSUE = "an issue"
    ISSUES = "issues"
    BATCH = "a batch"
    BATCH_AND_ISSUES = "a batch and issues"
    UNIT_AND_NUMBER = "a number, or an issue or a batch and a number"
    TOKEN = "a token"  # noqa: S105 - what it is called


Reader = Callable[[str], Any]


class Grammar(NamedTuple):
    """How one verb is written."""

    usage: str
    does: str
    names: Names
    options: Mapping[str, Reader] = {}


class Command(Struct, frozen=True, kw_only=True):
    """One command, every value of it read."""

    line: int
    text: str
    verb: CommandVerb
    names: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    at: str | None = None
    """What its author saw: a generation, or the beginning of a head."""


class Fault(Struct, frozen=True, kw_only=True):
    """A line that is no command, and what is wrong with it."""

    line: int
    text: str
    verb: str
    error: UsageError


def _binding(text: str) -> str:
    head = text.lower()
    if not (text.isascii() and (text.isdigit() or (len(text) >= 7 and set(head) <= set("0123456789abcdef")))):
        raise UsageError(
            f"{text!r} was given for at=.",
            "It is neither a generation nor the beginning of a commit.",
            "`gitsched status` shows the generation.",
        )
    return head


def _globs(text: str) -> tuple[str, ...]:
    return tuple(values.checked_glob(glob) for glob in text.split(","))


def _hazards(text: str) -> tuple[str, ...]:
    return tuple(values.checked_hazard(hazard) for hazard in text.split(","))


_AT: Final[Mapping[str, Reader]] = {"at": _binding}
_ENQUEUE: Final[Mapping[str, Reader]] = {
    "batch": values.checked_batch_id,
    "priority": values.priority_of,
    "after": values.issue_numbers,
    "files": _globs,
    "tier": partial(values.word_of, Tier),
}
_REQUEUE: Final[Mapping[str, Reader]] = {"into": values.checked_batch_id, "allow": _hazards}

GRAMMAR: Final[Mapping[CommandVerb, Grammar]] = {
    CommandVerb.HELP: Grammar("help", "Show this.", Names.NOTHING),
    CommandVerb.STATUS: Grammar("status [#n|BATCH]", "Show where things stand.", Names.UNIT),
    CommandVerb.WHY: Grammar("why [#n|BATCH]", "Say why something is where it is.", Names.UNIT),
    CommandVerb.ENQUEUE: Grammar(
        "enqueue [#n …] [batch=ID] [priority=N] [after=#n] [files=GLOB,…] [tier=TIER]",
        "Put issues into the queue; without a number, this one.",
        Names.ISSUES,
        _ENQUEUE,
    ),
    CommandVerb.START: Grammar("start [BATCH] [at=…]", "Seal a forming batch.", Names.BATCH, _AT),
    CommandVerb.ORDER: Grammar(
        "order [BATCH] #a #b …", "Order a forming batch's members.", Names.BATCH_AND_ISSUES, _AT
    ),
    CommandVerb.PAUSE: Grammar("pause", "Start nothing new.", Names.NOTHING),
    CommandVerb.RESUME: Grammar("resume [#n|BATCH] [at=…]", "Go on: all, or one issue or batch.", Names.UNIT, _AT),
    CommandVerb.STOP: Grammar("stop [#n|BATCH] [at=…]", "End an issue or a batch now.", Names.UNIT, _AT),
    CommandVerb.ABANDON: Grammar("abandon [BATCH] [at=…]", "Give a batch up.", Names.BATCH, _AT),
    CommandVerb.REQUEUE: Grammar(
        "requeue [#n] [into=BATCH] [allow=hazard:KIND,…]", "Send a parked issue back to work.", Names.ISSUE, _REQUEUE
    ),
    CommandVerb.EVICT: Grammar("evict #n [at=…]", "Take a member out of its batch.", Names.ISSUE, _AT),
    CommandVerb.HOLD: Grammar("hold [#n]", "Keep an issue where it is.", Names.ISSUE),
    CommandVerb.UNHOLD: Grammar("unhold [#n]", "Let a held issue go on.", Names.ISSUE),
    CommandVerb.PRIORITY: Grammar("priority [#n|BATCH] N", "Change a priority.", Names.UNIT_AND_NUMBER),
    CommandVerb.APPROVE: Grammar("approve TOKEN", "Approve a schedule.", Names.TOKEN),
    CommandVerb.SHIP: Grammar("ship [BATCH] [at=…]", "Merge a batch's pull request now.", Names.BATCH, _AT),
    CommandVerb.UNDO: Grammar("undo", "Take the last operator action back.", Names.NOTHING),
}


def read(line: CommandLine) -> Command | Fault:
    """Read one line; a value that does not read makes all of it a fault."""
    word = line.words[0] if line.words else CommandVerb.HELP
    try:
        return _read(line, word)
    except UsageError as wrong:
        return Fault(line=line.line, text=line.text, verb=word, error=wrong)


def _read(line: CommandLine, word: str) -> Command:
    verb = _verb(word)
    grammar = GRAMMAR[verb]
    names = [text for text in line.words[1:] if "=" not in text]
    given = dict(text.split("=", 1) for text in line.words[1:] if "=" in text)
    options = {key: _reader(grammar, key)(value) for key, value in given.items()}
    at = options.pop("at", None)
    checked = _checked(grammar, names)
    return Command(line=line.line, text=line.text, verb=verb, names=checked, options=options, at=at)


def _verb(word: str) -> CommandVerb:
    try:
        return CommandVerb(word)
    except ValueError:
        near = nearest_verb(word)
        guess = f" Did you mean `gitsched {near}`?" if near else ""
        raise UsageError(
            f"{word!r} was given as a verb.", f"There is no such verb.{guess}", "`gitsched help` lists them."
        ) from None


def _reader(grammar: Grammar, key: str) -> Reader:
    found = grammar.options.get(key)
    if found is None:
        near = get_close_matches(key, list(grammar.options), n=1)
        guess = f" Did you mean {near[0]}=?" if near else ""
        against = f"This verb does not take it.{guess}"
        raise UsageError(f"{key!r} was given as an argument.", against, f"`gitsched {grammar.usage}`")
    return found


def _checked(grammar: Grammar, names: Sequence[str]) -> tuple[str, ...]:
    """Give the words back that stand without a key, if there are as many as the verb takes, each of its kind."""
    if not _fits(grammar.names, names):
        takes = grammar.names.value or "nothing"
        against = f"It takes {takes}, and nothing else without a key."
        raise UsageError(f"{' '.join(names)!r} was given.", against, f"`gitsched {grammar.usage}`")
    return tuple(names)


def _fits(kind: Names, names: Sequence[str]) -> bool:
    match kind:
        case Names.NOTHING:
            return not names
        case Names.ISSUES:
            return all(map(_is_issue, names))
        case Names.ISSUE:
            return len(names) <= 1 and all(map(_is_issue, names))
        case Names.UNIT | Names.BATCH:
            return len(names) <= 1
        case Names.BATCH_AND_ISSUES:
            issues = names if not names or _is_issue(names[0]) else names[1:]
            return bool(issues) and all(map(_is_issue, issues))
        case Names.UNIT_AND_NUMBER:
            return 1 <= len(names) <= 2 and values.priority_of(names[-1]) is not None
        case Names.TOKEN:
            return len(names) == 1


def _is_issue(text: str) -> bool:
    try:
        values.issue_number(text)
    except UsageError:
        return False
    return True
