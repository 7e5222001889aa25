"""The Action's step: from an event's file to outputs and summary, in checkouts as jobs get them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitsched.action import entry
from gitsched.action.event import event_of
from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.tracker import Tracker
from gitsched.adapters.git.deepening import deepen
from gitsched.domain.forge import IssueDraft
from gitsched.domain.words import MemberStatus
from gitsched.errors import TemporaryError
from gitsched.wiring.clone import Clone
from tests.action.configured import configuration
from tests.golden import ROOT
from tests.real_git import run_git

HOSTILE = "$(curl x)\n::set-output name=a::b"


class Job:
    """A repository that jobs work on, and one event after another."""

    def __init__(self, repo: Path, home: Path) -> None:
        self.repo, self.home = repo, home
        agent = home / "agent.sh"
        agent.write_text('echo "$GITSCHED_ISSUE" > "f$GITSCHED_ISSUE"; git add -A; git commit -q -m Work\n')
        (repo / "gitsched.toml").write_text(configuration(agent, home / "trees"))
        run_git(repo, "add", "-A")
        run_git(repo, "commit", "-q", "-m", "Configure")
        self.tracker = Tracker(repo, SystemClock(), "ada", fsync=False)
        self.count = 0

    def environment(self, name: str, payload: dict[str, Any], **more: str) -> dict[str, str]:
        self.count += 1
        file = self.home / f"event-{self.count}.json"
        file.write_text(json.dumps({"repository": {"id": 1, "default_branch": "main"}, **payload}))
        given = {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_OUTPUT": str(self.home / f"output-{self.count}"),
            "GITHUB_STEP_SUMMARY": str(self.home / f"summary-{self.count}"),
            "GITHUB_RUN_ID": str(self.count),
        }
        return {**os.environ, **given, **more}

    def run(self, name: str, payload: dict[str, Any] | None = None, **more: str) -> int:
        return entry.run(self.repo, self.environment(name, payload or {}, **more))

    def comment(self, number: int, body: str) -> dict[str, Any]:
        comment = self.tracker.comment(number, body)
        return {"action": "created", "issue": {"number": number, "title": HOSTILE}, "comment": {"id": comment}}

    def outputs(self) -> dict[str, str]:
        found, lines = {}, iter((self.home / f"output-{self.count}").read_text().splitlines())
        for line in lines:
            name, _, end = line.partition("<<")
            value = []
            while (part := next(lines)) != end:
                value.append(part)
            found[name] = "\n".join(value)
        return found

    def summary(self) -> str:
        return (self.home / f"summary-{self.count}").read_text()


@pytest.fixture
def job(repo: Path, tmp_path: Path) -> Job:
    home = tmp_path / "beside"
    home.mkdir()
    return Job(repo, home)


def test_a_comment_s_event_drives_a_batch_to_its_end(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    """W-23, W-30: the command runs once, however often its event comes; the title is text everywhere."""
    job.tracker.new_issue(IssueDraft(title="$(curl x) ::set-output name=a::b"))
    event = job.comment(1, "/gitsched enqueue")
    assert job.run("issue_comment", event) == 0
    outputs = job.outputs()
    assert (outputs["exit"], outputs["batch"]) == ("0", "i1")
    status = json.loads(outputs["status"])
    assert (status["schema"], status["entries"][0]["status"]) == (1, "done")
    assert "i1 done" in job.summary()
    assert job.run("issue_comment", event) == 0
    names = [str(found.name) for line in Clone(job.repo).store.history() for found in line.events]
    assert (names.count("command-accepted"), names.count("spawned")) == (1, 1)
    told = capsys.readouterr().out
    assert not [line for line in told.splitlines() if line.startswith("::set-output")]
    assert run_git(job.repo, "show", "main:f1") == "1"


def test_a_schedule_goes_on_with_what_there_is(job: Job) -> None:
    """Level-triggered: the event that queued it was lost, the poll of comments makes up for it."""
    job.tracker.new_issue(IssueDraft(title="Work"))
    assert job.run("schedule") == 0
    job.comment(1, "/gitsched enqueue")
    assert job.run("schedule") == 0
    assert json.loads(job.outputs()["status"])["entries"][0]["status"] == "done"


def test_what_cannot_be_taken_in_stops_no_work_here(
    job: Job, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """G-32 (the Action): the forge gives no answer to the intake; what is queued is driven all the same."""
    job.tracker.new_issue(IssueDraft(title="Work"))
    assert job.run("workflow_dispatch", INPUT_COMMAND="enqueue", INPUT_ARGS="1") == 0

    def away(*_words: object) -> str:
        raise TemporaryError("Comments were to be read.", "503.")

    monkeypatch.setattr("gitsched.wiring.job.take_in", away)
    assert job.run("schedule") == 0
    assert job.outputs()["exit"] == "75"
    assert json.loads(job.outputs()["status"])["entries"][0]["status"] == "done"
    assert "::notice title=Come again::" in capsys.readouterr().out


def test_a_pause_ends_well_and_says_75(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    job.tracker.new_issue(IssueDraft(title="Work"))
    assert job.run("issue_comment", job.comment(1, "/gitsched pause\n/gitsched enqueue")) == 0
    assert job.outputs()["exit"] == "75"
    assert "::notice title=Come again::" in capsys.readouterr().out


def test_a_fork_s_request_starts_nothing(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    """W-32, the first half: no secret is used and no agent is started; a head that is gone was a fork's."""
    for head in ({"id": 2}, None):
        request = {"number": 5, "head": {"repo": head}, "base": {"repo": {"id": 1}}}
        assert job.run("pull_request", {"action": "closed", "pull_request": request}) == 0
        assert job.outputs() == {"exit": "0"}
    assert "no agent is started" in capsys.readouterr().out
    assert "refs/gitsched/state" not in run_git(job.repo, "for-each-ref")


def test_the_workflow_s_own_token_is_told_of(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    """W-32, the second half: such a push starts no checks, and how to change that."""
    text = (job.repo / "gitsched.toml").read_text().replace('merge = "direct"', 'merge = "manual"')
    (job.repo / "gitsched.toml").write_text(text)
    run_git(job.repo, "commit", "-q", "-am", "Merge by hand")
    job.tracker.new_issue(IssueDraft(title="Work"))
    assert job.run("issue_comment", job.comment(1, "/gitsched enqueue"), GITSCHED_DEFAULT_TOKEN="true") == 0
    assert int(job.outputs()["pr"]) > 0
    assert "start no workflows" in job.summary()
    assert "::notice title=Checks will not start by themselves::" in capsys.readouterr().out


def test_a_verb_of_choice_is_run_with_its_arguments(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    job.tracker.new_issue(IssueDraft(title="Work"))
    assert job.run("workflow_dispatch", INPUT_COMMAND="enqueue", INPUT_ARGS="1 --priority '7'") == 0
    assert json.loads(job.outputs()["status"])["entries"][0]["priority"] == 7
    assert job.run("workflow_dispatch", INPUT_COMMAND="enqueue", INPUT_ARGS="$(touch evil); 99") == 2
    assert job.outputs()["exit"] == "2"
    assert not (job.repo / "evil").exists()
    assert "::error title=gitsched ended with 2::" in capsys.readouterr().out
    assert job.run("workflow_dispatch", INPUT_COMMAND="enqueue", INPUT_ARGS="1 --group 'night") == 2
    assert job.outputs() == {"exit": "2"}
    assert "No closing quotation" in capsys.readouterr().out


def test_a_request_cannot_change_how_it_is_judged(job: Job) -> None:
    """L-13 (the Action): the gates are the target branch's, whatever is checked out, and whatever the member brings."""
    config, gate = job.repo / "gitsched.toml", '[[gates]]\nname = "unit"\nrun = ["{}"]\nevidence = "exit"\n'
    passing = config.read_text() + gate.format("true")
    config.write_text(config.read_text() + gate.format("false"))
    run_git(job.repo, "commit", "-q", "-am", "Declare a gate")
    run_git(job.repo, "checkout", "-q", "-b", "topic")
    config.write_text(passing)
    run_git(job.repo, "commit", "-q", "-am", "Change the judge")
    (job.home / "agent.sh").write_text(f"cp {config} gitsched.toml; echo 1 > f1; git add -A; git commit -q -m Work\n")
    job.tracker.new_issue(IssueDraft(title="Work"))
    job.run("issue_comment", job.comment(1, "/gitsched enqueue"))
    member = Clone(job.repo).store.read().members["i1", 1]
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "gate-failed:unit")
    config.write_text("nonsense = true\n")
    assert job.run("schedule") == 0


def test_a_missing_configuration_is_told(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.run(repo, {}) == 2
    assert "::error title=gitsched::" in capsys.readouterr().out


def test_what_is_no_event_is_none(tmp_path: Path) -> None:
    (tmp_path / "event").write_text("[]")
    found = event_of({"GITHUB_EVENT_PATH": str(tmp_path / "event"), "GITHUB_EVENT_NAME": "issues"}, "now")
    assert (found.delivery, found.is_from_fork) == (None, False)


def test_a_shallow_checkout_is_deepened(repo: Path, tmp_path: Path) -> None:
    """W-31, here: depth 1, without the target's own name."""
    run_git(repo, "commit", "-q", "--allow-empty", "-m", "More")
    run_git(repo, "checkout", "-q", "-b", "topic")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "job")
    job = tmp_path / "job"
    deepen(job / ".git", "origin", "main")
    deepen(job / ".git", "origin", "main")
    assert run_git(job, "rev-parse", "main") == run_git(repo, "rev-parse", "main")
    assert run_git(job, "rev-list", "--count", "main") == run_git(repo, "rev-list", "--count", "main")
    run_git(job, "remote", "set-url", "origin", str(tmp_path / "gone"))
    run_git(job, "branch", "-D", "main")
    with pytest.raises(TemporaryError):
        deepen(job / ".git", "origin", "main")


def test_a_cancelled_job_keeps_what_was_done_and_the_next_goes_on(job: Job) -> None:
    """W-31, the second half: TERM in the middle of an agent's work."""
    job.tracker.new_issue(IssueDraft(title="Work"))
    fifo = job.home / "started"
    os.mkfifo(fifo)
    agent = job.home / "agent.sh"
    quick = agent.read_text()
    agent.write_text(f"echo half > half.txt\necho on > {fifo}\nexec sleep 60\n")
    environment = job.environment("issue_comment", job.comment(1, "/gitsched enqueue"))
    command = [sys.executable, "-m", "gitsched", "action", "-C", str(job.repo)]
    environment["PYTHONPATH"] = str(ROOT)
    with subprocess.Popen(command, env=environment, cwd=job.repo, stdout=subprocess.DEVNULL) as process:
        with fifo.open() as started:
            assert started.readline() == "on\n"
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    state = Clone(job.repo).store.read()
    assert state.entries[1].status not in ("done", "failed")
    agent.write_text(quick)
    assert job.run("schedule") == 0
    assert json.loads(job.outputs()["status"])["entries"][0]["status"] == "done"
