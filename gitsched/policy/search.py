"""Search: which runs tell who broke the suite, and what they told.

1. Every failing test is judged on its own (`gitsched.policy.inquiry`); runs are shared between the tests.
2. First where it comes from (base and tip), then what evidence points at, then the search.
3. A test that contradicts itself on one tree is flaky and leaves the search. When the others name nobody, it is
   heard once more if it fails at the tip every time.
4. A test that is not settled by a plain culprit of its own goes with a culprit of other tests, where it passes
   without that one: the fewest members leave.
5. What is known is never asked again, and what is known is the whole state: a search that was cut off goes on.

See docs/explanation/gating.md, "The search".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from gitsched.policy.inquiry import (
    Blame,
    Open,
    Settled,
    Standing,
    Suspicion,
    Unsettled,
    Unstable,
    is_dropped,
    may_explain,
    missing_explanation,
    second_hearing,
    standing_of,
)
from gitsched.policy.sightings import Ledger, Sighting, Tree, Witness
from gitsched.policy.steps import Need, Step, next_steps


class Question(Struct, frozen=True, kw_only=True):
    """What is to be found out."""

    members: Tree
    """All members that landed, in order."""
    tests: tuple[str, ...]
    """Those that fail at the tip and are ours, by any name that is unique among them."""
    suspicions: Mapping[str, Suspicion] = field(default_factory=dict)
    """Of these tests, where evidence points at one member."""
    confirm_count: int = 3


class Dropped(Struct, frozen=True):
    """A suspicion that did not hold."""

    test: str
    issue: int


class Next(Struct, frozen=True, kw_only=True):
    """More must be run; none where there is no free slot."""

    steps: tuple[Step, ...]
    """To be run at once, at most one for each slot."""
    dropped: tuple[Dropped, ...]


class Undecided(Struct, frozen=True):
    """A test by which nothing can be told."""

    test: str
    why: str
    """For people, after the name of the test."""


class Culprits(Struct, frozen=True, kw_only=True):
    """Who broke what."""

    blames: tuple[Blame, ...]
    """At least one, in the order of the tests; a test that several broke by themselves has several."""
    undecided: tuple[Undecided, ...]
    flaky: tuple[str, ...]
    dropped: tuple[Dropped, ...]

    @property
    def issues(self) -> frozenset[int]:
        """Name those that are to leave."""
        return frozenset(blame.issue for blame in self.blames)


class CannotDiscriminate(Struct, frozen=True, kw_only=True):
    """Nobody can be named."""

    undecided: tuple[Undecided, ...]
    """At least one."""
    flaky: tuple[str, ...]
    dropped: tuple[Dropped, ...]


class OnlyFlaky(Struct, frozen=True, kw_only=True):
    """Every test contradicted itself: there is nothing to search for."""

    flaky: tuple[str, ...]


Found: TypeAlias = Next | Culprits | CannotDiscriminate | OnlyFlaky


def search(question: Question, sightings: Iterable[Sighting], slots: int) -> Found:
    """Say what to run next, at most `slots` at once, or what the runs came to.

    `sightings` are all runs and stored verdicts so far, in any order. To be asked again when the steps have
    ended; one that was lost is asked for again. The suite's own run at the tip is no sighting: it is what raised
    the question.
    """
    ledger = Ledger(sightings)
    witnesses = {
        test: Witness(test=test, ledger=ledger, confirm_count=question.confirm_count) for test in question.tests
    }
    standings = _standings(question, witnesses)
    dropped = tuple(_dropped(question, witnesses, standings))
    needs = [
        Need(witness=witnesses[test], open=standing)
        for test, standing in standings.items()
        if isinstance(standing, Open)
    ]
    if needs:
        return Next(steps=next_steps(question.members, needs, ledger, slots), dropped=dropped)
    return _answer(question, standings, dropped)


def _standings(question: Question, witnesses: Mapping[str, Witness]) -> dict[str, Standing]:
    """Say where each test stands; those that left the search are not among them."""
    flaky = [test for test, witness in witnesses.items() if witness.ledger.contradictions(test)]
    steady = {test: witness for test, witness in witnesses.items() if test not in flaky}
    found = {
        test: standing_of(witness, question.members, question.suspicions.get(test)) for test, witness in steady.items()
    }
    found |= _explained(question.members, steady, found)
    if any(isinstance(standing, Open | Settled) for standing in found.values()):
        return found
    for test in flaky:
        heard = second_hearing(witnesses[test], question.members, question.suspicions.get(test))
        if heard is not None:
            found[test] = heard
    return {test: found[test] for test in question.tests if test in found}


def _explained(
    tip: Tree, witnesses: Mapping[str, Witness], standings: Mapping[str, Standing]
) -> Mapping[str, Standing]:
    """Give the standings of the tests that go with, or may go with, a culprit of others."""
    plain = [test for test, standing in standings.items() if isinstance(standing, Settled) and standing.is_plain]
    methods = {blame.issue: blame.method for test in plain for blame in _blames(standings[test])}
    found: dict[str, Standing] = {}
    for test in standings.keys() - set(plain):
        witness = witnesses[test]
        for issue in (issue for issue in tip if issue in methods and may_explain(witness, tip, issue)):
            found[test] = missing_explanation(witness, tip, issue) or Settled(
                blames=(Blame(test=test, issue=issue, method=methods[issue]),)
            )
            if isinstance(found[test], Settled):
                break
    return found


def _answer(question: Question, standings: Mapping[str, Standing], dropped: tuple[Dropped, ...]) -> Found:
    flaky = tuple(t for t in question.tests if t not in standings or isinstance(standings[t], Unstable))
    undecided = tuple(Undecided(test, at.why) for test, at in standings.items() if isinstance(at, Unsettled))
    blames = tuple(blame for standing in standings.values() for blame in _blames(standing))
    if blames:
        return Culprits(blames=blames, undecided=undecided, flaky=flaky, dropped=dropped)
    if undecided:
        return CannotDiscriminate(undecided=undecided, flaky=flaky, dropped=dropped)
    return OnlyFlaky(flaky=flaky)


def _blames(standing: Standing) -> Sequence[Blame]:
    return standing.blames if isinstance(standing, Settled) else ()


def _dropped(
    question: Question, witnesses: Mapping[str, Witness], standings: Mapping[str, Standing]
) -> Iterator[Dropped]:
    for test, suspicion in question.suspicions.items():
        blamed = {blame.issue for blame in _blames(standings.get(test, Unstable()))}
        if suspicion.issue not in blamed and is_dropped(witnesses[test], question.members, suspicion):
            yield Dropped(test, suspicion.issue)
