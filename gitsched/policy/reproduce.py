"""Reproduce: the command by which anybody sees the failure for which a member left, in any clone.

1. The member's own branch, where it breaks the tests by itself; else what had landed right before it, with its
   commits on top. Every clone has both: the kept branch, and the integration branch or the target.
2. The failing tests alone where the settings say how; else the whole suite.
"""

import shlex
from collections.abc import Container, Sequence

from gitsched.config.checking import SuiteSettings
from gitsched.config.relations import TESTS
from gitsched.domain.records import Member
from gitsched.domain.verdicts import Case
from gitsched.policy.identify import rerun_ids
from gitsched.policy.inquest import WHOLE

_REPORT = "{report}"
_TESTS_NAMED = 10
"""A command that nobody can read helps nobody."""


def reproduction(
    member: Member, onto: str | None, cases: Sequence[Case], suite: SuiteSettings, tip: Container[str]
) -> str | None:
    """Write the command; `onto` is the commit on which the member's work breaks these cases.

    `tip` are the paths that the names of the cases are about. None for a member without work.
    """
    if member.cut is None or member.head is None or onto is None:
        return None
    place = f"git switch --detach {member.head}"
    if onto != member.cut:
        place = f"git switch --detach {onto} && git cherry-pick --no-commit {member.cut}..{member.head}"
    return f"{place} && {_command(cases, suite, tip)}"


def _command(cases: Sequence[Case], suite: SuiteSettings, tip: Container[str]) -> str:
    named = () if WHOLE in cases else rerun_ids(cases[:_TESTS_NAMED], suite.ids, tip)
    argv = suite.run or ()
    if suite.rerun and named:
        argv = tuple(word for part in suite.rerun for word in (named if part == TESTS else (part,)))
    return " ".join(_quoted(word) for word in argv)


def _quoted(word: str) -> str:
    """Quote a word for a shell; a report goes to a new file beside everything."""
    return '"$(mktemp)"'.join(shlex.quote(part) if part else "" for part in word.split(_REPORT)) or "''"
