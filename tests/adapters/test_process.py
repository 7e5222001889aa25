"""Processes by names that no other process can have."""

import os
import subprocess
import sys

import psutil
from msgspec.structs import replace

from gitsched.adapters.process import HostProcesses
from gitsched.domain.words import Liveness


def test_this_process_lives_and_its_likenesses_do_not() -> None:
    """R-63: the same pid with another start time, boot or host is another process."""
    processes = HostProcesses()
    own = processes.own()
    assert own.pid == os.getpid()
    assert processes.liveness(own) is Liveness.ALIVE
    assert processes.liveness(replace(own, started="1")) is Liveness.GONE
    assert processes.liveness(replace(own, boot_id="another")) is Liveness.GONE
    assert processes.liveness(replace(own, host="another")) is Liveness.UNKNOWN


def test_a_process_that_has_ended_is_gone_also_before_it_is_reaped() -> None:
    processes = HostProcesses()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    named = processes.named(child.pid)
    assert named is not None
    assert processes.liveness(named) is Liveness.ALIVE
    child.communicate(b"\n")
    assert processes.liveness(named) is Liveness.GONE
    assert processes.named(child.pid) is None
    unreaped = subprocess.Popen(["true"])
    os.waitid(os.P_PID, unreaped.pid, os.WEXITED | os.WNOWAIT)
    assert processes.named(unreaped.pid) is None
    unreaped.wait()


def test_the_processes_of_a_run_are_found_by_its_mark_wherever_they_went() -> None:
    processes = HostProcesses()
    script = (
        "import subprocess as s;"
        "print(s.Popen(['sleep', '300'], stdout=s.DEVNULL, stderr=s.DEVNULL, start_new_session=True).pid)"
    )
    env = {**os.environ, "GITSCHED_RUN": "b1/3/0/unique"}
    parent = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, check=True)
    orphan = int(parent.stdout)
    try:
        found = processes.of_run("b1/3/0/unique")
        assert [(name.pid, called) for name, called in found] == [(orphan, "sleep")]
        assert processes.of_run("b1/3/0/other") == ()
        assert orphan not in [name.pid for name, _ in processes.descendants()]
    finally:
        psutil.Process(orphan).kill()


def test_descendants_are_children_and_theirs() -> None:
    processes = HostProcesses()
    inner = "echo started; read -r _ < /dev/zero"  # a shell of its own says so itself: nothing is read before its exec
    child = subprocess.Popen(["sh", "-c", f"sh -c '{inner}' & wait"], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        called = sorted(called for _, called in processes.descendants())
        assert called[-2:] == ["sh", "sh"]
    finally:
        for name, _ in processes.descendants():
            psutil.Process(name.pid).kill()
        child.communicate()
