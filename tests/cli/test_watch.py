"""The live view as a process: drawn on a terminal, fresh screens elsewhere, ended by Ctrl-C."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.calling import Project
from tests.cli.test_terminal import PATIENCE_S, terminal


@contextmanager
def watching(project: Project, *words: str, **streams: int) -> Iterator[subprocess.Popen[str]]:
    """Start the live view; it has ended at the end, whatever happens."""
    argv = [sys.executable, "-m", "gitsched", "-C", str(project.repo), "watch", "--all", *words]
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(argv, env={**env, "TERM": "xterm-256color"}, text=True, **streams)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)


def size(end: int, rows: int, columns: int) -> None:
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read_until(end: int, wanted: bytes) -> bytes:
    seen = b""
    for chunk in _chunks(end):
        seen += chunk
        if wanted in seen:
            return seen
    raise AssertionError(f"{wanted!r} was never shown: {seen!r}")


def _chunks(end: int) -> Iterator[bytes]:
    while chunk := os.read(end, 65_536):
        yield chunk


def test_on_a_terminal_it_follows_the_size_and_ends_by_ctrl_c(project: Project) -> None:
    project.issues(1)
    project("enqueue", 1)
    with terminal() as (ours, theirs):
        size(theirs, 24, 80)
        with watching(project, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            assert b"\x1b[?1049h" in read_until(ours, b"Issue 1")
            size(ours, 5, 40)
            process.send_signal(signal.SIGWINCH)
            read_until(ours, b"more lines")
            process.send_signal(signal.SIGINT)
            read_until(ours, b"\x1b[?1049l")
            assert process.wait(PATIENCE_S) == 0


def test_into_a_pipe_it_writes_a_fresh_screen_for_every_change(project: Project) -> None:
    project.issues(2)
    project("enqueue", 1)
    with watching(project, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert next(line for line in process.stdout if "#1" in line)
        project("enqueue", 2)
        assert next(line for line in process.stdout if "#2" in line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, err) == (0, "")
        assert "\x1b" not in out


def test_for_machines_it_writes_a_document_on_each_line(project: Project) -> None:
    """I-02: the document of `status`, again whenever something has changed."""
    project.issues(1)
    project("enqueue", 1)
    with watching(project, "--json", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == project("status", "--all", "--json").document
        project("pause")
        assert json.loads(process.stdout.readline())["paused"] is True
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S)[0] == ""
