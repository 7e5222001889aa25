"""A command that is tried once, on a person's word: how it ended, and nothing of what it printed."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def trial(argv: Sequence[str], env: Mapping[str, str], place: Path, timeout_s: float) -> str | None:
    """Run a command in a folder; None: it ended with 0, else what was wrong. What it started ends with it."""
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            argv, cwd=place, env=env, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError as wrong:
        return f"it could not be started: {wrong.strerror}"
    try:
        code = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return f"it did not end within {timeout_s:g} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return None if code == 0 else f"it ended with {code}"
