"""Values: what people write for a number, a word or a name, read or refused with what is allowed.

Every function raises UsageError on anything else.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from gitsched.config.lists import PROFILE_NAME
from gitsched.config.shipping import BRANCH_NAME
from gitsched.domain.ids import is_batch_id, is_reserved_batch_id
from gitsched.domain.landing import HazardKind
from gitsched.errors import UsageError

PRIORITY_LOWEST, PRIORITY_HIGHEST = -1_000_000, 1_000_000
"""As for `batch.default_priority`."""
REASON_LENGTH = 200

Word = TypeVar("Word", bound=StrEnum)
_NUMBER = re.compile(r"#?([1-9][0-9]{0,17})")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_LEADS_OUT = re.compile(r"/.*|(.*/)?\.\.(/.*)?", re.DOTALL)


def issue_number(text: str) -> int:
    """Read the number of an issue, `3` or `#3`."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        raise _refused("an issue", text, "a whole number from 1 on", "`gitsched issue list` shows them.")
    return int(found[1])


def issue_numbers(text: str) -> tuple[int, ...]:
    """Read numbers of issues, separated by commas."""
    return tuple(issue_number(part) for part in text.split(","))


def group_of(text: str) -> tuple[int, ...]:
    """Read the numbers of a group, `3+4`, in rising order."""
    numbers = tuple(sorted({issue_number(part) for part in text.split("+")}))
    if len(numbers) < 2:
        raise _refused("a group", text, "two or more issues joined by +, such as 3+4")
    return numbers


def word_of(kind: type[Word], text: str) -> Word:
    """Read one word of a closed set, such as a tier."""
    try:
        return kind(text.strip())
    except ValueError:
        allowed = f"one of {', '.join(kind)}"
        raise _refused(f"a {kind.__name__.lower()}", text, allowed) from None


def priority_of(text: str) -> int:
    """Read a priority."""
    if _INTEGER.fullmatch(text.strip()) is None:
        raise _refused("a priority", text, _PRIORITIES)
    return checked_priority(int(text))


def checked_priority(value: int) -> int:
    """Give a priority back that is in range."""
    if not PRIORITY_LOWEST <= value <= PRIORITY_HIGHEST:
        raise _refused("a priority", str(value), _PRIORITIES)
    return value


def checked_issues(numbers: Iterable[int]) -> tuple[int, ...]:
    """Give numbers of issues back that are all above zero."""
    return tuple(issue_number(str(number)) for number in numbers)


def checked_batch_id(text: str) -> str:
    """Give the id back that a batch may be given by a person."""
    if not is_batch_id(text):
        raise _refused("a batch id", text, "up to 40 of a-z, 0-9 and -, beginning with a letter or digit")
    if is_reserved_batch_id(text) or text.isdigit():
        raise _refused("a batch id", text, "neither a number nor i and a number: those name issues and solo batches")
    return text


def checked_profile(text: str) -> str:
    """Give the name of an agent's profile back; whether there is one is looked at when it is to run."""
    if re.fullmatch(PROFILE_NAME, text) is None:
        raise _refused("a profile", text, "the name of an agent: letters, digits, - and _")
    return text


def checked_branch(text: str) -> str:
    """Give the name of a branch back; whether there is one is looked at when its batch starts."""
    if re.fullmatch(BRANCH_NAME, text) is None:
        raise _refused("a target", text, "the name of a branch, without refs/heads/")
    return text


def checked_glob(text: str) -> str:
    """Give a glob back that stays below the root of the repository."""
    if not text.strip() or not text.isprintable() or _LEADS_OUT.fullmatch(text):
        raise _refused("a file pattern", text, "a glob from the root of the repository, such as src/**")
    return text


def checked_hazard(text: str) -> str:
    """Give `hazard:<kind>` back."""
    kind = text.removeprefix("hazard:")
    if kind == text or kind not in set(HazardKind):
        raise _refused("a hazard to allow", text, ", ".join(f"hazard:{known}" for known in HazardKind))
    return text


def checked_reason(text: str) -> str:
    """Give a reason back that is one line of text."""
    if not text.strip() or not text.isprintable() or len(text) > REASON_LENGTH:
        raise _refused("a reason", text, f"one line of at most {REASON_LENGTH} characters")
    return text.strip()


_PRIORITIES = f"a whole number from {PRIORITY_LOWEST} to {PRIORITY_HIGHEST}"


def _refused(what: str, text: str, allowed: str, remedy: str = "`gitsched --help` names the verbs.") -> UsageError:
    return UsageError(f"{text!r} was given for {what}.", f"It is not {what}: it takes {allowed}.", remedy)
