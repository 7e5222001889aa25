"""Random walks: operators, agents, checks, drivers and death in any order; spec 01 holds after each of them."""

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
    rule,
    run_state_machine_as_test,
)

from gitsched.engine.intake.ending import AbandonRequest, StopRequest, abandon, stop
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.engine.intake.requeueing import RequeueRequest, requeue
from gitsched.engine.intake.resuming import ResumeRequest, resume
from gitsched.engine.intake.sealing import SealRequest, seal
from tests.walks.plays import WAYS
from tests.walks.town import ISSUES, Town, Townsman

ISSUE = st.sampled_from(ISSUES)
CALL = st.integers(1, 60)
"""At which of its calls to the world a driver meets its fate."""
ANY = st.integers(0, 7)
"""Which one of those that are there."""


WALKS = int(os.environ.get("GITSCHED_WALKS", "12"))
VERBS = ("pause", "resume", "resume", "requeue", "stop-issue", "stop-batch", "abandon", "resume-batch", "seal")


class Walk(RuleBasedStateMachine):
    """One walk; `made` and `root` are set by the test."""

    made: Path
    root: Path
    step_count = 0
    told: ClassVar[Counter[str]] = Counter()

    @initialize(conflict=st.sampled_from(["evict", "retry"]))
    def begin(self, conflict: str) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.root))
        self.town = Town(self.made, self.folder, conflict)

    @rule(issue=ISSUE)
    def enqueue_alone(self, issue: int) -> None:
        self.town.asked(lambda: self.town.enqueue(issue, solo=True))

    @rule(issues=st.lists(ISSUE, min_size=2, max_size=4, unique=True), is_open=st.booleans())
    def enqueue_together(self, issues: list[int], is_open: bool) -> None:
        self.town.asked(lambda: self.town.enqueue(*issues, leave_open=is_open))

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

    @rule()
    def second_driver(self) -> None:
        if len(self.town.living()) < 3:
            self.town.drivers.append(Townsman(self.town))

    @rule(which=ANY, way=st.sampled_from(WAYS))
    def end_agent(self, which: int, way: str) -> None:
        running = self.town.agents()
        if running:
            self.town.end_agent(running[which % len(running)], way)

    @rule(way=st.sampled_from(["good", "good", "breaks", "clashes"]))
    def end_all_agents(self, way: str) -> None:
        for key in self.town.agents():
            self.town.end_agent(key, way)

    @rule()
    def end_jobs(self) -> None:
        for key in self.town.jobs():
            self.town.end_job(key)

    @rule(which=ANY, with_agent=st.booleans())
    def lose_worker(self, which: int, with_agent: bool) -> None:
        running = list(self.town.runner.live)
        if running:
            self.town.runner.lose_worker(running[which % len(running)], with_agent=with_agent)

    @rule()
    def move_target(self) -> None:
        self.town.move_target()

    @rule(verb=st.sampled_from(VERBS), issue=ISSUE, which=ANY, keep=st.booleans())
    def operate(self, verb: str, issue: int, which: int, keep: bool) -> None:
        store, settings_, batches = self.town.clone.store, self.town.clone.settings, sorted(self.town.state.batches)
        batch = batches[which % len(batches)] if batches else "b1"
        verbs: dict[str, Callable[[], object]] = {
            "pause": lambda: pause(store, PauseRequest(), "ada"),
            "resume": lambda: resume_scheduler(store, "ada"),
            "requeue": lambda: requeue(store, settings_, RequeueRequest(issue=str(issue)), "ada"),
            "stop-issue": lambda: stop(store, StopRequest(str(issue)), "ada"),
            "stop-batch": lambda: stop(store, StopRequest(batch), "ada"),
            "abandon": lambda: abandon(store, AbandonRequest(batch, keep), "ada"),
            "resume-batch": lambda: resume(store, settings_, ResumeRequest(batch), "ada"),
            "seal": lambda: seal(store, settings_, SealRequest(batch), "ada"),
        }
        self.town.asked(verbs[verb])

    @rule(way=st.sampled_from(["good", "good", "breaks", "clashes", "dirty"]))
    def work_on(self, way: str) -> None:
        """Go a long way at once, so that walks get to the end of batches."""
        for _ in range(3):
            self.end_all_agents(way)
            self.end_jobs()
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


@pytest.mark.walk
@pytest.mark.timeout(3600)
def test_walk(made: Path, hermetic: Path, record_property: Callable[[str, object], None]) -> None:
    """S-12 (local), S-16: whatever is done in whatever order, the properties hold and it comes to rest."""
    Walk.made, Walk.root, Walk.step_count = made, hermetic, 0
    few = settings(max_examples=WALKS, stateful_step_count=35, deadline=None)
    many = settings(max_examples=1000, stateful_step_count=50, deadline=None)
    is_thorough = settings().max_examples > 1000
    run_state_machine_as_test(Walk, settings=many if is_thorough else few)
    record_property("told", f"walked {Walk.step_count} steps: {dict(Walk.told)}")
