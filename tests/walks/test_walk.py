"""Random walks: operators, agents, checks, drivers, time and death in any order; after each the properties hold."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gitsched.domain.runs import Milestone
from gitsched.domain.words import MilestoneStatus
from gitsched.wiring.commands import hear_own
from tests.walks.judging import ENDS
from tests.walks.manners import Manners
from tests.walks.operating import VERBS, Pick
from tests.walks.plays import WAYS
from tests.walks.town import ISSUES, Town
from tests.walks.townsman import Townsman

ISSUE = st.sampled_from(ISSUES)
CALL = st.integers(1, 60)
"""At which of its calls to the world a driver meets its fate."""
ANY = st.integers(0, 7)
"""Which one of those that are there."""
MINUTE, HOUR = 60.0, 3600.0
GOOD_MOSTLY = st.sampled_from(["good", "good", "breaks", "clashes", "spoils", "half", "dirty"])

LINES = ("enqueue", "hold", "resume", "requeue", "stop", "why", "priority 3", "pause", "unpause", "no such thing")

PARTS = 4
"""So many tests share the walks, so that they keep several cores busy."""
WALKS = int(os.environ.get("GITSCHED_WALKS", "64"))
STEPS = 40
MANY_WALKS = 1_520
"""More than 50,000 steps: a walk is somewhat shorter than it may be."""
GIVEN_UP = {"entry-failed", "stalled", "closed-on-forge", "pr-closed", "dependency-blocked"}
"""What must not be told while the forge cannot be asked; a gate's verdict is known here, and goes on counting."""


class Walk(RuleBasedStateMachine):
    """One walk; `made` and `root` are set by the test."""

    made: Path
    root: Path
    step_count = 0
    told: ClassVar[Counter[str]] = Counter()

    @initialize(
        manners=st.builds(
            Manners,
            conflict=st.sampled_from(["evict", "retry"]),
            strategy=st.sampled_from(["rebuild", "revert"]),
            merge=st.sampled_from(["direct", "direct", "manual"]),
            has_setup=st.booleans(),
            has_help=st.booleans(),
            has_budget=st.booleans(),
        )
    )
    def begin(self, manners: Manners) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.root))
        self.town = Town(self.made, self.folder, manners)

    @rule(issue=ISSUE, deps=st.lists(ISSUE, max_size=1), profile=st.sampled_from([None, "other"]))
    def enqueue_alone(self, issue: int, deps: list[int], profile: str | None) -> None:
        self.town.asked(lambda: self.town.enqueue(issue, solo=True, deps=tuple(deps), profile=profile))

    @rule(issues=st.lists(ISSUE, min_size=2, max_size=5, unique=True), is_open=st.booleans(), grouped=st.booleans())
    def enqueue_together(self, issues: list[int], is_open: bool, grouped: bool) -> None:
        groups = (tuple(sorted(issues[:2])),) if grouped else ()
        self.town.asked(lambda: self.town.enqueue(*issues, leave_open=is_open, groups=groups))

    @rule(issue=ISSUE, which=ANY)
    def join(self, issue: int, which: int) -> None:
        batches = sorted(self.town.state.batches)
        if batches:
            self.town.asked(lambda: self.town.enqueue(issue, batch=batches[which % len(batches)]))

    @rule(which=ANY)
    def tick(self, which: int) -> None:
        drivers = self.town.living()
        drivers[which % len(drivers)].tick()

    @rule(which=ANY, call=CALL, after=st.booleans())
    def die(self, which: int, call: int, after: bool) -> None:
        drivers = self.town.living()
        one = drivers[which % len(drivers)]
        one.fate.dies_at, one.fate.dies_after = one.fate.calls + call, after
        one.tick()

    @rule(call=CALL)
    def be_overtaken(self, call: int) -> None:
        one, *others = self.town.living()
        other = others[0] if others else Townsman(self.town)
        self.town.drivers = [one, other, *others[1:]]
        one.fate.interlude_at, one.fate.interlude = one.fate.calls + call, other.tick
        one.tick()
        one.fate.interlude = None

    @rule(call=CALL, verb=st.sampled_from(sorted(VERBS)), issue=ISSUE, which=ANY, flag=st.booleans())
    def be_interrupted(self, call: int, verb: str, issue: int, which: int, flag: bool) -> None:
        """An operator comes in the middle of a tick."""
        one = self.town.living()[0]
        one.fate.interlude_at = one.fate.calls + call
        one.fate.interlude = lambda: self._ask(verb, Pick(issue, which, flag))
        one.tick()
        one.fate.interlude = None

    @rule()
    def second_driver(self) -> None:
        if len(self.town.living()) < 3:
            self.town.drivers.append(Townsman(self.town))

    @rule()
    def be_without_the_forge(self) -> None:
        """Property 8: nothing is given up while the forge cannot be asked."""
        driver = self.town.living()[0]
        self.town.look()
        seen = len(self.town.properties.names())
        driver.fate.forge_is_away = True
        driver.tick()
        driver.fate.forge_is_away = False
        self.town.look()
        given_up = set(self.town.properties.names()[seen:]) & GIVEN_UP
        assert not given_up, f"P8: {given_up} while the forge could not be asked"

    @precondition(lambda self: self.town.runner.live)
    @rule(which=ANY, way=st.sampled_from(WAYS))
    def end_agent(self, which: int, way: str) -> None:
        running = self.town.agents()
        if running:
            self.town.end_agent(running[which % len(running)], way)

    @precondition(lambda self: self.town.runner.live)
    @rule(way=GOOD_MOSTLY)
    def end_all_agents(self, way: str) -> None:
        for key in self.town.agents():
            self.town.end_agent(key, way)

    @precondition(lambda self: self.town.runner.live)
    @rule(hows=st.lists(st.sampled_from(ENDS), min_size=1, max_size=3))
    def end_jobs(self, hows: list[str]) -> None:
        for number, key in enumerate(self.town.jobs()):
            self.town.end_job(key, hows[number % len(hows)])

    @precondition(lambda self: self.town.runner.live)
    @rule(which=ANY, with_agent=st.booleans())
    def lose_worker(self, which: int, with_agent: bool) -> None:
        running = list(self.town.runner.live)
        self.town.runner.lose_worker(running[which % len(running)], with_agent=with_agent)

    @precondition(lambda self: self.town.runner.live)
    @rule(which=ANY, phase=st.sampled_from(["plan", "implement", "review"]))
    def say(self, which: int, phase: str) -> None:
        """An agent tells how far it is."""
        running = self.town.agents()
        if running:
            key = running[which % len(running)]
            said = Milestone(phase=phase, status=MilestoneStatus.PROGRESS, gen=key[2], at=self.town.clock.now())
            self.town.runner.post(key, said)

    @rule(issue=ISSUE, line=st.sampled_from(LINES))
    def comment(self, issue: int, line: str) -> None:
        """Somebody gives a command in a comment, and it is heard, doubled now and then."""
        number = self.town.tracker.comment(issue, f"/gitsched {line}")
        for _ in range(1 + number % 2):
            hear_own(self.town.opened(), number)

    @rule(which=ANY, way=st.sampled_from(["good", "bad", "clashes", "hands-back", "nothing"]))
    def finish_by_hand(self, which: int, way: str) -> None:
        claims = self.town.claims()
        if claims:
            self.town.finish_by_hand(claims[which % len(claims)], way)

    @rule()
    def move_target(self) -> None:
        self.town.move_target()

    @rule(passed_s=st.sampled_from([MINUTE, 20 * MINUTE, 40 * MINUTE, 3 * HOUR, 12 * HOUR, 30 * HOUR]))
    def time_passes(self, passed_s: float) -> None:
        self.town.clock.pass_by(passed_s)

    @rule(slept_s=st.sampled_from([20 * MINUTE, 9 * HOUR]))
    def sleep(self, slept_s: float) -> None:
        self.town.clock.sleep(slept_s)

    @rule(verb=st.sampled_from(sorted(VERBS)), issue=ISSUE, which=ANY, flag=st.booleans())
    def operate(self, verb: str, issue: int, which: int, flag: bool) -> None:
        self._ask(verb, Pick(issue, which, flag))

    @rule(way=GOOD_MOSTLY)
    def work_on(self, way: str) -> None:
        """Go a long way at once, so that walks get to the end of batches."""
        for _ in range(3):
            self.end_all_agents(way)
            self.end_jobs(["honest"])
            self.tick(0)

    @invariant()
    def properties_hold(self) -> None:
        if hasattr(self, "town"):
            type(self).step_count += 1
            self.town.look()

    def teardown(self) -> None:
        if hasattr(self, "town"):
            try:
                self.town.come_to_rest()
                type(self).told.update(self.town.properties.names())
            finally:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _ask(self, verb: str, pick: Pick) -> None:
        self.town.asked(lambda: VERBS[verb](self.town, pick))


@pytest.mark.walk
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_walk(made: Path, hermetic: Path, record_property: Callable[[str, object], None], part: int) -> None:
    """S-12 (local), S-16: whatever is done in whatever order, the properties hold and it comes to rest."""
    Walk.made, Walk.root, Walk.step_count = made, hermetic, 0
    Walk.told.clear()
    is_thorough = settings().max_examples > 1000
    walks = (MANY_WALKS if is_thorough else WALKS) // PARTS
    run_state_machine_as_test(Walk, settings=settings(max_examples=walks, stateful_step_count=STEPS, deadline=None))
    record_property("told", f"walk {part} of {PARTS}: {Walk.step_count} steps, {Walk.told.total()} events")
