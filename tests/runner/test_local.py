"""Runs seen from outside: started once, looked at, ended, forgotten."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.runner import alive
from gitsched.domain.runs import ProcessName, RunRecord
from gitsched.domain.words import Liveness
from gitsched.errors import InternalError
from tests.golden import ROOT
from tests.runner.desk import PYTHON, Desk, lives

ONCE = "echo ran >>ran"


def runs_of(desk: Desk) -> int:
    return len((desk.repo / "ran").read_text().splitlines())


def test_a_run_started_twice_at_once_runs_once(desk: Desk) -> None:
    """Property 3: whoever starts a generation, and however often, its command runs once."""
    order = desk.order("sh", "-c", f"{ONCE}; sleep 0.3")
    for runner in (desk.runner, desk.another_runner(), desk.another_runner()):
        runner.start(order, os.environ, b"")
    assert desk.end_of(order).code == 0
    assert runs_of(desk) == 1


def test_a_run_started_again_after_its_end_runs_once(desk: Desk) -> None:
    order = desk.sh(ONCE)
    first = desk.end_of(order)
    desk.runner.start(order, os.environ, b"")
    desk.until(lambda: desk.look(order).worker is Liveness.GONE)
    assert desk.end_of(order) == first
    assert runs_of(desk) == 1


def test_an_older_generation_never_runs_after_a_newer_one(desk: Desk) -> None:
    desk.run_sh(ONCE, gen=1)
    late = desk.sh(ONCE, gen=0)
    desk.until(lambda: desk.look(late).worker is Liveness.GONE)
    assert desk.look(late).record is None
    assert runs_of(desk) == 1


def test_two_workers_that_nobody_started_for_us_claim_once(desk: Desk) -> None:
    """R-66 (the worker's part): a worker started by hand from its order file claims like any other."""
    order = desk.order("sh", "-c", ONCE)
    Path(order.folder).mkdir(parents=True)
    file = Path(order.folder) / "order.json"
    from gitsched.codec.runs import encode_order

    file.write_bytes(encode_order(order))
    command = [sys.executable, "-m", "gitsched.wiring.worker", str(file)]
    started = [subprocess.Popen(command, cwd=ROOT, start_new_session=True) for _ in range(2)]
    assert [worker.wait(timeout=60) for worker in started] == [0, 0]
    assert desk.end_of(order).code == 0
    assert runs_of(desk) == 1


def test_a_fenced_generation_is_free_for_its_own_worker_only(desk: Desk) -> None:
    order = desk.sh("sleep 300")
    desk.agent_of(order)
    desk.runner.fence("b1", "3", 1)
    assert desk.look(order).record is None, "nothing of the old generation counts"
    fenced = desk.runner.look("b1", "3", 1)
    assert (fenced.record, fenced.worker) == (None, Liveness.GONE)
    desk.runner.fence("b1", "3", 0)
    assert desk.run_sh(ONCE, gen=1).code == 0
    assert runs_of(desk) == 1


def test_a_run_outlives_its_driver(desk: Desk, tmp_path: Path) -> None:
    """R-60 (the worker's part): the driver is killed; the end, usage and head are recorded all the same."""
    result = '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}'
    order = desk.order(
        "sh", "-c", f"sleep 0.5; git commit -q --allow-empty -m work; echo '{result}'", usage="codex-json"
    )
    from gitsched.codec.runs import encode_order

    file = tmp_path / "order"
    file.write_bytes(encode_order(order))
    driver = (
        "import os, signal, sys; from pathlib import Path; from gitsched.codec.runs import decode_order;"
        "from tests.runner.desk import Desk; desk = Desk(Path(sys.argv[1]));"
        "desk.runner.start(decode_order(Path(sys.argv[2]).read_bytes()), os.environ, b'');"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", driver, desk.repo, file], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    end = desk.end_of(order)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=desk.repo, capture_output=True, text=True, check=True)
    assert (end.code, end.usage, end.head) == (0, {"tokens": 7, "turns": 1}, head.stdout.strip())


def kill_worker(desk: Desk, record: RunRecord) -> None:
    os.kill(record.worker.pid, signal.SIGKILL)
    desk.until(lambda: desk.runner.look("b1", record.name, record.gen).worker is Liveness.GONE)


def test_an_agent_whose_worker_was_killed_is_found_and_ended(desk: Desk) -> None:
    """R-61 (the runner's part): the agent left behind is seen alive, is ended, and is seen gone."""
    order = desk.sh("sleep 300 & sleep 300")
    record = desk.record_of(order, lambda record: record.agent is not None)
    kill_worker(desk, record)
    left = desk.look(order)
    assert (left.worker, left.agent) == (Liveness.GONE, Liveness.ALIVE)
    desk.runner.stop("b1", "3", 0, kill=False)
    desk.until(lambda: desk.look(order).agent is Liveness.GONE)


def test_an_agent_that_nobody_wrote_down_is_found_by_its_mark(desk: Desk) -> None:
    """R-61: a worker killed between starting its agent and recording it leaves no agent unseen."""
    order = desk.sh("sleep 300")
    agent = desk.agent_of(order)
    record = desk.refs.amend("b1", "3", 0, lambda found: replace(found, agent=None, group=None))
    assert record is not None
    kill_worker(desk, record)
    assert desk.look(order).agent is Liveness.ALIVE
    desk.runner.stop("b1", "3", 0, kill=True)
    desk.until(lambda: desk.look(order).agent is Liveness.GONE)
    assert not lives(agent.pid)


def test_what_a_dead_leader_left_in_its_group_is_still_the_agent(desk: Desk) -> None:
    order = desk.sh("(trap '' TERM; while :; do sleep 0.1; done) & sleep 300")
    record = desk.record_of(order, lambda record: record.agent is not None)
    assert record.agent is not None
    kill_worker(desk, record)
    os.kill(record.agent.pid, signal.SIGKILL)
    desk.until(lambda: not lives(record.agent.pid if record.agent else 0))
    assert desk.look(order).agent is Liveness.ALIVE
    desk.runner.stop("b1", "3", 0, kill=True)
    desk.until(lambda: desk.look(order).agent is Liveness.GONE)


def test_an_agent_that_ignores_term_is_killed(desk: Desk) -> None:
    """R-37 (the runner's part): TERM leaves it alive, KILL does not, and its end says that it was stopped."""
    order = desk.sh("trap '' TERM; echo ready; while :; do sleep 0.1; done")
    desk.until(lambda: desk.log(order) == b"ready\n")
    desk.agent_of(order)
    assert desk.runner.stop("b1", "3", 0, kill=False) is Liveness.ALIVE
    assert desk.look(order).agent is Liveness.ALIVE
    desk.runner.stop("b1", "3", 0, kill=True)
    end = desk.end_of(order)
    assert (end.stopped, end.signal) == (True, signal.SIGKILL)
    assert desk.look(order).agent is Liveness.GONE


def test_an_unrelated_program_with_the_recorded_pid_gets_no_signal(desk: Desk) -> None:
    """R-63: the run counts as gone, the unrelated program lives on, and a takeover runs."""
    stranger = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        own = desk.processes.own()
        named = ProcessName(host=own.host, boot_id=own.boot_id, pid=stranger.pid, started="1")
        lost = RunRecord(
            batch="b1",
            name="3",
            gen=0,
            token="t",
            worker=named,
            agent=named,
            group=stranger.pid,
            started_at=desk.clock.now(),
        )
        assert desk.refs.claim(lost)
        look = desk.runner.look("b1", "3", 0)
        assert (look.worker, look.agent) == (Liveness.GONE, Liveness.GONE)
        assert desk.runner.stop("b1", "3", 0, kill=True) is Liveness.GONE
        assert stranger.poll() is None
        assert desk.run_sh("true", gen=1).code == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_run_of_another_host_is_neither_alive_nor_gone(desk: Desk) -> None:
    foreign = ProcessName(host="elsewhere", boot_id="x", pid=1, started="1")
    record = RunRecord(
        batch="b1", name="3", gen=0, token="t", worker=foreign, agent=foreign, group=1, started_at=desk.clock.now()
    )
    assert desk.refs.claim(record)
    look = desk.runner.look("b1", "3", 0)
    assert (look.worker, look.agent) == (Liveness.UNKNOWN, Liveness.UNKNOWN)
    assert desk.runner.stop("b1", "3", 0, kill=True) is Liveness.UNKNOWN


def test_a_run_that_nobody_started_is_gone(desk: Desk) -> None:
    look = desk.runner.look("b1", "9", 0)
    assert (look.record, look.worker, look.agent, look.output_at) == (None, Liveness.GONE, Liveness.GONE, None)
    assert desk.runner.log("b1", "9", 0) == b""


def test_a_worker_is_alive_from_the_moment_it_is_started(desk: Desk) -> None:
    order = desk.sh("sleep 300")
    look = desk.another_runner().look("b1", "3", 0)
    assert look.worker is Liveness.ALIVE
    assert look.agent is Liveness.UNKNOWN
    desk.agent_of(order)


def test_output_shows_when_it_last_came_also_when_the_log_is_full(desk: Desk) -> None:
    order = desk.sh("while :; do echo tick; sleep 0.05; done", output_bytes=8)
    desk.until(lambda: b"cut here" in desk.log(order))
    first = desk.look(order).output_at
    assert first is not None
    desk.until(lambda: (desk.look(order).output_at or "") > first)


def test_old_output_in_a_shared_log_is_another_runs(desk: Desk, tmp_path: Path) -> None:
    """R-46: gen 1 wrote nothing and exited 1: the provider error of gen 0 in the same file is not its own."""
    log = str(tmp_path / "shared-log")
    first = desk.run_sh("echo 'API Error: 529 overloaded'; exit 1", log_file=log)
    again = desk.order("sh", "-c", "exit 1", gen=1, log_file=log)
    desk.runner.start(again, os.environ, b"")
    second = desk.end_of(again)
    assert first.provider is not None
    assert first.provider["status"] == 529
    assert (second.code, second.provider, second.tail) == (1, None, "")
    assert desk.log(again) == b""


def test_a_forgotten_run_leaves_nothing(desk: Desk) -> None:
    order = desk.sh("true")
    desk.end_of(order)
    other = desk.sh("true", name="4")
    desk.end_of(other)
    assert desk.runner.runs() == {("b1", "3"): 0, ("b1", "4"): 0}
    desk.runner.forget("b1", "3", 0)
    desk.runner.forget("b1", "3", 0)
    assert desk.look(order).record is None
    assert not Path(order.folder).parent.exists()
    assert desk.look(other).record is not None
    desk.runner.forget("b1", "4", 0)
    assert not Path(other.folder).parents[1].exists()


def test_a_late_forgetting_leaves_a_newer_generation_alone(desk: Desk) -> None:
    """A driver that was stopped between settling a run and forgetting it comes back when the next one is under way."""
    desk.end_of(desk.sh("true"))
    newer = desk.sh("sleep 300", gen=1)
    desk.agent_of(newer)
    desk.runner.forget("b1", "3", 0)
    assert desk.look(newer).record is not None
    assert Path(newer.folder).is_dir()
    assert not (Path(newer.folder).parent / "0").exists()


def test_an_order_that_a_killed_driver_wrote_in_part_is_no_order(desk: Desk) -> None:
    """Nothing was started by it, so nothing is left behind; every driver that looks must live."""
    folder = desk.runner.place("b1", "3", 0, {"order.json": b'{"batch": "b1", "na'})
    assert desk.runner.look("b1", "3", 0).agent is Liveness.GONE
    order = desk.sh("true")
    assert order.folder == str(folder)
    assert desk.end_of(order).code == 0


def test_a_place_that_cannot_be_written_is_named(desk: Desk) -> None:
    (desk.common / "gitsched/runs").mkdir(parents=True)
    (desk.common / "gitsched/runs/b1").write_text("in the way")
    with pytest.raises(InternalError, match=r"A worker for run b1/3/0 was to be started\. It could not be: "):
        desk.sh("true")
    (desk.common / "gitsched/runs/b1").unlink()


def test_the_folder_of_a_run_is_its_owners_only(desk: Desk) -> None:
    order = desk.start("true", stdin=b"secret plan")
    desk.end_of(order)
    assert Path(order.folder).stat().st_mode & 0o077 == 0


def test_a_lock_that_is_only_looked_at_does_not_look_held(tmp_path: Path) -> None:
    assert not alive.is_held(tmp_path)
    lock = alive.take(tmp_path)
    assert lock is not None
    assert alive.is_held(tmp_path)
    assert alive.take(tmp_path) is None
    os.close(lock)
    assert not alive.is_held(tmp_path)


def test_the_driver_is_woken_by_the_end(desk: Desk) -> None:
    """The end of a run wakes a waiting driver at once; a wake-up that comes before the wait is kept."""
    order = desk.start(*PYTHON, "pass")
    assert desk.waker.wait(30.0)
    assert desk.look(order).record is not None
    assert desk.end_of(order).code == 0
    desk.runner.wake_all()
    assert desk.waker.wait(0.0)
    assert not desk.waker.wait(0.0)
