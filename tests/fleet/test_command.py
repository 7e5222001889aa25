"""The back-end `command`: workers that the driver never sees."""

import subprocess
import sys

import psutil
import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving, until
from tests.fleet.away import AwayWorld

HOSTILE = '$(touch pwned) ; "x {run} {remote}'


def runs(away: AwayWorld) -> list[str]:
    """List the runs that a worker was asked for, without the beginnings of their tokens."""
    return [run.rsplit("/", 1)[0] for run in away.asked()]


def worker_of(run: str) -> psutil.Process:
    """Find the worker of a run as nothing but this test's machine could."""
    return next(process for process in psutil.process_iter() if _works(process, run))


def _works(process: psutil.Process, run: str) -> bool:
    try:
        return process.name().startswith("python") and run in " ".join(process.cmdline())
    except psutil.Error:
        return False  # somebody's that has just ended


def test_a_batch_is_worked_elsewhere(away: AwayWorld) -> None:
    """Members are worked in repositories apart, and land as any others; what is left uncommitted comes home too."""
    away.issues(1, 2, 3)
    away.agents(1, 2)
    away.agent(3, ends="echo more > more3.txt; exit 0")
    away.enqueue(1, 2, 3)
    away.run()
    away.expect_landed(1, 2, 3)
    assert away.batch().status is BatchStatus.DONE
    assert sorted(away.started()) == ["1 0", "2 0", "3 0"]
    assert away.paths("refs/gitsched-remote/heads/main") >= {"file1.txt", "file2.txt", "file3.txt", "more3.txt"}
    assert not list(away.home.iterdir())


def test_r_66_what_is_swallowed_is_taken_over(away: AwayWorld) -> None:
    """R-66: by its own time to start, with the next generation; no word of an issue is ever in the template's."""
    away.dispatch(start_timeout="4s")
    away.swallow(1)
    away.issue(1, HOSTILE)
    away.agent(1)
    away.enqueue(1)
    away.run()
    assert away.entry(1).status is EntryStatus.DONE
    assert runs(away) == ["i1/1/0", "i1/1/1"]
    assert away.started() == ["1 1"]
    assert [event.fields["reason"] for event in away.told("redispatched")] == ["worker-lost"]
    assert not list(away.repo.rglob("pwned")) + list(away.home.rglob("pwned"))
    late = subprocess.run(
        [sys.executable, "-m", "gitsched", "worker", "--run", away.asked()[0]], cwd=away.repo, check=False
    )
    assert late.returncode == 75
    assert away.started() == ["1 1"]


@pytest.mark.long
def test_a_machine_that_dies_without_a_word_is_taken_over_after_the_ttl(away: AwayWorld) -> None:
    """R-66, its heartbeat: nothing new is heard of the worker for a ttl, and the next generation goes on."""
    away.dispatch(ttl="6s")
    gate = away.barrier("gate")
    away.issue(1)
    away.agent(1, f"echo begun > begun.txt; git add -A; git commit -q -m Begin; read -r _ < {gate.path}", gen=0)
    away.agent(1)
    away.enqueue(1)
    driving = Driving(away.repo)
    until(away.repo, lambda: away.started() == ["1 0"])
    worker = worker_of("i1/1/0")
    for process in (worker, *worker.children(recursive=True)):
        process.kill()
    assert driving.end() == 0
    assert away.news().entry(1).status is EntryStatus.DONE
    assert away.started() == ["1 0", "1 1"]


@pytest.mark.long
def test_an_operators_stop_reaches_a_worker_elsewhere(away: AwayWorld) -> None:
    """The agent is ended on its machine, its work is kept, and the others land."""
    gate = away.barrier("gate")
    away.issues(1, 2)
    away.agent(1, f"echo begun > begun.txt; git add -A; git commit -q -m Begin; read -r _ < {gate.path}")
    away.agents(2)
    away.enqueue(1, 2)
    driving = Driving(away.repo)
    until(away.repo, lambda: "1 0" in away.started())
    away.stop("1")
    assert driving.end() == 0
    away.news().expect_landed(2)
    assert away.member(1).status is MemberStatus.STOPPED
    assert "begun.txt" in away.paths(away.member(1).branch) | rescued(away)


def rescued(away: AwayWorld) -> set[str]:
    """List the files of what was saved of issue 1."""
    refs = Clone(away.repo).refs.below("refs/gitsched/rescue/b1/1/")
    return {path for ref in refs for path in away.paths(ref)}


@pytest.mark.long
def test_a_driver_that_is_killed_in_between_starts_nothing_twice(away: AwayWorld) -> None:
    """R-60: the agents go on, and the next driver takes their ends in, each run once for its generation."""
    gate = away.barrier("gate")
    away.issues(1, 2)
    for issue in (1, 2):
        away.agent(issue, f"echo {issue} > file{issue}.txt; read -r _ < {gate.path}")
    away.enqueue(1, 2)
    driving = Driving(away.repo)
    until(away.repo, lambda: len(away.started()) == 2)
    driving.kill()
    gate.open(2)
    away.run()
    away.expect_landed(1, 2)
    assert sorted(away.started()) == ["1 0", "2 0"]


def test_r_68_only_what_is_declared_reaches_the_agent(away: AwayWorld) -> None:
    """R-68: no secret of the machine that is not named, and the value of one that is appears nowhere."""
    away.dispatch(agent_env=("DECLARED_KEY",))
    away.issue(1)
    away.agent(1, 'env > env.txt; echo "$DECLARED_KEY"; echo ordinary')
    away.enqueue(1)
    away.run()
    assert away.entry(1).status is EntryStatus.DONE
    text = away.show("env.txt", "refs/gitsched-remote/heads/main")
    assert "DECLARED_KEY=k-12345678" in text
    assert "OTHER_TOKEN" not in text
    log = away.show("runs/1/0/log", "refs/gitsched/evidence/i1")
    assert "ordinary" in log
    assert "k-12345678" not in log


def test_a_worker_elsewhere_is_told_the_last_word_and_no_other_run_s(away: AwayWorld) -> None:
    """Posts reach the run's own record there; without the token that its worker made they are refused."""
    away.dispatch()
    file = away.repo / "gitsched.toml"
    file.write_text(file.read_text().replace('completion = "exit"', 'completion = "milestone"'))
    away.clone = Clone(away.repo)
    away.issue(1)
    refused = "(unset GITSCHED_POST_TOKEN; gitsched hand-back --reason x; echo code $?)"
    away.agent(1, f"echo 1 > file1.txt; {refused}", ends="gitsched done; exit 0")
    away.enqueue(1)
    away.run()
    assert away.entry(1).status is EntryStatus.DONE
    log = away.show("runs/1/0/log", "refs/gitsched/evidence/i1")
    assert "code 1" in log
    assert "A run speaks for itself alone" in log
