"""A batch on GitHub whose drivers die, or whose answers are lost, at every single write: always the same end."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.cli.fault import contained
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Driver, Until
from gitsched.wiring.clone import Clone
from tests.engine.relay import Killed
from tests.github.fake.faults import Fault
from tests.github.hub_world import HubWorld

WRITES = ("publish", "open_pull_request", "park", "make_ready", "merge", "comment", "close_issue", "withdraw")


class DeadlyForge:
    """A forge at which drivers die: before each write, and the next one right after it has been done."""

    def __init__(self, real: object, met: Counter[tuple[str, Any]]) -> None:
        self._real, self._met = real, met

    def __getattr__(self, name: str) -> Any:
        own = getattr(self._real, name)
        if name not in WRITES:
            return own

        def call(*words: Any, **named: Any) -> Any:
            key = (name, words[0] if isinstance(words[0], str | int) else words[0].source)
            self._met[key] += 1
            if self._met[key] == 1:
                raise Killed
            done = own(*words, **named)
            if self._met[key] == 2:
                raise Killed
            return done

        return call


def six_issues(world: HubWorld, merge: str) -> None:
    """Enqueue five issues as a batch, one that hands back among them, and one alone that a label keeps out."""
    world.remote.protect(contexts=("ci",))
    world.configure(f'[ship]\nmerge = "{merge}"\n', completion="milestone")
    for issue in (1, 2, 4, 5):
        world.issue(issue)
    world.issue(3, body="Depends on #2")
    world.issue(6, labels=["decision-pending"])
    world.remote.block(2, by=1)
    for issue in (1, 2, 3, 4, 6):
        world.agent(issue, ends="gitsched done")
    world.agent(5, "true", ends="gitsched hand-back --reason 'not mine'")
    world.enqueue(1, 2, 3, 4, 5, batch="b1")
    world.enqueue(6, solo=True)


def expect_the_end(world: HubWorld) -> None:
    """Check what a batch of six comes to, whatever happened on the way."""
    assert world.batch("b1").status is BatchStatus.DONE
    assert [world.member(n).status for n in (1, 2, 3, 4)] == [MemberStatus.SHIPPED] * 4
    assert world.member(5).status is MemberStatus.HANDED_BACK
    assert (world.entry(6).status, world.entry(6).reason) == (EntryStatus.BLOCKED, "label:decision-pending")
    assert [world.forge_issue(n).is_open for n in range(1, 7)] == [False] * 4 + [True] * 2
    assert [len(world.told_on(n)) for n in range(1, 7)] == [1] * 5 + [0]
    assert len(world.remote.pulls()) == 1
    number = world.remote.pulls()[0].number
    assert len(world.told_on(number)) == len({comment.body for comment in world.told_on(number)})
    body = world.body("b1")
    assert [line for line in body.splitlines() if line.startswith("Closes")] == [f"Closes #{n}" for n in (1, 2, 3, 4)]
    assert {f"file{n}.txt" for n in (1, 2, 3, 4)} <= world.forge_paths()
    assert world.remote.tip("gitsched/b1/integration") is None


def drive(world: HubWorld, make: Callable[[Clone], object]) -> int:
    """Let one driver after the other go on until nothing moves; give how many died."""
    died = 0
    while True:
        try:
            clone = Clone(world.repo)
            around = replace(clone.surroundings(), forge=make(clone))
            Driver(around, clone.settings, contained).run(Until.IDLE)
        except Killed:
            died += 1
            assert died < 200
            continue
        request = world.batch("b1").pr
        if request is not None and world.batch("b1").status is BatchStatus.AWAITING_MERGE:
            if not world.remote.model.checks:
                world.remote.check(request.head)
                continue
            if world.settle_queue(request.number):
                continue
        return died


@pytest.mark.parametrize("merge", ["direct", pytest.param("auto", marks=pytest.mark.long)])
@pytest.mark.timeout(300)
def test_show_1_killed_before_and_after_every_write(world: HubWorld, merge: str) -> None:
    """G-01, G-02, G-25 (show 1): no second comment, request or merge; a label released lets its issue go on."""
    six_issues(world, merge)
    met: Counter[tuple[str, Any]] = Counter()
    died = drive(world, lambda clone: DeadlyForge(clone.served_forge, met))
    assert died == 2 * len(met)
    expect_the_end(world)
    world.remote.unlabel(6, "decision-pending")
    world.configure('[ship]\nmerge = "manual"\n', completion="milestone")
    world.run()
    assert world.entry(6).status is EntryStatus.ASSIGNED
    assert world.batch("i6").status is BatchStatus.AWAITING_MERGE


@pytest.mark.timeout(300)
def test_show_3_answers_lost_and_lists_that_lag(world: HubWorld) -> None:
    """Show 3: of every write the first answer is lost, another write is cut off, and lists lag: the same end."""
    six_issues(world, "direct")
    world.hub.lag(reads=1, path="/(comments|pulls)$")
    for method in ("POST", "PATCH", "PUT", "DELETE"):
        for turn in range(0, 12, 2):
            kind = "lose" if turn % 4 == 0 else "cut"
            world.hub.faults.plan(Fault(kind, method=method, path="^/repos/", after=turn))
    while world.batch("b1").status is not BatchStatus.DONE:
        Driver(world.clone.surroundings(), world.clone.settings, contained).run(Until.ONCE)
        request = world.batch("b1").pr
        if request is not None and not world.remote.model.checks:
            world.remote.check(request.head)
        if not world.state.leases and not world.state.jobs:
            world.time.advance(31)
    expect_the_end(world)
