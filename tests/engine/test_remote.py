"""A batch whose state is on a remote: landing there, the remote away, and refusals in its words."""

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest

from gitsched.domain.instants import seconds_between
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.errors import RemoteAwayError
from tests.engine.drive import Driving, until, workers_of
from tests.engine.far import FarWorld
from tests.engine.patience import ticks_until
from tests.real_git import run_git
from tests.store.remotes import hook, large_files_go, tip

pytestmark = pytest.mark.usefixtures("sound")

Drive = Callable[[Path], Driving]


@pytest.fixture
def world(repo: Path, tmp_path: Path) -> FarWorld:
    """Give a world whose state is on a remote."""
    return FarWorld.begin(repo, tmp_path)


def prepared(world: FarWorld, *issues: int) -> None:
    """Queue issues whose agents do their plain work, as one batch."""
    world.issues(*issues)
    world.agents(*issues)
    world.enqueue(*issues)


def test_a_batch_ships_to_the_remote(world: FarWorld) -> None:
    """The remote has it all, the target too; the user's own branch is left where it is."""
    before = tip(world.repo, "refs/heads/main")
    hook(world.remote, "post-receive", "echo push >> pushes")
    prepared(world, 1, 2, 3)
    before_count = world.pushes()
    world.run()
    world.expect_landed(1, 2, 3)
    world.expect_clean()
    assert world.batch().status is BatchStatus.DONE
    assert world.paths("refs/gitsched-remote/heads/main") >= {"file1.txt", "file2.txt", "file3.txt"}
    assert tip(world.repo, "refs/heads/main") == before
    assert set(run_git(world.remote, "ls-tree", "--name-only", "main").split()) >= {"file1.txt", "file3.txt"}
    for ref in ("refs/gitsched/state", "refs/gitsched/keep", "refs/notes/gitsched/landings", "refs/gitsched/forge"):
        assert tip(world.remote, ref) == tip(world.repo, ref)
    assert world.pushes() - before_count <= 9
    assert not run_git(world.remote, "for-each-ref", "refs/gitsched/runs")


def test_r_38_the_pushed_branch_of_what_is_handed_back_survives(world: FarWorld) -> None:
    """R-38: the remote keeps the branch with the work, the reason is told, and nothing of it reaches the target."""
    world.configure(completion="milestone")
    world.issues(1, 2)
    world.agent(1, ends="gitsched done > /dev/null")
    world.agent(2, ends='gitsched hand-back --reason "needs an API key" > /dev/null')
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1)
    member, entry = world.member(2), world.entry(2)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "needs an API key")
    assert tip(world.remote, f"refs/heads/{member.branch}") == member.head
    assert "file2.txt" in run_git(world.remote, "ls-tree", "--name-only", member.branch).split()
    assert "file2.txt" not in run_git(world.remote, "ls-tree", "--name-only", "main").split()


def test_l_32_a_frozen_integration_branch(world: FarWorld) -> None:
    """L-32: nothing of the landing moves there, the batch is blocked in the hook's words, it is not asked again."""
    prepared(world, 1)
    script = 'case "$1" in */integration) [ "$2" = 0000000000000000000000000000000000000000 ] || {'
    before = "git for-each-ref --format='%(refname) %(objectname)' > before"
    hook(world.remote, "update", f"{script} echo asked >> asked; {before}; echo frozen; exit 1; }};; esac; exit 0")
    world.run()
    batch = world.batch("i1") if "i1" in world.state.batches else world.batch()
    assert batch.status is BatchStatus.BLOCKED
    assert batch.reason is not None
    assert batch.reason.startswith("landing-refused:")
    assert "frozen" in batch.reason
    assert tip(world.remote, f"refs/heads/{batch.integration.branch}") == batch.base
    assert world.told("member-landed") == []
    refs = dict(line.split() for line in (world.remote / "before").read_text().splitlines())
    state, branch = "refs/gitsched/state", f"refs/heads/{world.member(1, batch.id).branch}"
    since = run_git(world.remote, "log", "--format=%B", f"{refs[state]}..{state}")
    assert "member-landed" not in since
    assert "batch-blocked" in since
    assert refs[branch] == tip(world.remote, branch) == world.member(1, batch.id).head
    asked = len((world.remote / "asked").read_text().splitlines())
    world.run()
    assert len((world.remote / "asked").read_text().splitlines()) == asked


def test_l_29_large_files_are_there_before_the_branch_that_points_to_them(
    world: FarWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L-29: a pointer whose object is here lands, and whatever branch brings it, the object was sent before."""
    oid, log = "ab" * 32, tmp_path / "sent"
    large_files_go(tmp_path, monkeypatch, world.remote, log)
    stored = world.repo / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"a film\n")
    world.issues(1)
    pointer = f"version https://git-lfs.github.com/spec/v1\\noid sha256:{oid}\\nsize 7\\n"
    world.agent(1, f"printf '{pointer}' > film.bin")
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    told = [line.partition(":") for line in log.read_text().splitlines()]
    first: dict[str, str] = {}
    for head, _, held_by in told:
        first.setdefault(head, held_by)
    assert (first[world.member(1).head or ""], first[world.member(1).landed or ""]) == ("", "")
    assert "film.bin" in world.paths("refs/gitsched-remote/heads/main")


def test_l_33_a_member_branch_that_somebody_else_pushed_to(world: FarWorld) -> None:
    """L-33: the batch blocks, their commit stays there, and nobody behind lands out of order."""
    prepared(world, 1, 2, 3)
    gate = world.barrier("gate")
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    ticks_until(world, lambda state: _status(state, 2) is MemberStatus.VERIFIED)
    branch, head = world.member(2).branch, world.member(2).head or ""
    assert tip(world.remote, f"refs/heads/{branch}") == head
    late = run_git(world.repo, "commit-tree", "-p", head, "-m", "late", f"{head}^{{tree}}")
    run_git(world.repo, "push", "-q", "origin", f"{late}:refs/heads/{branch}")
    gate.open()
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "member-branch-diverged")
    assert tip(world.remote, f"refs/heads/{branch}") == late
    world.expect_landed(1)


@pytest.mark.timeout(200)
def test_l_36_a_remote_that_is_away_at_landing_time(world: FarWorld, drive_at: Drive) -> None:
    """L-36: the member stays verified and waits for the remote; it lands by itself when that is back."""
    prepared(world, 1, 2)
    gate = world.barrier("gate")
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    driving = drive_at(world.repo)
    until(world.repo, lambda: _status(world.state, 2) is MemberStatus.VERIFIED)
    gone = world.remote.rename(world.remote.with_name("gone.git"))
    until(world.repo, lambda: "remote-unreachable" in world.waits(2))
    gate.open()
    until(world.repo, lambda: not workers_of(world.repo))
    assert _status(world.state, 2) is MemberStatus.VERIFIED
    assert world.batch().status is BatchStatus.EXECUTING
    gone.rename(world.remote)
    driving.end()
    world.expect_landed(1, 2)
    assert sorted(world.started()) == ["1 0", "2 0"]
    assert world.told("ground-truth-unreachable")


@pytest.mark.long
@pytest.mark.timeout(200)
def test_r_56_a_remote_that_is_away_for_longer_than_every_allowance(world: FarWorld) -> None:
    """R-56: nothing is decided meanwhile, and it is told; then who shows life is healthy, who does not is a rung on."""
    world.configure('[stall]\ntimeout = "4s"\ntakeover = "4s"\nkill_grace = "1s"\n')
    world.issues(1, 2)
    ready = world.barrier("ready")
    signs = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; sleep 0.5; done"
    away, back = f"mv {world.remote} {world.remote}.away", f"mv {world.remote}.away {world.remote}"
    lively = "for i in 1 2 3 4; do echo $i; sleep 0.5; done"
    world.agent(1, f"read -r _ < {ready}; {away}; {signs}; {back}; {lively}; echo 1 > file1.txt")
    world.agent(2, f"echo > {ready}; exec sleep 60", gen=0)
    world.agent(2, gen=1)
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    heard: list[str] = []
    world.driver().run(Until.IDLE, on_trouble=heard.append)
    assert world.started()[2:] == ["2 1"]
    (over,) = world.told("ground-truth-unreachable")
    since, until_ = str(over.fields["since"]), str(over.fields["until"])
    assert seconds_between(since, until_) >= 4
    events = [event for entry in world.journal() for event in entry.events]
    assert not [event for event in events if since < event.at < until_]
    assert [(event.issue, event.gen) for event in world.told("stalled")] == [(2, 0)]
    assert [(event.issue, event.gen) for event in world.told("redispatched")] == [(2, 1)]
    assert (world.member(1, "i1").recoveries, world.member(2, "i2").recoveries) == (0, 1)
    assert [world.entry(issue).status for issue in (1, 2)] == [EntryStatus.DONE] * 2
    (told,) = heard
    assert "does not answer" in told


def test_r_56_single_ticks_tell_of_an_absence_once_it_is_over(world: FarWorld) -> None:
    """R-56: each ends as temporary and decides nothing; the first one that is answered journals since and until."""
    prepared(world, 1)
    gone = world.remote.rename(world.remote.with_name("gone.git"))
    before = world.state
    for _ in range(3):
        with pytest.raises(RemoteAwayError):
            world.tick()
    assert world.state == before
    gone.rename(world.remote)
    world.run()
    (over,) = world.told("ground-truth-unreachable")
    assert str(over.fields["since"]) < str(over.fields["until"])
    world.expect_landed(1, batch="i1")


@pytest.mark.timeout(300)
def test_s_12_two_clones_do_everything_once(world: FarWorld, drive_at: Drive, tmp_path: Path) -> None:
    """S-12, R-62 (remote): each run is started once in all, never more than the slots, and both read the same state."""
    prepared(world, *range(1, 9))
    prepared(world, *range(9, 17))
    other = world.beside(tmp_path / "other")
    drivers = [drive_at(world.repo), drive_at(other.repo)]
    for driver in drivers:
        driver.end()
    world.news().expect_landed(*range(1, 9))
    world.expect_landed(*range(9, 17), batch="b2")
    assert sorted(world.started()) == sorted(f"{issue} 0" for issue in range(1, 17))
    assert other.news().state == world.state
    hosts = {event.fields["driver"] for event in world.told("driver-registered")}
    assert len(hosts) == 2
    changes = [1 if name == "assigned" else -1 for name, _ in world.events() if name in ("assigned", "slot-released")]
    assert max(accumulate(changes)) <= 4
    world.expect_clean()
    other.expect_clean()


@pytest.mark.timeout(120)
def test_until_blocked_does_not_wait_for_what_other_hosts_run(world: FarWorld, drive_at: Drive, tmp_path: Path) -> None:
    prepared(world, 1)
    gate = world.barrier("gate")
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    driving = drive_at(world.repo)
    until(world.repo, lambda: _status(world.state, 1) is MemberStatus.RUNNING)
    other = world.beside(tmp_path / "other")
    other.driver().run(Until.BLOCKED)
    assert _status(other.state, 1) is MemberStatus.RUNNING
    gate.open()
    driving.end()
    world.expect_landed(1, batch="i1")


def _status(state: State, issue: int) -> MemberStatus | None:
    return next((member.status for key, member in state.members.items() if key[1] == issue), None)
