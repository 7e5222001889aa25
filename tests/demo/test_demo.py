"""The demo, played as a person would."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsched.cli.demo.fates import BATCH, LEFT, differences
from gitsched.cli.demo.leftovers import end_processes, processes_on
from gitsched.cli.demo.stage import Stage

DEMO = [sys.executable, "-m", "gitsched", "demo"]


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "stage")


@pytest.mark.long
def test_the_demo_ships_evicts_and_leaves_a_report_alone(hermetic: Path, tmp_path: Path) -> None:
    """I-18: a shipped batch, an evicted culprit and a report; nothing else touched, no process left."""
    before, began = files_below(hermetic), time.monotonic()
    # Not even its own name need be on PATH.
    bare = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin"}
    ended = subprocess.run(DEMO, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False)
    took_s, told = time.monotonic() - began, ended.stdout + ended.stderr
    assert ended.returncode == 0, told
    # The minute is that of a machine with nothing else to do; tests share theirs with other tests.
    assert took_s < 60 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert "All went as it should" in ended.stdout
    (made,) = [path for path in (hermetic / "tmp").iterdir() if path.name.startswith("gitsched-demo-")]
    report = made / "report.html"
    assert f"Report: {report}" in ended.stdout
    assert "<title>Batch b1</title>" in report.read_text()
    touched = files_below(hermetic) - before
    assert touched == {str(path.relative_to(hermetic)) for path in (made, report)}
    assert list(tmp_path.iterdir()) == []
    for issue, fate in LEFT.items():
        (row,) = [line for line in ended.stdout.splitlines() if line.startswith(f"#{issue} ") and fate.kind in line]
        assert all(evidence in row for evidence in fate.evidence)
    events = [line.split()[1] for line in ended.stderr.splitlines() if line[:2].isdigit()]
    assert events.count("member-landed") == 8  # seven ship, and one had landed before the suite named it


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine\n")
    ended = subprocess.run([*DEMO, "--keep", "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "There is something already." in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_play_that_did_not_happen_differs_in_everything(stage: Stage) -> None:
    """The demo's own judge is no rubber stamp: without a run it misses each issue, each exit, the commits, the tree."""
    base = stage.build()
    stage.gitsched("issue", "import", *stage.issue_files())
    stage.gitsched("enqueue", *map(str, BATCH))
    found = list(differences(stage, base, 0))
    assert "`gitsched run` ended with 0; where something was evicted it ends with 1" in found
    assert {f"issue {issue} should have left" for issue in LEFT} <= set(found)
    assert sum(sentence.startswith("issue ") and "its member" in sentence for sentence in found) == 11
    assert any(sentence.startswith("the target should hold") for sentence in found)
    assert any(sentence.startswith("the target's files") for sentence in found)
    stage.clear(keeps_repo=True)
    assert [path.name for path in stage.folder.iterdir()] == ["repo"]
    stage.clear(keeps_repo=False)
    assert not stage.folder.exists()


def test_what_still_runs_on_the_stage_is_ended(stage: Stage) -> None:
    sleeper = subprocess.Popen(["sleep", "600"], env={**stage.environment}, start_new_session=True)
    assert [process.pid for process in processes_on(stage, patience_s=0)] == [sleeper.pid]
    end_processes(stage)
    assert processes_on(stage) == []
    assert sleeper.poll() is not None


def test_every_patch_of_the_demo_is_its_agents_own(stage: Stage) -> None:
    """Each agent's patches apply to the first commit, but for the one that waits for the batch."""
    stage.build()
    for issue in range(1, 11):
        for patch in stage.patches(issue):
            stage.git("apply", "--index", str(patch))
        assert bool(stage.git("diff", "--cached", "--name-only")) == (issue != 8)
        stage.git("reset", "--quiet", "--hard")


@pytest.mark.long
def test_an_interrupted_demo_ends_with_its_agents(hermetic: Path) -> None:
    """A Ctrl-C in the middle: what runs ends, nothing is kept, and the exit code says so."""
    with subprocess.Popen(
        DEMO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as it:
        assert it.stderr is not None
        assert any(" spawned " in line for line in it.stderr)
        os.killpg(it.pid, signal.SIGINT)
        _, told = it.communicate(timeout=60)
    assert it.returncode == 130, told
    assert "Interrupted" in told
    assert not list((hermetic / "tmp").glob("gitsched-demo-*"))
