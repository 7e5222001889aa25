"""Landing on a remote while others move its state, and dying between its answer and ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.adapters.git.push_report import PushAnswer
from gitsched.adapters.git.remote import Remote
from gitsched.domain.ids import LANDING_NOTES, STATE_REF
from gitsched.domain.state import RefMove
from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.engine.driver import Driver, Until
from gitsched.engine.intake.priority import PriorityRequest, reprioritize
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving
from tests.engine.far import LOOK_AGAIN_S, FarWorld
from tests.engine.relay import Call, Relay, without_guard
from tests.real_git import run_git
from tests.store.remotes import hook, joined, tip
from tests.store.verbs import applied, raise_priority

pytestmark = pytest.mark.usefixtures("sound")

INTEGRATION = "refs/heads/gitsched/b1/integration"


@pytest.fixture
def world(repo: Path, tmp_path: Path) -> FarWorld:
    """Give a batch of two whose state is on a remote."""
    made = FarWorld.begin(repo, tmp_path)
    made.issues(1, 2)
    made.agents(1, 2)
    made.enqueue(1, 2)
    return made


class Overtaken(Remote):
    """A remote whose state another clone moves just before a landing arrives, once."""

    rival: Path
    overtaken_count = 0

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        if self.overtaken_count == 0 and any(move.name == INTEGRATION and move.old for move in moves):
            self.overtaken_count = 1
            reprioritize(Clone(self.rival).store, PriorityRequest("b1", 99), "ann")
        return super().push(moves)


class Voiding(Remote):
    """A remote whose state another clone moves before anything that we decide arrives, so that we decide it twice."""

    rival: Path
    is_second = False
    void_count = 0

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        if any(move.name == STATE_REF for move in moves):
            self.is_second = not self.is_second
        if self.is_second and any(move.name == STATE_REF for move in moves):
            self.void_count += 1
            applied(joined(self.rival, "rival").apply(raise_priority(1)))
        return super().push(moves)


class Diverging(Remote):
    """A remote to whose branch of issue 1 somebody pushes just before its landing arrives, once."""

    late = ""

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        branch = "refs/heads/gitsched/b1/m1-i1"
        if not self.late and any(move.name == INTEGRATION and move.old for move in moves):
            head = next(move.new for move in moves if move.name == branch)
            self.late = run_git(self.clone, "commit-tree", "-p", str(head), "-m", "late", f"{head}^{{tree}}")
            run_git(self.clone, "push", "-q", "origin", f"{self.late}:{branch}")
        return super().push(moves)

    clone: Path


@pytest.mark.timeout(120)
def test_l_33_another_commit_while_the_landing_is_on_its_way(world: FarWorld) -> None:
    """L-33: it came after the last look: the landing falls with the branch's lease, and the batch blocks for it."""
    clone = Clone(world.repo)
    assert clone.shared is not None
    remote = Diverging(world.repo / ".git", "origin", "main")
    remote.clone = world.repo
    clone.shared.remote = remote
    around = replace(clone.surroundings(), look_again_s=LOOK_AGAIN_S)
    Driver(around, clone.settings, without_guard).run(Until.IDLE)
    world.news()
    assert remote.late
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "member-branch-diverged")
    assert tip(world.remote, "refs/heads/gitsched/b1/m1-i1") == remote.late
    assert not world.told("member-landed")
    assert tip(world.remote, INTEGRATION) == world.batch().base


@pytest.mark.timeout(120)
def test_l_34_another_driver_is_quicker(world: FarWorld, tmp_path: Path) -> None:
    """L-34 (remote): nothing of the landing is applied; it is decided again, and lands once."""
    other = world.beside(tmp_path / "other")
    clone = Clone(world.repo)
    assert clone.shared is not None
    remote = Overtaken(world.repo / ".git", "origin", "main")
    remote.rival = other.repo
    clone.shared.remote = remote
    around = replace(clone.surroundings(), look_again_s=LOOK_AGAIN_S)
    Driver(around, clone.settings, without_guard).run(Until.IDLE)
    assert remote.overtaken_count == 1
    world.news().expect_landed(1, 2)
    assert [event.issue for event in world.told("member-landed")] == [1, 2]
    assert world.batch().priority == 99, "nothing of the other's is undone"


@pytest.mark.timeout(120)
def test_what_is_void_has_freed_no_tree(repo: Path, tmp_path: Path) -> None:
    """Everything falls once, and is read again: gates and suites are judged by trees, and those still stand."""
    world = FarWorld.begin(repo, tmp_path)
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "-c", "test ! -e broken"]\nevidence = "exit"\n')
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[worktrees]", "[worktrees]\npool = 0", 1))  # a free tree is gone at once
    world.issues(1, 2)
    world.agent(1)
    world.agent(2, "echo no > broken")
    world.enqueue(1, 2)
    clone = Clone(world.repo)
    assert clone.shared is not None
    remote = Voiding(world.repo / ".git", "origin", "main")
    remote.rival = world.beside(tmp_path / "other").repo
    clone.shared.remote = remote
    around = replace(clone.surroundings(), look_again_s=LOOK_AGAIN_S)
    Driver(around, clone.settings, without_guard).run(Until.IDLE)
    assert remote.void_count > 3
    world.news().expect_landed(1)
    assert world.batch().status is BatchStatus.DONE
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.EVICTED, "gate-failed:unit")
    assert not world.told("gate-inconclusive")
    assert sorted(world.started()) == ["1 0", "2 0"]
    world.expect_clean()


@pytest.mark.timeout(180)
def test_l_35_killed_after_the_remote_has_accepted(world: FarWorld, tmp_path: Path) -> None:
    """L-35 (remote): what was accepted is recognised, nothing lands twice, and every landed commit has its note."""
    pid, seen = tmp_path / "pid", tmp_path / "killed"
    script = f"""
    while read old new ref; do
        case "$ref $old" in
        "{INTEGRATION} 0000"*) ;;
        "{INTEGRATION} "*) [ -e {seen} ] || {{ echo $ref > {seen}; kill -9 $(cat {pid}); }} ;;
        esac
    done"""
    hook(world.remote, "post-receive", script)
    first = Driving(world.repo)
    try:
        pid.write_text(str(first.pid))
        assert first.ends_within(60)
    finally:
        first.kill()
    assert seen.exists(), "it was killed by the landing"
    second = Driving(world.repo)
    assert second.end() == 0
    world.news().expect_landed(1, 2)
    assert world.batch().status is BatchStatus.DONE
    assert [event.issue for event in world.told("member-landed")] == [1, 2]
    for issue in (1, 2):
        landed = world.member(issue).landed
        assert landed is not None
        assert run_git(world.remote, "notes", f"--ref={LANDING_NOTES}", "show", landed)


@pytest.mark.timeout(120)
def test_l_36_the_remote_is_asked_again_after_growing_pauses(world: FarWorld) -> None:
    """L-36: each pause is up to twice as long as the one before; then it is back, and all lands."""
    gone = world.remote.with_name("gone.git")
    pauses: list[float] = []

    def wait(real: Call, pause_s: float, *words: Any) -> Any:
        if not pauses:
            world.remote.rename(gone)
        elif len(pauses) == 5:
            gone.rename(world.remote)
        pauses.append(pause_s)
        return real(pause_s, *words) if len(pauses) > 6 else None

    waker = Relay(Clone(world.repo).surroundings().waker, wait=wait)
    world.driver_with(waker=waker).run(Until.IDLE)
    for count, pause_s in enumerate(pauses[1:6], start=1):
        longest_s = 2.0 * 2**count
        assert longest_s / 2 <= pause_s <= longest_s
    world.news().expect_landed(1, 2)
    assert not world.batch().evictions
    assert sorted(world.started()) == ["1 0", "2 0"]
