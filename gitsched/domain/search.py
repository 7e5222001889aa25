"""What is on record of a search for whoever turned a suite red: the question, and every run so far.

Nothing else is kept of it: what is to be run next follows from these runs, so that a search that was cut off anywhere
goes on as if nothing had happened. Tests are named by their place in the batch's list of failing cases.
"""

from typing import Final

from msgspec import Struct

from gitsched.domain.instants import Instant
from gitsched.domain.words import Method

NOT_RUN: Final = "-"


class SearchStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a job of a search runs."""

    members: tuple[int, ...]
    """The issues whose work is in its tree, in member order; none: the base."""
    tests: tuple[int, ...]
    """Those that it runs, by their places."""
    absent: tuple[int, ...] = ()
    """Those that it would run if its tree had them."""
    purpose: str
    """`origin`, `probe` or `confirm`."""


class SearchRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of failing tests that has ended, or a record that answered in its place."""

    members: tuple[int, ...]
    """The issues whose work was in the tree, in member order; none: the base."""
    outcomes: str
    """A letter for each failing test of the batch: `p`asses, `f`ails, `a`bsent, `b`roken, `-` not run."""
    purpose: str
    """`origin`, `probe` or `confirm`."""
    cached: bool = False
    tree: str | None = None
    """None where the tree could not be built."""
    evidence: str | None = None
    duration_ms: int = 0
    at: Instant = ""


class Pointer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Evidence that points from one failing test at one member."""

    test: int
    issue: int
    method: Method
    """`none`: it points at several, and decides nothing."""
    sentence: str


class Search(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The search over one integration head."""

    head: str
    members: tuple[int, ...] = ()
    """Those that had landed, in order."""
    is_begun: bool = False
    """Evidence was looked at; before that nothing is run."""
    is_fresh: bool = False
    """An operator let the batch go on: no verdict stored before stands for its runs."""
    is_told: bool = False
    """Whom evidence points at was told."""
    has_passed_alone: bool = False
    """The tests passed when they ran again by themselves: what the suite says next decides."""
    pointers: tuple[Pointer, ...] = ()
    runs: tuple[SearchRun, ...] = ()
    split: tuple[tuple[int, ...], ...] = ()
    """Trees on which tests cannot be asked for together: they are run file by file."""
    dropped: tuple[tuple[int, int], ...] = ()
    """Suspicions that did not hold and were told: test and issue."""
