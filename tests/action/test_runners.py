"""Jobs on machines of their own: each has a fresh checkout of depth 1, and the remote is all that they share."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import tracker_of
from tests.action.configured import configuration
from tests.engine.barrier import Barrier
from tests.golden import ROOT
from tests.real_git import run_git
from tests.store.remotes import make_remote


class Runners:
    """A repository on a server, and one machine after the other that a job runs on."""

    def __init__(self, repo: Path, home: Path) -> None:
        self.repo, self.home, self.count = repo, home, 0
        self.remote = make_remote(home, repo)
        self.agent = home / "agent.sh"
        self.works()
        (repo / "gitsched.toml").write_text(configuration(self.agent, home / "trees", "origin"))
        run_git(repo, "add", "-A")
        run_git(repo, "commit", "-q", "-m", "Configure")
        run_git(repo, "push", "-q", "origin", "main")

    def works(self, before: str = "") -> None:
        """Say what the agents do."""
        count = f'echo "$GITSCHED_ISSUE $GITSCHED_GEN" >> {self.home}/started\n'
        work = 'echo "$GITSCHED_ISSUE" > "f$GITSCHED_ISSUE"; git add -A; git commit -q -m Work\n'
        self.agent.write_text(f"{count}{before}\n{work}")

    def start(self, name: str = "schedule", payload: dict[str, Any] | None = None) -> "Job":
        """Start a job on a new machine, with an event."""
        self.count += 1
        place = self.home / f"machine-{self.count}"
        run_git(self.home, "clone", "-q", "--depth", "1", f"file://{self.remote}", str(place))
        return Job(place, name, payload or {})

    def started(self) -> list[str]:
        file = self.home / "started"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def clone(self) -> Clone:
        clone = Clone(self.repo)
        clone.catch_up()
        return clone


class Job:
    """One job, as its runner sees it."""

    def __init__(self, place: Path, name: str, payload: dict[str, Any]) -> None:
        self.place = place
        event = place.with_suffix(".json")
        event.write_text(json.dumps({"repository": {"id": 1, "default_branch": "main"}, **payload}))
        self._output, self._summary = place.with_suffix(".out"), place.with_suffix(".md")
        given = {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_OUTPUT": str(self._output),
            "GITHUB_STEP_SUMMARY": str(self._summary),
            "GITHUB_RUN_ID": place.name,
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-m", "gitsched", "action", "-C", str(place)]
        self._process = subprocess.Popen(
            command, env={**os.environ, **given}, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def has_ended_in(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Let it end, by a signal where one is named: its exit code, the output `exit`, and its log."""
        if number is not None:
            self._process.send_signal(number)
        log, _ = self._process.communicate(timeout=100)
        outputs = self._output.read_text().splitlines() if self._output.exists() else []
        at = next((at for at, line in enumerate(outputs) if line.startswith("exit<<")), None)
        return self._process.returncode, "" if at is None else outputs[at + 1], log

    def summary(self) -> str:
        return self._summary.read_text()


@pytest.fixture
def runners(repo: Path, tmp_path: Path) -> Runners:
    home = tmp_path / "beside"
    home.mkdir()
    return Runners(repo, home)


def issue_with_command(runners: Runners) -> dict[str, Any]:
    """Open an issue on which a person asks for it to be enqueued, and give the event of that comment."""
    from gitsched.domain.forge import IssueDraft

    tracker = tracker_of(runners.clone)
    number = tracker.new_issue(IssueDraft(title="Work"))
    comment = tracker.comment(number, "/gitsched enqueue")
    return {"action": "created", "issue": {"number": number, "title": "Work"}, "comment": {"id": comment}}


def test_w_31_two_jobs_at_once_for_one_issue(runners: Runners) -> None:
    """W-31 (show 4): each fetches what it needs; one works, the other ends `exit=75` with a notice; spawned once."""
    event = issue_with_command(runners)
    gate = Barrier(runners.home / "gate")
    runners.works(f"read -r _ < {gate}")
    jobs = [runners.start("issue_comment", event) for _ in range(2)]
    idle = next(job for _ in range(600) for job in jobs if job.has_ended_in(0.05))
    code, told, log = idle.end()
    assert (code, told) == (0, "75"), log
    assert "::notice title=Come again::" in log
    gate.open()
    (working,) = [job for job in jobs if job is not idle]
    code, told, log = working.end()
    assert (code, told) == (0, "0"), log
    assert runners.started() == ["1 0"]
    assert runners.clone.store.read().batches["i1"].status is BatchStatus.DONE
    assert "i1 done" in working.summary()
    names = [str(found.name) for line in runners.clone.store.history() for found in line.events]
    assert (names.count("command-accepted"), names.count("spawned")) == (1, 1)
    assert run_git(runners.remote, "show", "main:f1") == "1"


def test_w_31_a_cancelled_job_leaves_its_work_on_refs_and_the_next_continues(runners: Runners) -> None:
    """W-31 (show 4): TERM in the middle of an agent's work; the next machine has nothing but what was pushed."""
    event = issue_with_command(runners)
    fifo = runners.home / "started-fifo"
    os.mkfifo(fifo)
    runners.works(f"echo half > half.txt; git add -A; git commit -q -m Half; echo on > {fifo}; exec sleep 60")
    job = runners.start("issue_comment", event)
    with fifo.open() as started:
        assert started.readline() == "on\n"
    job.end(signal.SIGTERM)
    assert runners.clone.store.read().entries[1].status not in (EntryStatus.DONE, EntryStatus.FAILED)
    runners.works("test -e half.txt")
    job = runners.start()
    code, told, log = job.end()
    assert (code, told) == (0, "0"), log
    assert "i1 done" in job.summary()
    assert runners.clone.store.read().batches["i1"].status is BatchStatus.DONE
    assert run_git(runners.remote, "show", "main:half.txt") == "half"
    assert runners.started() == ["1 0", "1 1"]
