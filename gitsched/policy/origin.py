"""Origin: whose fault a red suite is, before any member is looked at.

Each failing test is judged on its own, by running it again on the base and on the tip:

1. It fails on the base too: it was red before any member landed, and blames nobody.
2. It passes on the tip when run again: it does not show the fault by itself.
3. Else it is ours, and the members are looked at.

A test that the base does not have counts as not failing there. See docs/explanation/gating.md, "Is it ours?".
"""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from gitsched.domain.verdicts import Case


class Ours(Struct, frozen=True, kw_only=True):
    """Some tests fail on the tip alone, time and again."""

    cases: tuple[Case, ...]
    excused: tuple[Case, ...]
    """Red on the base; named in the pull request."""


class BaseRed(Struct, frozen=True):
    """The base is red by itself: the batch blocks with these as evidence."""

    cases: tuple[Case, ...]


class Excused(Struct, frozen=True):
    """All that fails was red before, and settings let that pass."""

    cases: tuple[Case, ...]


class PassAlone(Struct, frozen=True, kw_only=True):
    """What is not excused passes when run again: the whole suite must run once more on the same tree."""

    cases: tuple[Case, ...]
    excused: tuple[Case, ...]


Origin: TypeAlias = Ours | BaseRed | Excused | PassAlone


def origin_of(failing: Sequence[Case], on_base: Sequence[Case], on_tip: Sequence[Case], *, excuse_base: bool) -> Origin:
    """Say whose the failing tests of a suite are.

    `on_base` and `on_tip` are those that failed when run again there; `excuse_base` is
    `suite.base_red = "excuse"`. Without it one test that is red on the base blocks the batch.
    """
    base, tip = _identities(on_base), _identities(on_tip)
    red_before = tuple(case for case in failing if case.identity in base)
    rest = tuple(case for case in failing if case.identity not in base)
    if red_before and not excuse_base:
        return BaseRed(red_before)
    if not rest:
        return Excused(red_before)
    again = tuple(case for case in rest if case.identity in tip)
    return Ours(cases=again, excused=red_before) if again else PassAlone(cases=rest, excused=red_before)


def _identities(cases: Sequence[Case]) -> frozenset[tuple[str, str, str]]:
    return frozenset(case.identity for case in cases)
