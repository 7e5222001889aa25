"""A machine that is gone for good, and a clone that never saw what it did."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, MemberStatus
from tests.engine.drive import Driving, kill_each, until, workers_of
from tests.engine.far import FarWorld
from tests.real_git import run_git
from tests.soundness import expect_sound

Drive = Callable[[Path], Driving]
DONE = "gitsched done > /dev/null"
PROGRESS = "gitsched post --phase build --status progress"


@pytest.fixture
def world(repo: Path, tmp_path: Path) -> FarWorld:
    """Give a world whose state is on a remote."""
    return FarWorld.begin(repo, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_s_13_a_machine_that_is_gone_for_good(world: FarWorld, drive_at: Drive, tmp_path: Path) -> None:
    """S-13: a clone that never saw the batch takes over after the ttl with gen + 1; what landed stays landed.

    It sees state, member branches, milestones, logs and rescued work through the remote.
    """
    world.configure('[dispatch]\nttl = "4s"\n', completion="milestone")
    world.issues(1, 2, 3, 4)
    gate = world.barrier("gate")
    for issue in (1, 2, 3, 4):
        world.agent(issue, ends=DONE)
    for issue in (2, 3):
        half = f"echo {issue} > half{issue}.txt; git add -A; git commit -q -m 'Half of {issue}'"
        world.agent(issue, f"{half}; {PROGRESS}; read -r _ < {gate}", gen=0, ends=DONE)
    (world.scripts / "4.0.sh").write_text("echo draft > draft.txt\n")  # no word, no commit: it is started again
    world.enqueue(4)
    world.enqueue(1, 2, 3)
    driving = drive_at(world.repo)
    until(world.repo, lambda: _status(world.state, 1) is MemberStatus.LANDED and len(_working_on(world)) == 2)
    until(world.repo, lambda: bool(_there(world, "refs/gitsched/rescue/")) and len(_posted(world)) == 2)
    driving.kill()
    kill_each(workers_of(world.repo))
    other = world.beside(tmp_path / "other").news()
    world.repo.rename(world.repo.with_name("lost"))
    assert other.state.members["b1", 1].status is MemberStatus.LANDED
    assert len(_posted(other)) == 2
    branches = run_git(other.repo, "for-each-ref", "--format=%(refname)", "refs/heads/gitsched/b1").splitlines()
    assert {f"refs/heads/gitsched/b1/m{index}-i{index}" for index in (2, 3)} <= set(branches)
    (rescued,) = run_git(other.repo, "for-each-ref", "--format=%(refname)", "refs/gitsched/rescue/i4").splitlines()
    assert run_git(other.repo, "show", f"{rescued}:draft.txt") == "draft"
    assert "runs/1/0/log" in {str(path) for path in other.clone.store.evidence_paths("b1")}
    gate.open(2)
    assert drive_at(other.repo).end() == 0
    other.expect_landed(1, 2, 3)
    assert other.batch().status is BatchStatus.DONE
    assert len(other.told("member-landed", 1)) == 1, "what a target that has moved needs is rebuilt, not worked again"
    assert {"1 0", "2 0", "2 1", "3 0", "3 1"} <= set(other.started())
    assert "1 1" not in other.started()
    reasons = {event.issue: event.fields["reason"] for event in other.told("redispatched") if event.issue in {2, 3}}
    assert reasons == {2: "driver-lost", 3: "driver-lost"}
    for place in (other.repo, other.remote):
        expect_sound(place)


def _there(world: FarWorld, below: str) -> str:
    """List what the remote has below a name."""
    return run_git(world.remote, "for-each-ref", "--format=%(refname)", below)


def _posted(world: FarWorld) -> set[str]:
    """Name the runs whose milestones are in a clone, by their refs."""
    refs = run_git(world.repo, "for-each-ref", "--format=%(refname)", "refs/gitsched/runs/b1").splitlines()
    return {ref for ref in refs if '"phase":"build"' in run_git(world.repo, "cat-file", "-p", ref)}


def _working_on(world: FarWorld) -> set[str]:
    """Name the run refs of b1's members that the remote has with a milestone in them."""
    refs = _there(world, "refs/gitsched/runs/b1").splitlines()
    return {ref for ref in refs if '"phase":"build"' in run_git(world.remote, "cat-file", "-p", ref)}


def _status(state: State, issue: int) -> MemberStatus | None:
    return next((member.status for key, member in state.members.items() if key[1] == issue), None)
