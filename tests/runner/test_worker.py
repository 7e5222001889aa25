"""A command from its start to the record of its end, with real workers and real processes."""

import os
import re
import signal
from pathlib import Path

import psutil
import pytest

from gitsched.domain.words import Liveness
from tests.real_git import Git
from tests.runner.desk import PYTHON, Desk, lives


def test_the_end_of_a_command_is_recorded_whole(desk: Desk, git: Git) -> None:
    """What a worker records: exit, head of the worktree, output, who worked, and when."""
    order = desk.sh("echo hello; echo oops >&2; exit 3")
    end = desk.end_of(order)
    record = desk.look(order).record
    assert record is not None
    assert (end.code, end.signal, end.timed_out, end.stopped, end.spawn_error) == (3, None, False, False, None)
    assert end.head == git(desk.repo, "rev-parse", "HEAD")
    assert end.tail == "hello\noops"
    assert desk.log(order) == b"hello\noops\n"
    assert record.started_at <= end.at
    assert (record.token, record.gen, record.batch, record.name) == (order.token, 0, "b1", "3")
    assert record.worker.host == os.uname().nodename


def test_a_death_by_signal_is_told_apart_from_an_exit(desk: Desk) -> None:
    end = desk.run_sh("kill -9 $$")
    assert (end.code, end.signal, end.stopped) == (None, signal.SIGKILL, False)


def test_the_prompt_arrives_on_standard_input_and_then_the_end_of_file(desk: Desk) -> None:
    """R-42: a question on standard input reads end of file at once and is not left waiting."""
    order = desk.sh('cat; read answer; echo "read says $?"', stdin=b"do this\n")
    assert desk.end_of(order).code == 0
    assert desk.log(order) == b"do this\nread says 1\n"


def test_a_command_without_a_prompt_reads_end_of_file(desk: Desk) -> None:
    """R-42: no prompt, no terminal: the answer to a question is the end of file."""
    assert desk.run_sh("read answer && exit 7; exit 4").code == 4


@pytest.mark.parametrize(
    ("argv", "changes"),
    [
        (("no-such-command-here",), {}),
        (("./not-executable",), {}),
        (("true",), {"cwd": "/no/such/folder"}),
    ],
)
def test_a_command_that_cannot_start_is_its_own_end(desk: Desk, argv: tuple[str, ...], changes: dict[str, str]) -> None:
    (desk.repo / "not-executable").write_text("#!/bin/sh\n")
    end = desk.run(*argv, **changes)
    assert end.spawn_error
    assert (end.code, end.signal) == (None, None)


def test_the_time_limit_ends_parent_and_child(desk: Desk) -> None:
    """R-40: when the time is up the outcome is a time-out, and parent and child are gone."""
    order = desk.sh("sleep 300 & echo $!; sleep 300", timeout_s=1.0)
    end = desk.end_of(order)
    child = int(desk.log(order).split()[0])
    assert end.timed_out
    assert not end.stopped
    assert end.signal == signal.SIGTERM
    desk.until(lambda: not lives(child))


def test_what_ignores_the_end_of_its_time_is_killed_after_the_grace(desk: Desk) -> None:
    """R-37 (the worker's own limits): TERM to the group, and KILL once the grace is over."""
    end = desk.run_sh("trap '' TERM; while :; do sleep 0.1; done", timeout_s=0.5, kill_grace_s=0.5)
    assert end.timed_out
    assert end.signal == signal.SIGKILL
    assert end.duration_ms >= 1_000


def test_a_background_child_that_holds_the_output_open_is_not_waited_for(desk: Desk) -> None:
    """R-41: the worker ends at once, the exit counts, and the child that left the group is reported."""
    script = "import os, subprocess as s; c = s.Popen(['sleep', '300'], start_new_session=True); print(c.pid)"
    order = desk.start(*PYTHON, script)
    end = desk.end_of(order)
    child = int(desk.log(order))
    assert end.code == 0
    assert end.survivors == (f"{child} sleep",)
    assert end.duration_ms < 30_000
    assert not lives(child), "it works on in a tree that goes to others"


def test_the_rest_of_a_group_ends_with_its_leader(desk: Desk) -> None:
    """What stays in the group is the run's own: it ends, and is no survivor."""
    order = desk.sh("sleep 300 & echo $!")
    end = desk.end_of(order)
    assert (end.code, end.survivors) == (0, ())
    assert not lives(int(desk.log(order).split()[0]))


def test_a_child_that_ignores_its_end_is_killed(desk: Desk) -> None:
    order = desk.sh("(trap '' TERM; echo ready; while :; do sleep 0.1; done) & sleep 0.3; echo $!")
    assert desk.end_of(order).code == 0
    assert not lives(int(desk.log(order).split()[-1]))


def test_output_beyond_its_limit_is_cut_with_a_mark_and_the_run_goes_on(desk: Desk) -> None:
    order = desk.sh("seq 1 100000; echo the last line; touch went-on", output_bytes=1_000)
    end = desk.end_of(order)
    log = desk.log(order)
    assert (end.code, end.output_cut) == (0, True)
    assert (desk.repo / "went-on").exists()
    assert log.startswith(b"1\n2\n3\n")
    assert b"[gitsched: the log is cut here: its limit]" in log
    assert len(log) < 1_100
    assert end.tail.endswith("the last line"), "its end is still known"


def test_the_end_of_a_cut_stream_is_still_read(desk: Desk) -> None:
    result = '{"type":"result","subtype":"success","is_error":false,"num_turns":7,"total_cost_usd":0.5,"usage":{}}'
    end = desk.run_sh(f"seq 1 100000; echo; echo '{result}'", output_bytes=1_000, usage="claude-stream-json")
    assert end.usage == {"tokens": 0, "turns": 7, "usd_micros": 500_000}


def test_colour_and_rewritten_lines_stay_raw_in_the_file(desk: Desk) -> None:
    """I-19: colour is kept raw in the file; what is shown of it is plain and the last state of each line."""
    order = desk.start(
        *PYTHON,
        "import sys\nfor i in range(10000): sys.stdout.write(f'\\r\\x1b[32mstep {i}\\x1b[0m')\nprint()",
    )
    end = desk.end_of(order)
    log = desk.log(order)
    assert log.count(b"\x1b[32m") == log.count(b"\r") == 10_000
    assert end.tail == "step 9999"


def test_secrets_are_redacted_where_they_are_split_over_two_writes(desk: Desk) -> None:
    """R-68: the key appears nowhere in what is kept, and ordinary text is not blanked."""
    script = (
        "import os, sys\n"
        "key = os.environ['API_KEY']\n"
        "os.write(1, ('it is ' + key[:4]).encode())\n"
        "import time; time.sleep(0.3)\n"
        "os.write(1, (key[4:] + ' and more\\n').encode())\n"
        "print(dict(os.environ))\n"
    )
    order = desk.start(*PYTHON, script, env={"API_KEY": "k-12345678"}, secrets=("API_KEY",))
    end = desk.end_of(order)
    log = desk.log(order)
    assert log.startswith(b"it is *** and more\n")
    assert b"'API_KEY': '***'" in log
    everything = b"".join(path.read_bytes() for path in Path(order.folder).iterdir())
    assert b"12345678" not in everything
    assert "12345678" not in repr(end)


def test_the_mark_and_the_given_environment_are_all_a_command_gets(desk: Desk) -> None:
    order = desk.order("env")
    desk.runner.start(order, {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "ONLY": "this"}, b"")
    desk.end_of(order)
    names = set(re.findall(rb"(?m)^([A-Z_]+)=", desk.log(order)))
    assert names <= {b"PATH", b"HOME", b"ONLY", b"GITSCHED_RUN", b"GITSCHED_POST_TOKEN", b"PWD", b"LC_CTYPE"}
    assert f"GITSCHED_RUN=b1/3/0/{order.token}\n".encode() in desk.log(order)


def test_a_stop_before_the_command_started_means_that_it_never_does(desk: Desk) -> None:
    order = desk.order("touch", "ran")
    Path(order.folder).mkdir(parents=True)
    assert desk.runner.stop("b1", "3", 0, kill=False) is Liveness.GONE
    desk.runner.start(order, os.environ, b"")
    assert desk.end_of(order).stopped
    assert not (desk.repo / "ran").exists()


def test_term_to_the_worker_stops_the_agent(desk: Desk) -> None:
    order = desk.sh("sleep 300")
    desk.agent_of(order)
    record = desk.look(order).record
    assert record is not None
    os.kill(record.worker.pid, signal.SIGTERM)
    end = desk.end_of(order)
    assert (end.stopped, end.timed_out, end.signal) == (True, False, signal.SIGTERM)


def test_interrupts_and_hang_ups_are_nothing_to_a_worker_and_reach_its_command_as_ever(desk: Desk) -> None:
    order = desk.start(*PYTHON, "import signal; print(signal.getsignal(1), signal.getsignal(2)); input()")
    record = desk.record_of(order, lambda record: record.end is not None or record.agent is not None)
    for number in (signal.SIGHUP, signal.SIGINT):
        if lives(record.worker.pid):
            os.kill(record.worker.pid, number)
    assert desk.end_of(order).code == 1
    assert b"0 <built-in function default_int_handler>" in desk.log(order)


def test_the_wall_clock_may_jump_while_the_machine_sleeps(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-57 (the worker's part): three hours on the wall are no time-out, and the result counts once."""
    shifted, gate = tmp_path / "clock", tmp_path / "gate"
    shifted.write_text("2026-03-01T12:00:00Z")
    os.mkfifo(gate)
    order = desk.sh(f"read go <{gate}", timeout_s=20.0, env={"GITSCHED_TEST_CLOCK": str(shifted)})
    desk.agent_of(order)
    shifted.write_text("2026-03-01T15:00:00Z")
    gate.write_text("go\n")
    end = desk.end_of(order)
    record = desk.look(order).record
    assert record is not None
    assert record.started_at.startswith("2026-03-01T12:00")
    assert end.at.startswith("2026-03-01T15:00")
    assert (end.timed_out, end.code) == (False, 0)
    assert end.duration_ms < 20_000


def test_a_worker_has_no_terminal_no_strangers_files_and_a_session_of_its_own(desk: Desk) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        order = desk.sh("sleep 300")
    finally:
        os.close(writer)
    agent = desk.agent_of(order)
    record = desk.look(order).record
    assert record is not None
    assert os.getsid(record.worker.pid) == record.worker.pid
    assert os.getpgid(agent.pid) == os.getsid(agent.pid) == record.group == agent.pid
    os.set_blocking(reader, False)
    desk.until(lambda: _is_at_end(reader))
    os.close(reader)
    assert psutil.Process(record.worker.pid).terminal() is None


def _is_at_end(reader: int) -> bool:
    try:
        return os.read(reader, 1) == b""
    except BlockingIOError:
        return False
