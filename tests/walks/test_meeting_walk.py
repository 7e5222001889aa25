"""Property 13: two clones that both worked apart and then meet lose nothing, whatever each of them did."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.care import GitCare
from gitsched.adapters.store.meeting import meet
from gitsched.adapters.store.shared import SharedStore
from gitsched.domain.replay import statuses_of
from gitsched.domain.state import State
from gitsched.policy.audit import audit
from gitsched.policy.integrity import commits_named
from gitsched.wiring.marks import clone_mark
from tests.real_git import run_git
from tests.walks.manners import Manners
from tests.walks.operating import VERBS, Pick
from tests.walks.town import ISSUES, PERSON, Town

ISSUE = st.sampled_from(ISSUES)
TOWN = st.integers(0, 1)
WALKS = int(os.environ.get("GITSCHED_MEETINGS", "6"))
STEPS, MANY_STEPS = 25, 2_500
APART = sorted(VERBS.keys() - {"claim", "merge", "undo"})
"""What is done at a store alone; the rest asks a driver or the forge."""


class Meeting(RuleBasedStateMachine):
    """Two towns that were one, each at work by itself until they meet."""

    made: Path
    root: Path
    step_count = 0

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.root))
        run_git(self.folder, "clone", "-q", "--bare", str(self.made), "remote.git")
        self.towns = []
        for name in ("one", "other"):
            (self.folder / name).mkdir()
            town = Town(self.made, self.folder / name, Manners())
            run_git(town.repo, "remote", "add", "origin", str(self.folder / "remote.git"))
            town.played.host = f"walk+{clone_mark(town.repo / '.git')}"
            self.towns.append(town)
        self._meet(0)

    @rule(town=TOWN, issues=st.lists(ISSUE, min_size=1, max_size=3, unique=True), solo=st.booleans())
    def enqueue(self, town: int, issues: list[int], solo: bool) -> None:
        self._asked(town, lambda one: one.enqueue(*issues, solo=solo))

    @rule(town=TOWN, verb=st.sampled_from(APART), issue=ISSUE, which=st.integers(0, 7), flag=st.booleans())
    def operate(self, town: int, verb: str, issue: int, which: int, flag: bool) -> None:
        self._asked(town, lambda one: VERBS[verb](one, Pick(issue, which, flag)))

    @rule(town=TOWN, way=st.sampled_from(["good", "bad", "clashes", "hands-back"]))
    def work(self, town: int, way: str) -> None:
        """Tick, and let everything that runs come to its end."""
        type(self).step_count += 1
        one = self.towns[town]
        for _ in range(2):
            one.living()[0].tick()
            for key in one.agents():
                one.end_agent(key, way)
            for key in one.jobs():
                one.end_job(key)

    @rule(first=TOWN)
    def meet_now(self, first: int) -> None:
        type(self).step_count += 1
        self._meet(first)

    def teardown(self) -> None:
        if hasattr(self, "towns"):
            try:
                self._meet(0)
            finally:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _asked(self, town: int, verb: Callable[[Town], object]) -> None:
        type(self).step_count += 1
        self.towns[town].asked(lambda: verb(self.towns[town]))

    def _meet(self, first: int) -> None:
        """Let one give the remote what it did, then the other, and look at what both have then."""
        before = [(town.state, _journal(town)) for town in self.towns]
        for number in (first, 1 - first, first):
            meet(_shared(self.towns[number]), PERSON)
        after = [_shared(town).read() for town in self.towns]
        assert after[0] == after[1], "P13: they have met and see two states"
        for state, journal in before:
            self._nothing_is_lost(state, journal, after[0])
        audited = list(GitCare(_shared(self.towns[0])).audited())
        untrue = [finding.message for finding in audit(audited, statuses_of(after[0]), {})]
        assert not untrue, f"P12: {untrue}"
        for town in self.towns:
            assert not run_git(town.repo, "for-each-ref", "refs/gitsched-apart/"), "P13: something was left aside"

    def _nothing_is_lost(self, before: State, journal: set[str], after: State) -> None:
        assert set(before.entries) <= set(after.entries), "P13: a row is lost"
        assert set(before.batches) <= set(after.batches), "P13: a batch is lost"
        assert set(before.members) <= set(after.members), "P13: a member is lost"
        lost = journal - _journal(self.towns[0])
        assert not lost, f"P13: the journal forgets {lost}"
        named = commits_named(before)
        for town in self.towns:
            care = GitCare(_shared(town))
            missing, unkept = care.missing(named), care.unkept(named.keys() - care.missing(named))
            assert not missing, f"P13: commits are gone: {[(one, named[one]) for one in missing]}"
            assert not unkept, f"P13: commits are held by nothing: {[(one, named[one]) for one in unkept]}"


def _shared(town: Town) -> SharedStore:
    git = town.repo / ".git"
    return SharedStore(git, town.clock, Remote(git, "origin", "main"), "cli-walk", fsync=False)


def _journal(town: Town) -> set[str]:
    return {f"{event.at} {event.sentence}" for entry in town.clone.store.history() for event in entry.events}


@pytest.mark.walk
@pytest.mark.timeout(3600)
def test_two_clones_that_meet_lose_nothing(
    made: Path, hermetic: Path, record_property: Callable[[str, object], None]
) -> None:
    """S-14, property 13: rows, batches, members, journal and commits of both are there, on both sides."""
    Meeting.made, Meeting.root, Meeting.step_count = made, hermetic, 0
    walks = MANY_STEPS // STEPS if settings().max_examples > 1000 else WALKS
    run_state_machine_as_test(Meeting, settings=settings(max_examples=walks, stateful_step_count=STEPS, deadline=None))
    record_property("told", f"walked {Meeting.step_count} steps on two clones")


def test_a_clone_leaves_the_checks_of_the_other_one_alone(made: Path, hermetic: Path) -> None:
    """S-14: what the other one is verifying stays its own after they met, also on one machine: its tree is there."""
    Meeting.made, Meeting.root = made, hermetic
    meeting = Meeting()
    meeting.begin()
    meeting.enqueue(issues=[1, 2], solo=False, town=0)
    meeting.meet_now(first=0)
    meeting.work(town=1, way="good")
    meeting.meet_now(first=0)
    theirs = meeting.towns[0].state.jobs
    assert {job.owner.host for job in theirs.values()} == {meeting.towns[1].played.host}
    meeting.work(town=0, way="good")
    assert meeting.towns[0].state.jobs == theirs
    meeting.work(town=1, way="good")
    meeting.teardown()
