"""What a red batch needs next, from what is on record of its search."""

from typing import Any

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch
from gitsched.domain.search import Pointer, Search, SearchRun, SearchStep
from gitsched.domain.search_effects import Attribute, ConcludeSearch, RunStep
from gitsched.domain.words import BatchStatus, JobKind, MemberStatus, Method
from gitsched.policy.batches import batch_steps
from gitsched.policy.inquest import (
    WHOLE,
    Inquest,
    Steps,
    cases_of,
    excused_in,
    free_slots,
    inquest,
    letters_of,
    sighting_of,
    titles,
)
from gitsched.policy.origin import BaseRed, Excused, PassAlone
from gitsched.policy.search import Culprits, Dropped
from gitsched.policy.sightings import Outcome
from tests.policy.situations import a_batch, a_job, a_lease, a_member, a_situation, a_state, settings

TIP = (1, 2, 3)


def run(members: tuple[int, ...], outcomes: str) -> SearchRun:
    return SearchRun(members=members, outcomes=outcomes, purpose="probe", tree="t")


def red(*runs: SearchRun, tests: int = 1, **fields: Any) -> Batch:
    failing = tuple((f"tests/test_{n}.py", "", f"t{n}") for n in range(tests))
    search = Search(head="head", members=TIP, is_begun=True, runs=runs, **fields)
    return a_batch(*TIP, status=BatchStatus.ATTRIBUTING, failing=failing, failing_count=tests, search=search)


def ask(batch: Batch, slots: int = 1, config: Settings | None = None) -> Inquest:
    assert batch.search is not None
    return inquest(batch, batch.search, config or settings(), slots)


def excusing() -> Settings:
    plain = settings()
    return replace(plain, suite=replace(plain.suite, base_red="excuse"))


def test_base_and_tip_are_asked_first() -> None:
    found = ask(red(), slots=3)
    assert isinstance(found, Steps)
    assert [(step.members, step.purpose) for step in found.steps][:2] == [((), "origin"), (TIP, "origin")]
    assert not found.is_ours


def test_v_08_what_is_red_on_the_base_ends_the_question() -> None:
    """V-08: a test that fails on base and tip: base-red, or excused by the settings."""
    batch = red(run((), "f"), run(TIP, "f"))
    assert ask(batch) == BaseRed(cases_of(batch))
    assert ask(batch, config=excusing()) == Excused(cases_of(batch))
    assert batch.search is not None
    assert excused_in(batch, batch.search, settings()) == ()
    assert excused_in(batch, batch.search, excusing()) == cases_of(batch)


def test_what_passes_alone_sends_the_suite_again() -> None:
    batch = red(run((), "p"), run(TIP, "p"))
    assert ask(batch) == PassAlone(cases=cases_of(batch), excused=())


def test_v_09_what_is_excused_is_not_searched_for() -> None:
    """V-09: A is red on the base, B is ours: only B is asked about."""
    found = ask(red(run((), "fp"), run(TIP, "ff"), tests=2), config=excusing())
    assert isinstance(found, Steps)
    assert found.is_ours
    assert {step.tests for step in found.steps} == {("1",)}


def test_evidence_goes_before_the_search_and_what_points_at_several_does_not() -> None:
    ends = (run((), "p"), run(TIP, "f"))
    pointer = Pointer(test=0, issue=2, method=Method.PATHS, sentence="")
    pointed = ask(red(*ends, pointers=(pointer,)))
    assert isinstance(pointed, Steps)
    assert pointed.steps[0].members == (1, 3)
    vague = ask(red(*ends, pointers=(replace(pointer, method=Method.NONE),)))
    assert isinstance(vague, Steps)
    assert vague.steps[0].purpose == "probe"


def test_v_46_a_suspicion_that_does_not_hold_is_dropped() -> None:
    """V-46: the trial tree without the suspect fails as well."""
    pointer = Pointer(test=0, issue=2, method=Method.PATHS, sentence="")
    found = ask(red(run((), "p"), run(TIP, "f"), run((1, 3), "f"), pointers=(pointer,)))
    assert isinstance(found, Steps)
    assert found.dropped == (Dropped("0", 2),)


def test_what_is_known_is_the_whole_state() -> None:
    """V-25: the same runs, in whatever order they were recorded, come to the same answer."""
    runs = [run((), "p"), run(TIP, "f"), run((1,), "p"), run((1, 2), "f"), run((2,), "f")]
    runs += [run((1, 3), "p")] * 3 + [run(TIP, "f")] * 3
    for order in (runs, runs[::-1]):
        found = ask(red(*order))
        assert isinstance(found, Culprits)
        assert found.issues == {2}


def test_letters_stand_for_outcomes() -> None:
    letters = letters_of({0: Outcome.PASSES, 2: Outcome.BROKEN, 3: Outcome.ABSENT, 4: Outcome.FAILS}, 5)
    assert letters == "p-baf"
    assert sighting_of(run((1,), letters)).outcomes == {
        "0": Outcome.PASSES,
        "2": Outcome.BROKEN,
        "3": Outcome.ABSENT,
        "4": Outcome.FAILS,
    }


def test_without_names_one_case_stands_for_all() -> None:
    assert cases_of(a_batch(1)) == (WHOLE,)
    assert titles(red(tests=2), ["1"]) == ("t1",)


def test_v_18_slots_that_are_free_are_used_and_one_goes_on_without() -> None:
    """V-18: as many steps at once as slots are free, at least one; `bisect.parallel` says another number."""
    batch = red()
    assert free_slots(a_state(batch), batch, settings()) == 4
    elsewhere = replace(a_job("step-1", kind=JobKind.STEP), batch="b2")
    busy = a_state(batch, a_lease(1), a_lease(2), elsewhere, a_member(1), a_member(2))
    assert free_slots(busy, batch, settings()) == 1
    full = a_state(batch, *(a_lease(n) for n in range(1, 5)))
    assert free_slots(full, batch, settings()) == 1
    assert free_slots(full, batch, settings("[bisect]\nparallel = 7\n")) == 7


def steps_of(batch: Batch, *more: Any) -> list[object]:
    members = [
        a_member(n, MemberStatus.LANDED, landed=f"l{n}", landed_from=f"l{n - 1}", head=f"h{n}", cut="base") for n in TIP
    ]
    return list(batch_steps(a_situation(a_state(batch, *members, *more))))


def test_a_batch_in_search_looks_runs_and_concludes() -> None:
    assert steps_of(replace(red(), search=None)) == [Attribute("b1")]
    assert steps_of(replace(red(), search=Search(head="head"))) == [Attribute("b1")]
    first, second, *_ = steps_of(red())
    wanted = RunStep(batch="b1", head="head", members=(), tests=(0,), purpose="origin", attempt=1)
    assert first == wanted
    assert second == replace(wanted, members=TIP)
    assert steps_of(red(run((), "f"), run(TIP, "f"))) == [ConcludeSearch("b1")]


def test_nothing_more_is_asked_while_a_round_is_running() -> None:
    going_on = a_job("step-0-0-1", kind=JobKind.STEP, step=SearchStep(members=(), tests=(0,), purpose="origin"))
    assert steps_of(red(), going_on) == []
