"""`gitsched logs` and the followed log: what an agent printed, for people."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from gitsched.wiring.clone import open_clone
from tests.cli.calling import AGENT, Project

NOISY = """\
printf '\\033[31mred\\033[0m word\\n'
i=0
while [ $i -lt 10000 ]; do printf '\\rstep %d' $i; i=$((i + 1)); done
printf '\\nlast\\n'
"""


def test_colour_is_stripped_for_display_and_kept_raw(project: Project) -> None:
    """I-19: a coloured log whose line is rewritten 10,000 times; `--gen 0` shows only gen 0."""
    project.agent(NOISY + AGENT)
    project.issues(1)
    assert project("run", 1).code == 0
    shown = project("logs", 1).out.splitlines()
    assert shown[:3] == ["red word", "step 9999", "last"]
    assert project("logs", "1", "--gen", "0").out.splitlines() == shown
    batch = project.status()["batches"][0]["id"]
    assert b"\x1b[31mred" in open_clone(project.repo).store.evidence(batch)["runs/1/0/log"]
    assert project("logs", "1", "--gen", "1").code == 1


def test_follow_shows_lines_as_they_come_and_ends_with_the_run(project: Project) -> None:
    """I-19: `--follow` shows a slow run to its end."""
    go = project.home / "go"
    project.agent(f"echo early\nwhile [ ! -e '{go}' ]; do sleep 0.05; done\necho late\n" + AGENT)
    project.issues(1)
    driving = _started(project, "run", "1", "-q", out=subprocess.DEVNULL)
    try:
        _once(lambda: project("logs", "1").out.startswith("early"), driving)
        following = _started(project, "logs", "1", "--follow")
        assert following.stdout is not None
        assert following.stdout.readline() == b"early\n"
        go.touch()
        rest, _ = following.communicate(timeout=30)
        assert rest.splitlines()[0] == b"late"
        assert following.returncode == 0
    finally:
        go.touch()
        assert driving.wait(60) == 0


def test_a_followed_log_shows_an_event_at_once(project: Project) -> None:
    """I-10: `--follow` shows an event within a second."""
    project("init")
    following = _started(project, "log", "--json", "--follow")
    try:
        assert following.stdout is not None
        assert b'"initialised"' in following.stdout.readline()
        took_s = []
        for verb, event in (("pause", b'"paused"'), ("resume", b'"resumed"'), ("pause", b'"paused"')):
            project(verb)
            before_s = time.monotonic()
            assert event in following.stdout.readline()
            took_s.append(time.monotonic() - before_s)
        assert min(took_s) < 1, "the quickest of three, for this machine may be busy"
    finally:
        following.terminate()
        following.communicate(timeout=30)


def _started(project: Project, *words: str, out: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), *words]
    return subprocess.Popen(argv, stdout=out, stderr=subprocess.DEVNULL)


def _once(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if holds():
            return
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        pytest.fail("the run ended too early")
    pytest.fail("it did not come to that within 30 s")
