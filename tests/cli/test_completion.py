"""Completion: real shells read what is printed, and are offered what there is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_it(shell: str, tmp_path: Path) -> None:
    ended = call("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert "_GITSCHED_COMPLETE" in ended.out
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    script = tmp_path / "script"
    script.write_text(ended.out)
    subprocess.run([shell, "-n", str(script)], check=True)


@pytest.mark.parametrize(
    ("words", "at", "offered"),
    [
        ("gitsched sta", 1, {"stats", "status"}),
        ("gitsched issue n", 2, {"new"}),
        ("gitsched report --n", 2, {"--night"}),
    ],
)
def test_verbs_and_options_are_offered(words: str, at: int, offered: set[str]) -> None:
    asked = {"_GITSCHED_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    command = [sys.executable, "-c", "from gitsched.cli.main import main; main()"]
    ended = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert {line.partition(",")[2] for line in ended.stdout.split()} == offered


def test_an_unknown_shell_is_refused() -> None:
    ended = call("completion", "tcsh")
    assert (ended.code, ended.out, len(ended.sentences)) == (2, "", 3)
