"""On a terminal: colour, a picture that is drawn in place, and Ctrl-C; nowhere else."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli.calling import Project

PATIENCE_S = 60.0


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Give both ends of a pseudo-terminal."""
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)


def shown(project: Project, *words: str, **environment: str) -> tuple[int, str]:
    """Run gitsched with both outputs on a terminal, and give its exit code and what was shown."""
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), *words]
    with terminal() as (ours, theirs):
        env = {**os.environ, "TERM": "xterm-256color", **environment}
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        text = b"".join(_read(ours))
        return process.wait(PATIENCE_S), text.decode()


def _read(end: int) -> Iterator[bytes]:
    while select.select([end], [], [], PATIENCE_S)[0]:
        try:
            chunk = os.read(end, 65_536)
        except OSError:  # Linux: the other end is closed
            return
        if not chunk:
            return
        yield chunk
    pytest.fail("nothing more was shown, and it did not end")


def test_a_run_is_drawn_in_place_on_a_terminal(project: Project) -> None:
    project.issues(2)
    code, text = shown(project, "run", "1", "2")
    assert code == 0
    assert "member-landed" in text
    assert "of 2 slots live" in text
    assert "\x1b[" in text


def test_a_plain_terminal_gets_a_line_for_each_event(project: Project) -> None:
    """I-02: progress is for terminals; one that cannot be drawn on gets no code."""
    project.issues(1)
    code, text = shown(project, "run", "1", TERM="dumb")
    assert code == 0
    assert "member-landed" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("environment", "has_colour"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str
)
def test_colour_is_for_terminals_that_want_it(project: Project, environment: dict[str, str], has_colour: bool) -> None:
    """I-02: NO_COLOR is honoured, and colour goes to a terminal only."""
    project.issues(1)
    project("enqueue", 1)
    code, text = shown(project, "status", **environment)
    assert code == 0
    assert ("\x1b[" in text) is has_colour
    assert "#1" in text
