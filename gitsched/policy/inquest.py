"""Inquest: what is to be done about a red suite, from what is on record of its search alone.

1. Nothing is asked before evidence was looked at; then every failing test runs on the base and on the tip.
2. What is red on the base as well blames nobody; what passes by itself sends the batch back to its suite.
3. What is left is searched (`gitsched.policy.search`), with what evidence points at as suspicions.
4. As many runs at once as `bisect.parallel` says, else as there are free slots; one goes on when there is none.

See docs/explanation/gating.md, "The suite is red".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch
from gitsched.domain.search import NOT_RUN, Search, SearchRun
from gitsched.domain.state import State
from gitsched.domain.verdicts import Case
from gitsched.domain.words import LIVE_RUNS, Method
from gitsched.policy.budget import SEARCH_JOBS
from gitsched.policy.inquiry import Suspicion
from gitsched.policy.origin import BaseRed, Excused, Ours, PassAlone, origin_of
from gitsched.policy.search import CannotDiscriminate, Culprits, Dropped, Next, OnlyFlaky, Question, search
from gitsched.policy.sightings import Ledger, Outcome, Sighting, Tree, Witness
from gitsched.policy.steps import Step

WHOLE: Final = Case(name="the suite as a whole")
"""What stands for all tests where no report names them."""
_LETTERS: Final[Mapping[str, Outcome]] = {
    "p": Outcome.PASSES,
    "f": Outcome.FAILS,
    "a": Outcome.ABSENT,
    "b": Outcome.BROKEN,
}
_LETTER_OF: Final = {outcome: letter for letter, outcome in _LETTERS.items()}


class Steps(Struct, frozen=True):
    """More must be run; not one where no slot is to be had."""

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...] = ()
    is_ours: bool = False
    """It is known already that members are to blame."""


Inquest: TypeAlias = Steps | BaseRed | Excused | PassAlone | Culprits | CannotDiscriminate | OnlyFlaky


def inquest(batch: Batch, search_: Search, settings: Settings, slots: int) -> Inquest:
    """Say what a batch in search needs next, at most `slots` runs at once; to be asked again when they have ended."""
    cases, sightings = cases_of(batch), tuple(sighting_of(run) for run in search_.runs)
    every = tuple(str(test) for test in range(len(cases)))
    ledger = Ledger(sightings)
    seen = {test: Witness(test=test, ledger=ledger, confirm_count=settings.bisect.confirm_count) for test in every}
    tip: Tree = search_.members
    if any(witness.outcome(tree) is None for witness in seen.values() for tree in ((), tip)):
        return _searched(search_, every, sightings, settings, slots)
    origin = origin_of(
        cases,
        [case for test, case in zip(every, cases, strict=True) if seen[test].fails(())],
        [case for test, case in zip(every, cases, strict=True) if not seen[test].is_good(tip)],
        excuse_base=settings.suite.base_red == "excuse",
    )
    if not isinstance(origin, Ours):
        return origin
    ours = tuple(test for test, case in zip(every, cases, strict=True) if case in origin.cases)
    return _searched(search_, ours, sightings, settings, slots, is_ours=True)


def _searched(  # many-parameters: the question, what is known, and how much may be asked at once
    search_: Search,
    tests: tuple[str, ...],
    sightings: Sequence[Sighting],
    settings: Settings,
    slots: int,
    *,
    is_ours: bool = False,
) -> Inquest:
    named = (pointer for pointer in search_.pointers if pointer.method is not Method.NONE)
    pointed = {str(pointer.test): pointer for pointer in named}
    question = Question(
        members=search_.members,
        tests=tests,
        suspicions={
            test: Suspicion(issue=pointed[test].issue, method=pointed[test].method) for test in tests if test in pointed
        },
        confirm_count=settings.bisect.confirm_count,
    )
    found = search(question, sightings, slots)
    return Steps(found.steps, found.dropped, is_ours) if isinstance(found, Next) else found


def excused_in(batch: Batch, search_: Search, settings: Settings) -> tuple[Case, ...]:
    """List the failing cases that are red on the base and let pass."""
    if settings.suite.base_red != "excuse":
        return ()
    ledger = Ledger(sighting_of(run) for run in search_.runs)
    witnesses = (Witness(test=str(n), ledger=ledger, confirm_count=1) for n in range(len(cases_of(batch))))
    return tuple(case for case, witness in zip(cases_of(batch), witnesses, strict=True) if witness.fails(()))


def cases_of(batch: Batch) -> tuple[Case, ...]:
    """List the failing cases that are asked about; one stands for all where no report names any."""
    return tuple(Case(file=file or None, classname=cls, name=name) for file, cls, name in batch.failing) or (WHOLE,)


def sighting_of(run: SearchRun) -> Sighting:
    """Read a run of a search as the search wants it."""
    outcomes = {str(test): _LETTERS[letter] for test, letter in enumerate(run.outcomes) if letter != NOT_RUN}
    return Sighting(members=run.members, outcomes=outcomes)


def letters_of(outcomes: Mapping[int, Outcome], count: int) -> str:
    """Write down what tests came to, by their places."""
    return "".join(_LETTER_OF[outcomes[test]] if test in outcomes else NOT_RUN for test in range(count))


def free_slots(state: State, batch: Batch, settings: Settings) -> int:
    """Tell how many steps a search may make at once; a step that nobody has room for goes on all the same."""
    if settings.bisect.parallel:
        return settings.bisect.parallel
    live = sum(lease.status in LIVE_RUNS for lease in state.leases.values())
    return max(1, state.control.slots_max - live - len(search_jobs(state, other_than=batch.id)))


def search_jobs(state: State, other_than: str = "") -> list[tuple[str, str]]:
    """List the steps of searches that are running, as (batch, job)."""
    return [key for key, job in state.jobs.items() if job.kind in SEARCH_JOBS and key[0] != other_than]


def titles(batch: Batch, tests: Iterable[str]) -> tuple[str, ...]:
    """Name failing tests for people."""
    cases = cases_of(batch)
    return tuple(cases[int(test)].title for test in tests)
