"""A night's work from the command line: booked, approved, driven in its window, harvested or dropped in the morning."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.calling import AGENT, Project
from tests.golden import ROOT
from tests.real_git import Git

NOON, EVENING, MORNING = "2026-12-01T12:00:00Z", "2026-12-01T21:30:00Z", "2026-12-02T07:00:00Z"
NIGHT = ("--window", "22:00-06:00", "--tz", "Europe/Berlin")


class Clock:
    """The clock of every process of a test."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def show(self, instant: str) -> None:
        """Be that late from now on."""
        self.file.write_text(instant)


@pytest.fixture
def clock(project: Project, monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(project.home / "clock")
    made.show(NOON)
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(made.file))
    return made


def night(project: Project, clock: Clock) -> None:
    """Let the window open and drive until nothing runs."""
    clock.show(EVENING)
    project("tick", "--until-idle")


def schedules(project: Project) -> list[dict[str, object]]:
    return project("schedule", "list", "--all", "--json").document["schedules"]  # type: ignore[no-any-return]


def test_a_30_two_results_of_one_base_are_harvested_on_todays_target(project: Project, clock: Clock, git: Git) -> None:
    """A-30: nothing merges at night; in the morning both land in order, tested again; a third is dropped and kept.

    Its evidence is missing by then; that is no hindrance.
    """
    project.issues(3)
    for issue in (1, 2, 3):
        assert project("schedule", "add", issue, *NIGHT).code == 0
    assert project.status()["entries"][0]["waits"] == ["window:2026-12-01T21:00:00.000Z"]
    assert project("tick", "--until-idle").code == 0
    assert project.status()["batches"] == []
    night(project, clock)
    before = git(project.repo, "rev-parse", "main")
    assert {batch["status"] for batch in project.status()["batches"]} == {"awaiting-merge"}
    assert [row["status"] for row in schedules(project)] == ["succeeded"] * 3
    clock.show(MORNING)
    (project.repo / "morning.txt").write_text("the target moved\n")
    git(project.repo, "add", "morning.txt")
    git(project.repo, "commit", "-q", "-m", "Morning")
    git(project.repo, "update-ref", "-d", "refs/gitsched/evidence/i3")
    dropped = project("discard", "i3")
    assert dropped.code == 0
    assert "refs/gitsched/rescue/i3/3/1" in dropped.out
    assert project("harvest", "--list").out.count("awaiting") == 0
    harvested = project("harvest", "i1", "i2")
    assert harvested.code == 0, harvested.err
    names = git(project.repo, "ls-tree", "--name-only", "main").split()
    assert {"morning.txt", "note-1.txt", "note-2.txt"} <= set(names)
    assert "note-3.txt" not in names
    assert git(project.repo, "rev-parse", "main") != before
    suites = {batch["id"]: batch["suite"]["runs"] for batch in project.status()["batches"]}
    assert suites["i1"] == suites["i2"] == 2, project("log", "i2").out
    assert "note-3.txt" in git(project.repo, "ls-tree", "--name-only", "refs/gitsched/rescue/i3/3/1")
    assert project("harvest").out.strip() == "Nothing is ripe."


def test_a_28_an_approval_is_bound_to_all_that_it_was_given_for(project: Project, clock: Clock, git: Git) -> None:
    """A-28: an older token is refused; a change before dispatch voids it, naming what changed, and nothing starts."""
    project.issues(1)
    assert project("schedule", "add", 1, *NIGHT, "--approval").code == 0
    assert project.status()["entries"][0]["waits"] == ["approval"]
    old = project("schedule", "show", "s1", "--json").document["token"]
    project("issue", "edit", 1, "--body", "something else")
    refused = project("approve", "s1", old)
    assert (refused.code, "something has changed" in refused.err) == (1, True)
    shown = project("schedule", "show", "s1")
    assert "None" not in shown.out, "it says what there is, and when it opens"
    token = shown.out.split()[-1]
    assert token != old
    assert project("approve", "s1", token).code == 0
    (project.repo / "more.txt").write_text("the base moved\n")
    git(project.repo, "add", "more.txt")
    git(project.repo, "commit", "-q", "-m", "More")
    night(project, clock)
    (row,) = schedules(project)
    assert (row["status"], row["reason"]) == ("human-required", "approval-void:base")
    assert project.status()["batches"] == []
    assert project("why", 1, "--json").document["reasons"] == ["held:approval-void:base"]
    again = project("schedule", "show", "s1")
    assert "Changed since it was approved: base." in again.out
    assert project("approve", "s1", again.out.split()[-1]).code == 0
    assert project("tick", "--until-idle").code == 0
    assert project.status()["batches"][0]["status"] == "awaiting-merge"


@pytest.mark.parametrize("what", ["configuration", "budget", "agents", "issue:1"])
def test_a_28_whatever_changes_is_named(project: Project, clock: Clock, what: str) -> None:
    """A-28: configuration, budget, agent command, the text of an issue."""
    project.issues(1)
    assert project("schedule", "add", 1, *NIGHT, "--approval").code == 0
    assert project("approve", "s1", project("schedule", "show", "s1").out.split()[-1]).code == 0
    if what == "agents":
        text = (project.repo / "gitsched.toml").read_text()
        (project.repo / "gitsched.toml").write_text(text.replace('command = ["sh"', 'command = ["sh", "-u"'))
    elif what == "issue:1":
        assert project("issue", "edit", 1, "--body", "something else").code == 0
    else:
        more = {"configuration": "[labels]\nblock = []\n", "budget": "[budget.day]\nruns = 5\n"}[what]
        project.configure(more)
    night(project, clock)
    (row,) = schedules(project)
    assert row["status"] == "human-required"
    assert what in str(row["reason"])
    assert project.status()["batches"] == []


def test_a_27_a_moment_of_the_clocks_change_is_chosen_or_refused(project: Project, clock: Clock) -> None:
    """A-27: nothing is booked by either call."""
    clock.show("2026-03-01T12:00:00Z")
    project.issues(1)
    twice = project("schedule", "add", 1, "--tz", "Europe/Berlin", "--at", "2026-10-25 02:30")
    assert (twice.code, "2026-10-25 02:30+02:00" in twice.err) == (2, True)
    never = project("schedule", "add", 1, "--tz", "Europe/Berlin", "--at", "2026-03-29 02:30")
    assert (never.code, "never show that time" in never.err) == (2, True)
    assert schedules(project) == []
    assert project.status()["entries"] == []
    assert project("schedule", "add", 1, "--tz", "Europe/Berlin", "--at", "2026-10-25 02:30+01:00").code == 0
    assert schedules(project)[0]["at"] == "2026-10-25T01:30:00.000Z"


def test_what_cannot_be_booked_is_refused(project: Project, clock: Clock) -> None:
    """A window that is none, a zone that is none, a limit that never fits, a second booking, an unknown batch."""
    project.issues(2)
    assert project("schedule", "add", 1).code == 2
    assert project("schedule", "add", 1, "--window", "10-11").code == 2
    assert project("schedule", "add", 1, "--window", "10:00-11:00", "--tz", "Mars").code == 2
    assert project("schedule", "add", "b7", *NIGHT).code == 1
    assert project("schedule", "add", 1, *NIGHT, "--latest-start", "soon").code == 2
    assert project("schedule", "add", 1, *NIGHT).code == 0
    assert "booked already, by s1" in project("schedule", "add", 1, *NIGHT).err
    project.configure("[agents.slow]\ncommand = ['true']\ntimeout = '9h'\n")
    assert project("enqueue", 2, "--profile", "slow").code == 0
    refused = project("schedule", "add", 2, *NIGHT)
    assert (refused.code, "has 8.0 h" in refused.err) == (1, True)
    assert project("schedule", "add", 2, *NIGHT, "--overrun", "finish").code == 0
    assert project("schedule", "cancel", "s9").code == 1


def test_a_26_a_missed_window_is_told_and_follows_its_rule(project: Project, clock: Clock) -> None:
    """A-26: nobody drove all night: the next window, at once, or a person."""
    project.issues(3)
    for issue, rule in ((1, "wait"), (2, "run"), (3, "ask")):
        assert project("schedule", "add", issue, *NIGHT, "--misfire", rule).code == 0
    clock.show(MORNING)
    assert project("tick", "--until-idle").code == 0
    rows = schedules(project)
    assert [row["status"] for row in rows] == ["waiting", "succeeded", "human-required"]
    assert rows[0]["opens_at"] == "2026-12-02T21:00:00.000Z"
    assert [batch["id"] for batch in project.status()["batches"]] == ["i2"]
    assert project("schedule", "resume", "s3").code == 0
    assert schedules(project)[2]["opens_at"] == "2026-12-02T21:00:00.000Z"
    assert project("schedule", "resume", "s3").code == 1


def test_a_cancelled_schedule_holds_what_is_left(project: Project, clock: Clock) -> None:
    """It does not start by itself afterwards; `resume` lets it go on."""
    project.issues(1)
    assert project("schedule", "add", 1, *NIGHT).code == 0
    assert project("schedule", "cancel", "s1").code == 0
    night(project, clock)
    assert [row["status"] for row in schedules(project)] == ["cancelled"]
    assert project("why", 1, "--json").document["reasons"] == ["held:cancelled"]
    assert project("schedule", "cancel", "s1").code == 1
    assert project("schedule", "list").out.strip() == "Nothing is booked."
    assert project("resume", 1).code == 0
    assert project("tick", "--until-idle").code == 0
    assert project("status", "--all", "--json").document["batches"][0]["status"] == "done"


def test_a_23_a_days_budget_is_a_gap_that_closes_by_itself(project: Project, clock: Clock) -> None:
    """A-23: three runs a day in Berlin: the fourth waits with its reason, is no failure, and starts the next day.

    The third goes on though nothing is left of the budget by then.
    """
    project.configure('[budget.day]\nruns = 3\n[schedule]\ntz = "Europe/Berlin"\n')
    project.issues(4)
    assert project("enqueue", 1, 2, 3, 4, "--solo").code == 0
    planned = project("plan", "--json").document
    assert [entry["waits"] for entry in planned["entries"]] == [[], [], ["capacity"], ["capacity"]]
    assert project("tick", "--until-idle").code == 0
    assert [entry["status"] for entry in project.status()["entries"][:3]] == ["done"] * 3
    assert project.status()["entries"][3]["waits"] == ["budget:day.runs"]
    assert project("tick").code == 0
    refusals = [line for line in project("log", "--json").lines if line["event"] == "budget-refused"]
    assert [line["reason"] for line in refusals] == ["budget:day.runs"]
    clock.show("2026-12-01T23:00:00Z")
    assert project("tick", "--until-idle").code == 0
    assert [entry["status"] for entry in project.status()["entries"]] == ["done"] * 4


def test_a_timer_is_printed_and_written_and_never_over_another_file(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`schedule install`: cron, systemd, launchd."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    cron = project("schedule", "install", "--kind", "cron")
    assert "*/10 * * * * PATH=" in cron.out
    assert "tick --until-idle" in cron.out
    shown = project("schedule", "install", "--kind", "systemd", "--print")
    assert "OnCalendar=*:0/10" in shown.out
    assert not (tmp_path / "xdg").exists()
    assert "<key>StartInterval</key>" in project("schedule", "install", "--kind", "launchd", "--print").out
    written = project("schedule", "install", "--kind", "systemd")
    assert written.code == 0, written.err
    files = sorted((tmp_path / "xdg" / "systemd" / "user").iterdir())
    assert [file.suffix for file in files] == [".service", ".timer"]
    assert project("schedule", "install", "--kind", "systemd").code == 0
    files[0].write_text("mine")
    assert project("schedule", "install", "--kind", "systemd").code == 1
    assert files[0].read_text() == "mine"


def test_the_how_to_does_what_it_says(project: Project, clock: Clock, git: Git) -> None:
    """`docs/how-to/overnight.md`, command by command: evening, night, morning; one issue breaks the suite."""
    page = (ROOT / "docs/how-to/overnight.md").read_text(encoding="utf-8")
    project.configure("".join(re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)))
    project.agent(
        AGENT + 'if [ "$GITSCHED_ISSUE" = 3 ]; then echo x > broken; git add -A; git commit -q -m Break; fi\n'
    )
    project.issues(3)
    told: dict[str, str] = {}
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[2:]:
        title = part.splitlines()[0]
        clock.show({"In the evening": NOON, "At night": EVENING, "In the morning": MORNING}[title])
        for block in re.findall(r"^```\n(.*?)^```$", part, re.MULTILINE | re.DOTALL):
            for line in block.splitlines():
                words = shlex.split(line)[1:]
                if words[0] == "approve":
                    words[2] = project("schedule", "show", "s1").out.split()[-1]
                ended = project(*words)
                assert ended.code == (1 if words[0] == "tick" else 0), (line, ended)
                told[" ".join(words[:2])] = ended.out
    night = told["report --night"]
    assert "- #1 Issue 1: awaiting-merge" in night
    assert "- #3 Issue 3: suite-failed" in night
    assert "  next: gitsched requeue 3" in night
    assert "3 runs, unknown, unknown tokens" in night
    assert "3 of them reported nothing" in night
    assert {"note-1.txt", "note-2.txt"} <= set(git(project.repo, "ls-tree", "--name-only", "main").split())
    assert "broken" not in git(project.repo, "ls-tree", "--name-only", "main")
