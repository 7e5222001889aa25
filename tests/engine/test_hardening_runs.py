"""What runs leave, and what kills leave of runs, on the whole engine: nothing is lost, and nothing of others ships."""

from collections.abc import Callable
from threading import Thread

import pytest

from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.drive import Driving, until
from tests.engine.relay import Killed, Relay, killed_after
from tests.engine.test_procedure import publisher
from tests.engine.world import World

OUTSIDE = "mkdir -p src; echo a > src/a.py; git add -A; git commit -q -m In; echo b > outside.txt\nexit 0\n"


def test_changes_outside_the_declared_files_ship_once_they_are_accepted(world: World) -> None:
    """They are held; `resume` commits them, and the member lands with them."""
    world.issue(1, files=("src/**",))
    (world.scripts / "1.sh").write_text(OUTSIDE)
    world.enqueue(1)
    world.run()
    assert world.member(1, "i1").hold == "out-of-scope"
    world.resume("1")
    world.run()
    world.expect_landed(1, batch="i1")
    assert {"src/a.py", "outside.txt"} <= world.paths()


def test_what_was_accepted_is_not_lost_when_the_driver_dies(world: World) -> None:
    """The commit was made and not recorded: the next driver finds it on the branch."""
    world.issue(1, files=("src/**",))
    (world.scripts / "1.sh").write_text(OUTSIDE)
    world.enqueue(1)
    world.run()
    world.resume("1")
    with pytest.raises(Killed):
        world.driver_with(work=Relay(world.clone.work, commit_all=killed_after(1))).run(Until.ONCE)
    assert world.member(1, "i1").status is MemberStatus.VERIFYING
    world.run()
    world.expect_landed(1, batch="i1")
    assert {"src/a.py", "outside.txt"} <= world.paths()


def test_nothing_is_committed_for_an_agent_that_left_its_branch(world: World) -> None:
    """HEAD is detached at a sibling's commits, which have not landed: nothing of them ships with the member."""
    world.configure("[ladder]\nmember_recoveries = 0\n")
    world.issues(1, 2)
    waits = world.barrier("waits")
    begun = world.barrier("begun")
    world.agent(1, f"echo 1 > f1; git add -A; git commit -q -m One; echo go > {begun}; read -r _ < {waits}")
    (world.scripts / "2.sh").write_text(
        f"read -r _ < {begun}; git checkout -q --detach gitsched/b1/m1-i1; echo 2 > f2; echo go > {waits}; exit 0\n"
    )
    world.enqueue(1, 2)
    world.run()
    assert world.member(2).status is MemberStatus.EVICTED
    (told,) = [event for event in world.told("verify-incomplete", 2) if event.fields.get("detail")]
    assert "detached" in str(told.fields["detail"])
    world.expect_landed(1)
    assert "f2" not in world.paths()
    assert world.batch().status is BatchStatus.DONE


def test_a_tree_that_its_agent_removed_is_not_asked(world: World) -> None:
    """The commits are on the branch: they land."""
    world.issue(1)
    remove = f'd=$PWD; cd /; git -C {world.repo} worktree remove --force "$d"'
    (world.scripts / "1.sh").write_text(f"echo a > a; git add -A; git commit -q -m A; {remove}; exit 0\n")
    world.enqueue(1)
    world.run()
    world.expect_landed(1, batch="i1")
    assert "a" in world.paths()


def test_commits_of_a_lost_worker_are_gone_on_with_when_its_tree_is_gone(world: World) -> None:
    """The worker and the worktree's folder are lost; the next generation begins at the branch as it stands."""
    world.issue(1)
    kill = "kill -9 $(ps -o ppid= -p $$)"
    work = f'echo 1 > precious; git add -A; git commit -q -m Precious; d=$PWD; cd /; rm -rf "$d"; {kill}; exit 0\n'
    (world.scripts / "1.0.sh").write_text(work)
    world.agent(1, f"ls > {world.scripts}/seen; echo 2 > other", gen=1)
    world.enqueue(1)
    world.run()
    assert "precious" in world.lines("seen")
    world.expect_landed(1, batch="i1")
    assert {"precious", "other"} <= world.paths()


def test_kept_work_is_found_again_after_a_batch_in_which_nothing_was_done(world: World) -> None:
    """Its setup failed twice: the entry still names the branch, and the next batch goes on from there."""
    world.issue(1)
    world.agent(1, "echo 1 > work; git add -A; git commit -q -m Work; gitsched hand-back --reason help")
    world.enqueue(1)
    world.run()
    kept = world.entry(1)
    file = world.repo / "gitsched.toml"
    plain = file.read_text()
    file.write_text(plain.replace("[worktrees]\n", '[worktrees]\nsetup = [["false"]]\n'))
    world.requeue(1)
    world.run()
    assert (world.entry(1).reason, world.entry(1).branch) == ("setup-failed:1", kept.branch)
    assert world.entry(1).evidence[-1].head == kept.evidence[-1].head
    file.write_text(plain)
    world.agent(1, "test -f work; echo 2 > more")
    world.requeue(1)
    world.run()
    assert {"work", "more"} <= world.paths()


def test_a_hold_that_comes_during_the_pass_keeps_the_agent_from_starting(world: World) -> None:
    """What was decided before is asked again when the slot is given."""
    world.issue(1)
    world.agent(1)
    world.enqueue(1)
    held: list[int] = []

    def on_entry(real: Callable[..., object], intent: Callable[[Draft], None]) -> object:
        state = world.clone.store.read()
        batch = state.batches.get("i1")
        if batch is not None and batch.status is BatchStatus.EXECUTING and not held:
            held.append(1)
            world.hold(1)
        return real(intent)

    world.driver_with(store=Relay(world.clone.store, apply=on_entry)).run(Until.IDLE)
    assert held
    assert world.started() == []
    world.unhold(1)
    world.run()
    world.expect_landed(1, batch="i1")


def test_an_issue_is_never_worked_on_by_two_agents(world: World) -> None:
    """A-20: it was stopped and enqueued again while its agent still winds down: the next one waits for its end."""
    world.configure('[stall]\nkill_grace = "5s"\n')
    world.issue(1)
    log = world.scripts / "log"
    ends = world.barrier("ends")
    script = f"""trap 'read -r _ < {ends}; echo end >> {log}; exit 1' TERM
echo begin >> {log}
"""
    (world.scripts / "1.sh").write_text(
        script + 'if [ "$GITSCHED_BATCH" = i1 ]; then while :; do sleep 0.1; done; fi\nexit 0\n'
    )
    world.enqueue(1)

    def on_entry(entry: JournalEntry) -> None:
        names = [str(event.name) for event in entry.events]
        if "stop-sent" not in names:
            return
        world.enqueue(1)
        assert "worker-not-gone" in world.waits(1)
        ends.open(9)

    stop_once(world)
    world.driver().run(Until.IDLE, None, on_entry)
    assert world.lines("log")[:3] == ["begin", "end", "begin"]


def stop_once(world: World, unit: str = "1") -> None:
    """Stop a unit as soon as a script of its has written to the log."""

    def wait_and_stop() -> None:
        until(world.repo, lambda: bool(world.lines("log")))
        world.stop(unit)

    Thread(target=wait_and_stop, daemon=True).start()


def test_an_end_that_the_engine_asked_for_is_never_taken_for_the_operators(world: World) -> None:
    """R-58: the driver dies as it sends TERM to an agent that published by itself: that one is still told."""
    world.configure('[stall]\nkill_grace = "5s"\n')
    world.issues(1)
    world.agent(1, f"{publisher(world, 'one')}\nsleep 60", gen=0)
    world.agent(1, "test -f file1.txt; echo 1 > more.txt", gen=1)
    world.enqueue(1)
    with pytest.raises(Killed):
        world.driver_with(runner=Relay(world.clone.runner, stop=killed_after(1))).run(Until.IDLE)
    world.run()
    assert world.member(1, "i1").requests == (2,)
    (again,) = world.told("redispatched")
    assert again.fields["reason"] == "wrong-procedure"


def test_a_run_that_ends_its_own_worker_is_given_up_in_the_end(world: World) -> None:
    """R-37: three workers in a row may be lost; from then on each one uses a rung, and there are only so many."""
    world.configure("[ladder]\nrecoveries = 1\n")
    world.issue(1)
    (world.scripts / "1.sh").write_text("kill -9 $(ps -o ppid= -p $$); exit 0\n")
    world.enqueue(1)
    world.run()
    assert len(world.started()) == 5
    assert world.entry(1).reason == "escalation-cap"
    assert world.member(1, "i1").usage["unknown_runs"] == 5


def test_what_a_stopped_run_left_is_kept_and_told(world: World) -> None:
    """Its log is evidence, it is counted, and where its uncommitted work is saved stands in the journal."""
    world.issue(1)
    begun = f"echo half > half.txt; echo begin >> {world.scripts}/log"
    (world.scripts / "1.sh").write_text(f"echo 'a telling line'; {begun}; exec sleep 60\n")
    world.enqueue(1)
    stop_once(world)
    world.run()
    (saved,) = world.told("work-preserved")
    assert saved.fields["ref"]
    assert "runs/1/0/log" in {str(path) for path in world.clone.store.evidence_paths("i1")}
    assert world.member(1, "i1").usage["runs"] == 1


def test_stopping_a_batch_ends_its_suite(world: World) -> None:
    """The command does not live on, and nothing of the job is left."""
    (world.repo / "suite.sh").write_text(f"echo begin >> {world.scripts}/log; exec sleep 300\n")
    world.commit("Let the suite take long")
    world.issue(1)
    world.agent(1)
    world.enqueue(1)
    stop_once(world, "i1")
    world.run()
    assert [reason.fields["reason"] for reason in world.told("job-dropped")] == ["nobody needs its result"]


def test_a_check_whose_worker_is_lost_never_runs_twice_at_once(world: World) -> None:
    """The command that the worker left behind is ended before the next one starts."""
    log = world.scripts / "log"
    first = f"if [ ! -f {log} ]; then echo $$ > {log}; kill -9 $PPID; exec sleep 300; fi"
    # What has ended and was not waited for yet is no second one.
    second = f"case $(ps -o stat= -p $(cat {log})) in ''|Z*) ;; *) echo two > {log}2 ;; esac"
    (world.repo / "suite.sh").write_text(f"{first}\n{second}\nexit 0\n")
    world.commit("Let the suite lose its worker once")
    world.issue(1)
    world.agent(1)
    world.enqueue(1)
    world.run()
    world.expect_landed(1, batch="i1")
    assert len(world.told("job-lost")) == 1
    assert world.lines("log2") == []


def test_ctrl_c_waits_for_the_runs_of_a_driver_that_is_gone(world: World, drive: Callable[[], Driving]) -> None:
    """Nobody else would: the second driver of the same clone stays until they have ended."""
    waits = world.barrier("waits")
    world.issue(1)
    world.agent(1, f"echo begin >> {world.scripts}/log; read -r _ < {waits}; echo 1 > a")
    world.enqueue(1)
    first = drive()
    until(world.repo, lambda: bool(world.lines("log")))
    first.kill()
    second = world.driver()
    second.interrupt()

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "driver-lost" for event in entry.events):
            waits.open()

    assert second.run(Until.IDLE, None, on_entry).interrupted
    assert not world.state.leases
    assert world.member(1, "i1").status is not MemberStatus.RUNNING
    world.run()
    world.expect_landed(1, batch="i1")
