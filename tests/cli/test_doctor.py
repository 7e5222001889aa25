"""`gitsched doctor` on real repositories: what is wrong is named, and only `--fix` changes anything."""

import os
import re
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef
from gitsched.domain.deliveries import Delivery
from gitsched.domain.events import EventName
from gitsched.domain.records import Driver
from gitsched.domain.state import Draft
from gitsched.wiring.clone import open_clone
from gitsched.wiring.machine import has_battery
from tests.cli.calling import Ended, Project, call
from tests.real_git import Git


def found(ended: Ended) -> dict[str, str]:
    """Name what is not green, by code."""
    return {check["code"]: check["level"] for check in ended.document["checks"] if check["level"] != "green"}


def test_a_healthy_clone_is_green_and_nothing_is_changed(project: Project, git: Git) -> None:
    assert project("init").code == 0
    before = project.refs(), git(project.repo, "status", "--porcelain")
    ended = project("doctor", "--json")
    assert (ended.code, found(ended)) == (0, {})
    assert all(set(check) == {"code", "level", "message", "fix"} for check in ended.document["checks"])
    assert (project.refs(), git(project.repo, "status", "--porcelain")) == before
    assert not (project.home / "trees").exists()
    assert "git-version" in project("doctor").out


def test_what_is_wrong_is_named_each_by_its_code(project: Project, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """I-17: an agent missing on PATH, no suite, a missing target, an unwritable worktree root, the test clock."""
    clock = project.home / "clock"
    clock.write_text("2026-01-02T03:04:05Z")
    monkeypatch.setenv("GITSCHED_TEST_CLOCK", str(clock))
    (project.home / "file").write_text("")
    (project.repo / "gitsched.toml").write_text(
        f'[project]\ntarget = "nowhere"\n[agents]\ndefault = "codex"\n[worktrees]\ndir = "{project.home}/file/trees"\n'
    )
    ended = project("doctor", "--json")
    assert ended.code == 1
    assert found(ended) == {
        **dict.fromkeys(("target", "suite", "agent", "worktree-root"), "red"),
        **dict.fromkeys(("store", "test-clock"), "amber"),
    }


def test_a_git_that_knows_no_author_is_named(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert project("init").code == 0
    assert found(project("doctor", "--json")) == {}
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    (Path.home() / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    assert found(project("doctor", "--json")) == {"git-author": "amber"}


def test_a_root_inside_the_checkout_is_named(project: Project) -> None:
    text = (project.repo / "gitsched.toml").read_text().replace(str(project.home / "trees"), f"{project.repo}/trees")
    (project.repo / "gitsched.toml").write_text(text)
    assert found(project("doctor", "--json"))["worktree-root"] == "red"


def test_a_bad_configuration_is_one_line_among_the_others(project: Project) -> None:
    project.configure("[batch]\nmax_member = 4\n")
    ended = project("doctor", "--json")
    assert (ended.code, found(ended)) == (1, {"configuration": "red"})
    (told,) = [check["message"] for check in ended.document["checks"] if check["code"] == "configuration"]
    assert "max_member" in told


def test_a_repository_without_a_configuration_or_a_commit(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    assert found(call("-C", tmp_path, "doctor", "--json")) == {"repository": "red", "configuration": "red"}


def test_another_configuration_on_the_target_is_named(project: Project, git: Git) -> None:
    git(project.repo, "add", "-f", "gitsched.toml")
    git(project.repo, "commit", "-q", "-m", "Configure")
    assert project("init").code == 0
    assert found(project("doctor", "--json")) == {}
    project.configure("[labels]\nblock = []\n")
    assert found(project("doctor", "--json")) == {"configuration": "amber"}


def test_a_shallow_clone_is_named(project: Project, git: Git, tmp_path: Path) -> None:
    """I-17: a shallow clone."""
    git(project.repo, "commit", "-q", "--allow-empty", "-m", "Second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project.repo}", "shallow")
    assert found(call("-C", tmp_path / "shallow", "doctor", "--json"))["repository"] == "amber"


def test_a_stale_driver_and_an_orphan_tree_are_named_and_mended(project: Project, git: Git) -> None:
    """I-17: each is one entry; nothing is changed without --fix, and then only what has one right answer."""
    project("init")
    clone = open_clone(project.repo)
    own = clone.processes.own()
    gone = Driver(
        id="gone", host=own.host, boot_id=own.boot_id, pid=own.pid, started="long ago", registered_at=clone.clock.now()
    )

    def register(draft: Draft) -> None:
        draft.note(EventName.DRIVER_REGISTERED, "Driver gone begins", gone, driver="gone")

    clone.store.apply(register)
    head = git(project.repo, "rev-parse", "HEAD")
    clean, dirty = clone.trees.acquire("b9/1/0", head, None), clone.trees.acquire("b9/2/0", head, None)
    clean_path, dirty_path = getattr(clean, "path"), getattr(dirty, "path")  # noqa: B009 - either answer would show
    (dirty_path / "README.md").write_text("unsaved\n")
    before = project.refs()
    ended = project("doctor", "--json")
    codes = [check["code"] for check in ended.document["checks"] if check["level"] != "green"]
    assert codes == ["driver-stale", "worktree-orphan", "worktree-orphan"]
    assert project.refs() == before
    fixed = project("doctor", "--json", "--fix")
    assert "marked as lost" in fixed.err
    assert found(fixed) == {"worktree-orphan": "amber"}
    assert (clean_path.exists(), dirty_path.exists()) == (False, True)
    assert "unsaved" in (dirty_path / "README.md").read_text()


def test_what_judges_work_is_tried_on_the_target(project: Project, git: Git) -> None:
    """`--run`: setup, gates and suite in a tree of their own; the report goes beside it, and nothing is left."""
    text = (project.repo / "gitsched.toml").read_text().replace("[worktrees]", '[worktrees]\nsetup = [["true"]]')
    gates = '[[gates]]\nname = "{0}"\nrun = {1}\nevidence = "exit"\n'
    asks = gates.format("asks", '["no-such-program"]') + gates.format("slow", '["sleep", "60"]\ntimeout = "1s"')
    report = '[[gates]]\nname = "writes"\nrun = "sh -c \'echo > {report}\'"\nreport = "junit"\n'
    (project.repo / "gitsched.toml").write_text(f"{text}{asks}{report}")
    assert project("init").code == 0
    before = project.refs()
    told = [c["message"] for c in project("doctor", "--run", "--json").document["checks"] if c["code"] == "trial"]
    assert told == [
        "The setup 1 passes on the target.",
        "The gate asks fails on the target: it could not be started: No such file or directory.",
        "The gate slow fails on the target: it did not end within 1 s.",
        "The gate writes passes on the target.",
        "The suite passes on the target.",
    ]
    assert project.refs() == before
    assert not open_clone(project.repo).trees.owners()
    (project.repo / "gitsched.toml").write_text(text.replace('[["true"]]', '[["false"]]'))
    told = [c["message"] for c in project("doctor", "--run", "--json").document["checks"] if c["code"] == "trial"]
    assert told == ["The setup 1 fails on the target: it ended with 1."]


def test_what_lies_about_is_told(project: Project, git: Git) -> None:
    """A branch of ours that is nobody's is named, one of a batch is not; a delivery that waits tells since when."""
    project.issues(1)
    assert project("enqueue", 1, "--batch", "b1").code == 0
    git(project.repo, "branch", "gitsched/b7/m1-i7")
    inbox = InboxRef(project.repo, SystemClock())
    inbox.receive(Delivery(id="d1", event="push", received_at="2026-01-01T00:00:00.000Z"))
    told = {c["code"]: c for c in project("doctor", "--json").document["checks"]}
    assert (told["branch-orphan"]["level"], "gitsched/b7/m1-i7" in told["branch-orphan"]["message"]) == ("amber", True)
    assert (told["inbox-age"]["level"], "2026-01-01" in told["inbox-age"]["message"]) == ("amber", True)
    git(project.repo, "branch", "-D", "gitsched/b7/m1-i7")
    inbox.settle({"d1": "nothing to do"})
    told = {c["code"]: c for c in project("doctor", "--json").document["checks"]}
    assert (told["branch-orphan"]["level"], told["inbox-age"]["level"]) == ("green", "green")


def test_a_machine_with_a_battery_is_told_from_one_with_a_mouse(tmp_path: Path) -> None:
    """By what the kernel says of its supplies; without a word of it nothing is said."""
    assert not has_battery(tmp_path / "nowhere")
    mouse = tmp_path / "hidpp"
    mouse.mkdir()
    (mouse / "type").write_text("Battery\n")
    (mouse / "scope").write_text("Device\n")
    assert not has_battery(tmp_path)
    (tmp_path / "BAT0").mkdir()
    (tmp_path / "BAT0/type").write_text("Battery\n")
    assert has_battery(tmp_path)


@pytest.mark.parametrize("code", [0, 3])
def test_an_agent_that_is_known_is_asked_whether_it_answers(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int
) -> None:
    """`--run` asks for its version: that it is on PATH says nothing of whether it can be started."""
    program = tmp_path / "codex"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit {code}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    file = project.repo / "gitsched.toml"
    file.write_text(re.sub(r"^default = .*$", 'default = "codex"', file.read_text(), count=1, flags=re.MULTILINE))
    told = [c["message"] for c in project("doctor", "--run", "--json").document["checks"] if c["code"] == "trial"]
    assert told[0] == (
        "The agent's `codex --version` passes on the target."
        if code == 0
        else "The agent's `codex --version` fails on the target: it ended with 3."
    )
