"""Runs whose driver, worker or pid is not what it was: whole stories."""

import subprocess
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from gitsched.domain.runs import ProcessName, RunRecord
from gitsched.domain.words import EntryStatus, RunStatus
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving, kill_each, until, workers_of
from tests.engine.patience import has_ended, told
from tests.engine.test_tree_stories import trees_in
from tests.engine.world import World
from tests.real_git import run_git

Drive = Callable[[], Driving]
SILENT = '{"type":"result","subtype":"success","is_error":false,"num_turns":3,"usage":{"output_tokens":7}}'


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """Start a program that has nothing to do with us."""
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.mark.timeout(200)
def test_r_59_a_driver_that_died_before_its_workers_began(world: World, drive: Drive) -> None:
    """R-59: killed between `assigned` and the agents' start: gen 1, each started once, full at once, no rung used."""
    gate = world.barrier("gate")
    trees_in(world, f'setup = [["sh", "-c", "read -r _ < {gate}"]]')
    world.slots(2)
    world.issues(1, 2)
    hold = world.barrier("hold")
    for issue in (1, 2):
        world.agent(issue, f"read -r _ < {hold}; echo {issue} > file{issue}.txt")
    world.enqueue(1, 2, solo=True)
    driving = drive()
    until(world.repo, lambda: len(workers_of(world.repo)) == 2)
    driving.kill()
    assert [lease.status for lease in world.state.leases.values()] == [RunStatus.ASSIGNED] * 2
    gate.open(2)
    until(world.repo, lambda: not workers_of(world.repo))
    world.tick()
    assert [(lease.gen, lease.status) for lease in world.state.leases.values()] == [(1, RunStatus.RUNNING)] * 2
    assert world.status()["slots"]["live"] == 2
    hold.open(2)
    world.run()
    assert sorted(world.started()) == ["1 1", "2 1"]
    assert [world.member(issue, f"i{issue}").recoveries for issue in (1, 2)] == [0, 0]
    assert {str(event.fields["reason"]) for event in told(world, "redispatched")} == {"driver-lost"}
    assert [world.entry(issue).status for issue in (1, 2)] == [EntryStatus.DONE] * 2


@pytest.mark.timeout(200)
def test_r_60_an_agent_outlives_its_driver_and_is_taken_in_by_the_next(world: World, drive: Drive) -> None:
    """R-60: none drives for a while; its worker records exit, usage and head; the next one verifies and lands that."""
    usage = f'[agents.talker]\ncommand = ["sh", "{world.scripts}/agent"]\nusage = "claude-stream-json"\n'
    world.configure(f'{usage}completion = "exit"\n')
    gate = world.barrier("gate")
    world.issues(1)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt", ends=f"echo '{SILENT}'; exit 0")
    world.enqueue(1, profile="talker")
    driving = drive()
    until(world.repo, lambda: world.started() == ["1 0"])
    driving.kill()
    gate.open()
    until(world.repo, lambda: has_ended(world, "i1", 1))
    record = world.clone.runner.look("i1", "1", 0).record
    assert record is not None
    assert record.end is not None
    assert (record.end.code, record.end.head) == (0, run_git(world.repo, "rev-parse", "gitsched/i1/m1-i1"))
    assert record.end.usage is not None
    assert record.end.usage["turns"] == 3
    assert world.state.leases["i1", 1].status is RunStatus.RUNNING, "nobody has taken it in yet"
    world.run()
    world.expect_landed(1, batch="i1")
    assert world.started() == ["1 0"]
    assert len(told(world, "spawned")) == 1


def test_r_61_a_worker_that_is_killed_leaves_no_agent_beside_the_next(world: World) -> None:
    """R-61: the agent left behind is ended before gen 1 starts, on the same tier, and no rung is used."""
    lock, ready = world.scripts / "lock", world.scripts / "ready"
    world.issues(1)
    world.agent(1, f"exec 9> {lock}; flock 9; : > {ready}; sleep 300", gen=0)
    world.agent(1, f"flock -n {lock} true || exit 9; echo 1 > file1.txt", gen=1)
    world.enqueue(1)
    world.tick()
    until(world.repo, ready.exists)
    assert kill_each(workers_of(world.repo)) == 1
    world.run()
    assert world.started() == ["1 0", "1 1"]
    assert [event.fields["reason"] for event in told(world, "redispatched")] == ["worker-lost"]
    assert [event.fields["tier"] for event in told(world, "spawned")] == ["mid", "mid"]
    assert world.member(1, "i1").recoveries == 0
    world.expect_landed(1, batch="i1")


def test_r_63_a_pid_that_is_somebody_else_s_by_now(world: World, stranger: "subprocess.Popen[bytes]") -> None:
    """R-63: the run counts as gone, the unrelated program receives no signal, and gen 1 takes over."""
    world.issues(1)
    ready = world.scripts / "ready"
    world.agent(1, f": > {ready}; sleep 300", gen=0)
    world.agent(1, gen=1)
    world.enqueue(1)
    world.tick()
    until(world.repo, lambda: ready.exists() and has_begun(world))
    (worker,) = workers_of(world.repo)
    kill_each([*worker.children(recursive=True), worker])

    def as_a_stranger(found: RunRecord) -> RunRecord:
        def named(name: ProcessName | None) -> ProcessName | None:
            return None if name is None else replace(name, pid=stranger.pid)

        return replace(found, worker=named(found.worker), agent=named(found.agent), group=stranger.pid)

    assert Clone(world.repo).run_refs.amend("i1", "1", 0, as_a_stranger)
    world.run()
    assert stranger.poll() is None
    assert world.started() == ["1 0", "1 1"]
    assert [event.fields["reason"] for event in told(world, "redispatched")] == ["worker-lost"]
    assert not told(world, "stop-sent", "kill-sent")
    assert world.member(1, "i1").recoveries == 0
    world.expect_landed(1, batch="i1")


def has_begun(world: World) -> bool:
    """Say whether the worker of issue 1 has recorded its agent."""
    record = world.clone.runner.look("i1", "1", 0).record
    return record is not None and record.agent is not None


@pytest.mark.long
def test_r_55_a_takeover_that_posts_has_the_allowance_of_its_phase(world: World) -> None:
    """R-55: it posts one milestone and is then silent for longer than `takeover`; that is no stall."""
    world.configure('[stall]\ntimeout = "30s"\ntakeover = "4s"\n')
    world.issues(1)
    world.agent(1, "exit 1", gen=0)
    world.agent(1, "gitsched post --phase plan --status done; sleep 6; echo 1 > file1.txt", gen=1)
    world.enqueue(1)
    world.run()
    assert world.started() == ["1 0", "1 1"]
    assert not told(world, "stalled")
    world.expect_landed(1, batch="i1")


def test_r_25_submodule_copies_and_dependencies(world: World) -> None:
    """R-25: the tree has submodule and copy; the main folder is neither linked nor changed, and nothing of it lands."""
    sub = world.scripts / "sub"
    run_git(world.scripts, "init", "-q", str(sub))
    (sub / "inner.txt").write_text("inner\n")
    run_git(sub, "add", "-A")
    run_git(sub, "commit", "-q", "-m", "Inner")
    run_git(world.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(sub), "libs/sub")
    (world.repo / ".gitignore").write_text("deps/\n")
    world.commit("Add a submodule")
    trees_in(world, 'copy = [".env.test"]')
    (world.repo / ".env.test").write_text("KEY=k\n")
    (world.repo / "deps").mkdir()
    (world.repo / "deps/lib.js").write_text("lib\n")
    config = (world.repo / ".git/config").read_bytes()
    world.issues(1, 2)
    look = "test ! -e deps; test ! -L .env.test; mkdir deps; echo own > deps/own.js; cat libs/sub/inner.txt .env.test"
    world.agent(1, f"{look} > file1.txt")
    world.agent(2, f"{look} > file2.txt; exit 0")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert [world.show(f"file{issue}.txt") for issue in (1, 2)] == ["inner\nKEY=k"] * 2
    assert not {path for path in world.paths() if path.startswith(("deps", ".env"))}
    assert [path.name for path in (world.repo / "deps").iterdir()] == ["lib.js"]
    assert (world.repo / "deps/lib.js").read_text() == "lib\n"
    assert (world.repo / ".git/config").read_bytes() == config


@pytest.mark.parametrize("way", ["completes", "hands back"])
def test_what_looks_like_a_secret_is_never_committed_and_named(world: World, way: str) -> None:
    """It is left out of closing commits and rescues alike, and the log says which files that are."""
    world.issues(1)
    left = "echo 1 > plain.txt; echo KEY=1 > .env; mkdir shop; echo x > shop/id_rsa"
    world.agent(1, ends=left if way == "completes" else f'{left}; gitsched hand-back --reason "no key" > /dev/null')
    world.enqueue(1)
    world.run()
    (out,) = told(world, "work-left-out")
    assert (out.issue, out.fields["paths"]) == (
        1,
        [".env (looks like a secret)", "shop/id_rsa (looks like a secret)"],
    )
    named = run_git(world.repo, "log", "--all", "--name-only", "--format=").split()
    assert "plain.txt" in named
    assert not {".env", "shop/id_rsa"} & set(named)


def test_what_a_profile_ignores_is_saved_all_the_same(world: World) -> None:
    """`closing_commit = "ignore"` keeps it out of the member, and it is not lost with the tree."""
    profile = '[agents.shy]\ncommand = ["sh", "{0}/agent"]\ncompletion = "exit"\nclosing_commit = "ignore"\n'
    world.configure(profile.format(world.scripts))
    world.issues(1)
    world.agent(1, ends="echo notes > notes.txt")
    world.enqueue(1, profile="shy")
    world.run()
    (saved,) = told(world, "work-preserved")
    assert run_git(world.repo, "show", f"{saved.fields['ref']}:notes.txt") == "notes"
    world.expect_landed(1, batch="i1")
