"""What ends `gitsched run` before everything is done: Ctrl-C, twice, a pause, and a forge that does not answer."""

import os
import signal
import subprocess
import sys

import pytest

from gitsched.cli.call import Call
from gitsched.cli.driving import drive
from gitsched.domain.outcomes import Unreachable
from gitsched.engine.driver import Until
from gitsched.errors import TemporaryError
from tests.cli.calling import AGENT, Project
from tests.engine.barrier import Barrier
from tests.engine.drive import until
from tests.engine.relay import Relay
from tests.real_git import run_git


@pytest.mark.timeout(200)
def test_r_65_the_second_ctrl_c_ends_the_agents_and_the_same_command_goes_on(project: Project) -> None:
    """R-65: 2 live, 3 waiting: INT starts nothing new, INT again stops and rescues, 130; then no run twice."""
    started = project.home / "started"
    note = f'echo "$GITSCHED_ISSUE $GITSCHED_GEN" >> "{started}"'
    first = f'if [ ! -e "{project.home}/again" ]; then echo draft > draft.txt; {note}; exec sleep 300; fi'
    project.agent(f"{first}\n{note}\n{AGENT}")
    project.issues(5)
    words = ("run", "1", "2", "3", "4", "5")
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), *words]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        until(project.repo, lambda: started.exists() and len(started.read_text().splitlines()) == 2)
        os.kill(process.pid, signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        assert len(started.read_text().splitlines()) == 2
        assert project.status()["slots"]["live"] == 2, "the agents go on"
        os.kill(process.pid, signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Ctrl-C again ends the agents" in told
    assert project.status()["slots"]["live"] == 0
    rescued = run_git(project.repo, "for-each-ref", "--format=%(refname)", "refs/gitsched/rescue/").splitlines()
    assert len(rescued) == 2
    assert {run_git(project.repo, "show", f"{ref}:draft.txt") for ref in rescued} == {"draft"}
    (project.home / "again").touch()
    ended = project(*words)
    assert ended.code == 0, ended.err
    runs = started.read_text().splitlines()
    assert len(runs) == len(set(runs)) == 7
    assert [entry["status"] for entry in project.status()["entries"]] == ["done"] * 5


@pytest.mark.timeout(200)
def test_r_08_an_operators_pause_ends_a_run_with_75(project: Project) -> None:
    """R-08: paused with one live and two queued: that one lands and ships, none is spawned, and `run` exits 75."""
    gate = Barrier(project.home / "gate")
    project.agent(f': > "{project.home}/at-work"; read -r _ < {gate}\n{AGENT}')
    project.issues(3)
    assert project("enqueue", 1, 2, 3, "--solo").code == 0
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), "run", "--until-idle", "--slots", "1"]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        until(project.repo, (project.home / "at-work").exists)
        assert project("pause").code == 0
        gate.open()
        told = process.communicate(timeout=60)[1]
    assert process.returncode == 75
    assert "Scheduling is paused, and nothing is live." in told
    rows = project.status()["entries"]
    assert rows[0]["status"] == "done"
    assert all("paused" in row["waits"] for row in rows[1:])
    assert [line["issue"] for line in project("log", "--json").lines if line["event"] == "spawned"] == [1]
    assert project("run", "--until-idle").code == 75


def test_what_only_the_forge_holds_up_is_to_be_called_again(project: Project) -> None:
    """Exit code 75 where nothing is live and what is left waits for a forge that does not answer."""
    project.issues(1)
    assert project("enqueue", 1).code == 0
    call = Call(project.repo)
    away = Relay(call.clone.served_forge, issues=lambda _real, _numbers: Unreachable(what="forge", detail="away"))
    call.clone.__dict__["served_forge"] = away
    with pytest.raises(TemporaryError, match="does not answer") as held:
        drive(call, Until.IDLE, None)
    assert held.value.exit_code == 75
    assert project("run", "--until-idle").code == 0
