"""Driving from the command line: plan and run agree, exit codes, merging by hand, and going on where one stopped."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.wiring.clone import open_clone
from tests.cli.calling import AGENT, Project
from tests.engine.drive import kill_each, workers_of
from tests.real_git import Git


def test_plan_says_what_run_then_does(project: Project) -> None:
    """I-08: order, batches and waits agree; plan wrote nothing, contacted no agent, and named the suite runs."""
    project.issues(3)
    contacted = project.home / "contacted"
    project.agent(f': > "{contacted}"\n')
    before = project.refs()
    planned = project("plan", 1, 2, 3, "--json").document
    assert project.refs() == before
    assert not contacted.exists()
    assert not (project.home / "trees").exists()
    assert planned["suite_runs"] == 1
    assert planned["refused"] == []
    project.agent(f': > "{project.home}/at-work-$GITSCHED_ISSUE"\nsleep 60\n')
    assert project("run", 1, 2, 3, "--once").code == 0
    real = project.status()
    order = [member["issue"] for member in planned["batches"][0]["members"]]
    assert [member["issue"] for member in real["batches"][0]["members"]] == order == [1, 2, 3]
    assert {e["issue"]: e["waits"] for e in planned["entries"]} == {e["issue"]: e["waits"] for e in real["entries"]}
    for issue in (1, 2):
        _wait_for(project.home / f"at-work-{issue}")
    assert project("stop", "b1").code == 0
    assert project("tick", "--until-idle").code == 0


def test_a_plan_that_is_refused_says_why_and_run_refuses_the_same(project: Project) -> None:
    """I-08: refusals agree."""
    project.issues(1)
    project("issue", "close", 1)
    planned = project("plan", 1, "--json")
    refused = project("run", 1)
    assert (planned.code, refused.code) == (1, 1)
    (told,) = planned.document["refused"]
    assert [told["asked"], told["against"], told["remedy"]] == refused.sentences


def test_more_issues_than_a_batch_may_hold_become_several(project: Project) -> None:
    project.configure("[batch]\nmax_members = 2\n")
    project.issues(3)
    planned = project("plan", 1, 2, 3, "--json").document
    assert [[m["issue"] for m in b["members"]] for b in planned["batches"]] == [[1, 2]]
    assert planned["suite_runs"] == 2
    assert project("enqueue", 1, 2, 3).code == 1
    assert project("plan", 1, 2, 3, "--apply").code == 0
    assert [e["batch"] for e in project.status()["entries"]] == ["b1", "b1", None]


def test_a_batch_ships_and_run_ends_with_0(project: Project, git: Git) -> None:
    """I-03: 0 when everything has shipped."""
    project.issues(2)
    ended = project("run", 1, 2)
    assert ended.code == 0
    assert "note-1.txt" in git(project.repo, "ls-tree", "--name-only", "main")
    assert [line.split()[0] for line in ended.out.splitlines()] == ["issue", "#1", "#2"]
    assert ended.err == "", "progress is for terminals"


def test_a_cap_that_can_never_be_reached_is_said_aloud(project: Project) -> None:
    """A-25: nobody measures what this agent costs: `run` and `doctor` say that a limit in money has no effect."""
    project.configure("[budget.day]\nusd = 5\n")
    project.issues(1)
    ended = project("run", 1)
    assert ended.code == 0
    assert "`budget.day.usd` has no effect on the agent fake" in ended.err
    assert "budget-unmeasured" in project("doctor").out


def test_quiet_says_nothing(project: Project) -> None:
    project.issues(1)
    assert project("run", 1, "--quiet") == (0, "", "")
    assert project("pause", "-q") == (0, "", "")


def test_a_request_that_waits_for_a_person_ends_run_with_0_and_is_merged_by_hand(project: Project, git: Git) -> None:
    """I-03: 0 as well when its pull request is open and waits only for a person."""
    project.configure(merge="manual")
    project.issues(1)
    assert project("run", 1).code == 0
    (batch,) = project.status()["batches"]
    number = batch["pr"]["number"]
    assert (batch["status"], batch["pr"]["state"]) == ("awaiting-merge", "open")
    assert project("why", batch["id"], "--json").document["next"] == f"gitsched pr merge {number}"
    assert "note-1.txt" not in git(project.repo, "ls-tree", "--name-only", "main")
    git(project.repo, "stash", "-u", "-q")
    git(project.repo, "stash", "apply", "-q")
    merged = project("ship", batch["id"])
    assert merged.code == 0, merged.err
    (batch,) = project.status()["batches"]
    assert (batch["status"], batch["pr"]["state"]) == ("merged", "merged"), "it is on record without a driver"
    assert project("tick").code == 0
    assert project.status()["batches"][0]["status"] == "done"
    assert "merged already" in project("pr", "merge", number).out
    assert "merged already" in project("ship", batch["id"]).out
    assert project("issue", "list", "--json").document == {"issues": []}


def test_a_request_whose_target_has_moved_is_rebased_first(project: Project, git: Git) -> None:
    project.configure(merge="manual")
    project.issues(1)
    assert project("run", 1).code == 0
    number = project.status()["batches"][0]["pr"]["number"]
    git(project.repo, "commit", "-q", "--allow-empty", "-m", "Meanwhile")
    refused = project("pr", "merge", number)
    assert (refused.code, len(refused.sentences)) == (1, 3)
    assert "moved" in refused.sentences[1]
    assert project("run", "--until-idle").code == 0
    assert project("pr", "merge", number).code == 0


def test_a_request_of_a_batch_that_is_over_is_not_merged(project: Project) -> None:
    project.configure(merge="manual")
    project.issues(1)
    project("run", 1)
    (batch,) = project.status()["batches"]
    assert project("stop", batch["id"]).code == 0
    refused = project("pr", "merge", batch["pr"]["number"])
    assert (refused.code, len(refused.sentences)) == (1, 3)


def test_something_that_left_ends_run_with_1_and_is_sent_back(project: Project) -> None:
    """I-03: 1 when it ended with something parked; the outcome names the command that helps."""
    project.agent('if [ "$GITSCHED_ISSUE" = 2 ]; then exit 0; fi\n' + AGENT)
    project.issues(2)
    ended = project("run", 1, 2)
    assert ended.code == 1
    assert ended.out.splitlines()[2].split()[-3:] == ["gitsched", "requeue", "2"]
    why = project("why", "2", "--json").document
    assert (why["state"], why["reasons"], why["next"]) == ("parked", ["no-changes"], "gitsched requeue 2")
    assert project("run", 1, 2).code == 1, "the same command again: 2 has still not shipped"
    assert project("run", "--until-idle").code == 0, "nothing became worse during this call"
    project.agent(AGENT)
    assert project("requeue", "2").code == 0
    assert project("run", 2).code == 0


def test_a_pause_ends_run_with_75(project: Project) -> None:
    """I-03: 75 on an operator's pause with nothing live."""
    project.issues(1)
    assert project("pause", "--reason", "release day").code == 0
    assert project("run", 1).code == 75
    assert project.status()["pause_reason"] == "release day"
    assert project.status()["entries"][0]["waits"] == ["paused"]
    assert project("resume").code == 0
    assert "Nothing was paused." in project("resume").out
    assert project("run", 1).code == 0


def test_an_internal_error_ends_with_3_and_a_report(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """I-03: 3 with a report file; no secret of the environment stands in it."""
    monkeypatch.setenv("MY_API_TOKEN", "sesame-open-now")

    def broken(self: object) -> None:
        raise ZeroDivisionError("sesame-open-now")

    monkeypatch.setattr("gitsched.wiring.clone.Clone.situation", broken)
    ended = project("status", "--json")
    assert (ended.code, ended.out, len(ended.sentences)) == (3, "", 3)
    report = Path(ended.sentences[2].rpartition(": ")[2]).read_text()
    assert "ZeroDivisionError" in report
    assert "sesame" not in report


def test_operators_steer(project: Project) -> None:
    project.issues(4)
    assert "b1: 1, 2" in project("enqueue", 1, 2, "--open").out
    assert "b1 lands in this order: 2, 1." in project("order", "b1", 2, 1).out
    assert project("undo").code == 0
    assert project("enqueue", 3, "--batch", "b1", "--open").code == 0
    assert "b1 is ready: 1, 2, 3" in project("seal", "b1").out
    assert "priority 10 → 20" in project("reprioritize", "b1", "20").out
    assert "priority 20 → -1" in project("reprioritize", "b1", "-1").out
    assert project("stop", "2").code == 0
    assert "3 left b1; the work is kept." in project("evict", "3").out
    assert "is being given up" in project("abandon", "b1", "--keep").out
    assert project("enqueue", 4, "--tier", "strong", "--review", "full", "--files", "a/**", "--deps", "1").code == 0
    (entry,) = [e for e in project.status()["entries"] if e["issue"] == 4]
    assert (entry["tier"], entry["review"], entry["files"], entry["deps"]) == ("strong", "full", ["a/**"], [1])


def test_issues_are_made_changed_and_imported(project: Project) -> None:
    (project.repo / "one.md").write_text("---\ntitle: One\nlabels: [x]\n---\nText\n")
    (project.repo / "two.md").write_text("# Two\n\nText\n")
    assert project("issue", "import", "one.md", "two.md").out == "1\n2\n"
    assert (
        project("issue", "new", "--title", "Three", "--body-file", "-", "--deps", "1,2", stdin="from a pipe").out
        == "3\n"
    )
    assert project("issue", "edit", 3, "--add-label", "x", "--title", "Drei").code == 0
    assert project("issue", "comment", 3, "--body", "Yes").code == 0
    shown = project("issue", "show", 3, "--json").document
    assert (shown["title"], shown["labels"], shown["deps"], shown["body"]) == ("Drei", ["x"], [1, 2], "from a pipe")
    assert shown["comments"][0]["body"] == "Yes"
    assert [i["number"] for i in project("issue", "list", "--label", "x", "--json").document["issues"]] == [1, 3]
    assert project("issue", "close", 1, "--not-planned").code == 0
    assert project("issue", "list", "--all").out.splitlines()[1].split()[:2] == ["#1", "not-planned"]
    assert project("issue", "reopen", 1).code == 0
    (project.repo / "list.json").write_text("[2]")
    assert project("enqueue", "--label", "x", "--from", "list.json").code == 0
    assert [e["issue"] for e in project.status()["entries"]] == [1, 2, 3]


@pytest.mark.parametrize("end", ["INT", "KILL", "HUP", "reboot"])
def test_the_same_command_goes_on_where_it_was_ended(project: Project, end: str) -> None:
    """I-20: after INT, KILL, a lost terminal or a reboot the same words continue, ask nothing, start nobody twice."""
    started = project.home / "started"
    seen = f'echo "$GITSCHED_ISSUE $GITSCHED_GEN" >> "{started}"\n: > "{project.home}/at-work"\n'
    project.agent(f"{seen}sleep 2\n{AGENT}")
    project.issues(2)
    process = _run(project, "run", "1", "2")
    _wait_for(project.home / "at-work")
    if end == "reboot":
        _reboot(project, process)
    else:
        os.killpg(process.pid, signal.Signals[f"SIG{end}"])
    assert process.wait(30) == (130 if end == "INT" else -signal.Signals["SIGHUP" if end == "HUP" else "SIGKILL"])
    ended = project("run", 1, 2)
    assert ended.code == 0, ended.err
    runs = started.read_text().splitlines()
    assert sorted(runs) == sorted(set(runs))
    assert {run.split()[0] for run in runs} == {"1", "2"}
    assert end == "reboot" or len(runs) == 2
    assert [entry["status"] for entry in project("status", "--all", "--json").document["entries"]] == ["done"] * 2


def _reboot(project: Project, driver: subprocess.Popen[bytes]) -> None:
    """End every process of this repository at once, and have all that is on record be of an earlier boot."""
    driver.kill()
    workers = workers_of(project.repo)
    kill_each([*workers, *(child for worker in workers for child in worker.children(recursive=True))])
    store = open_clone(project.repo).store

    def age(draft: Draft) -> None:
        for one in tuple(draft.state.drivers.values()):
            draft.note(EventName.PROGRESS, "Boot", replace(one, boot_id="earlier"), driver=one.id)
        for lease in tuple(draft.state.leases.values()):
            holder = replace(lease.holder, boot_id="earlier")
            draft.note(EventName.PROGRESS, "Boot", replace(lease, holder=holder), batch=lease.batch)

    store.apply(age)


def test_ctrl_c_waits_for_what_runs_and_starts_nothing_new(project: Project) -> None:
    """I-03: 130 when interrupted; what ran has landed, what waited starts with the next call."""
    project.agent(f': > "{project.home}/at-work"\nsleep 1\n' + AGENT)
    text = (project.repo / "gitsched.toml").read_text()
    (project.repo / "gitsched.toml").write_text(text.replace("max = 2", "max = 1"))
    project.issues(2)
    process = _run(project, "run", "1", "2")
    _wait_for(project.home / "at-work")
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    members = project.status()["batches"][0]["members"]
    assert [member["status"] for member in members] in (["landed", "waiting"], ["verified", "waiting"])
    assert project("run", 1, 2).code == 0


def _run(project: Project, *words: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), *words]
    nowhere = subprocess.DEVNULL
    inherited = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it, as `nohup` does
    try:
        return subprocess.Popen(argv, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    finally:
        signal.signal(signal.SIGHUP, inherited)


def _wait_for(file: Path) -> None:
    """Wait, up to 30 s, until an agent has left its mark."""
    for _ in range(300):
        if file.exists():
            return
        select.select([], [], [], 0.1)
    pytest.fail("no agent came to work within 30 s")
