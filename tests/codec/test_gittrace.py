"""What git writes down of its commands is read for where each worked, and how it ended."""

import os
import subprocess
from pathlib import Path

from gitsched.codec.gittrace import read_trace
from gitsched.domain.runs import GitCommand


def traced(folder: Path, trace: Path, *words: str) -> None:
    """Call git as an agent does."""
    env = {**os.environ, "GIT_TRACE2_EVENT": str(trace), "GIT_TRACE2_EVENT_BRIEF": "1"}
    subprocess.run(["git", *words], cwd=folder, env=env, check=False, capture_output=True)


def test_the_commands_of_a_run_are_listed(repo: Path, tmp_path: Path) -> None:
    """Each with its worktree and its end; what worked in none is left out."""
    trace, place = tmp_path / "trace", str(repo.resolve())
    traced(repo, trace, "-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", "One")
    traced(repo, trace, "switch", "nowhere")
    traced(tmp_path, trace, "version")
    assert read_trace(trace.read_bytes()) == (
        GitCommand(name="commit", worktree=place, code=0),
        GitCommand(name="switch", worktree=place, code=128),
    )


def test_what_is_torn_or_no_event_says_nothing() -> None:
    """An agent can write there as well."""
    torn = b'{"event":"def_repo","sid":"1","worktree":"/x"}\nx\n{"event":"cmd_name","sid":"1","name":"add"}\n'
    assert read_trace(torn) == (GitCommand(name="add", worktree="/x"),)
    assert read_trace(b'{"event":"def_repo","sid":"1","worktr\n{"event":"exit"}\n{"event":"exit","sid":"9"}') == ()
    assert read_trace(b"") == ()
