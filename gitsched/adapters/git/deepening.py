"""Deepen a checkout that a job was given: its whole history, and the target branch by its own name."""

import shlex
import sys
from pathlib import Path

from gitsched.adapters.git.process import engine_git
from gitsched.domain.ids import branch_ref
from gitsched.errors import TemporaryError

_LIMIT_S = 600.0


def deepen(common: Path, remote: str, target: str) -> None:
    """Fetch what is missing from the remote. Raises TemporaryError where that gives no answer.

    Git asks `gitsched credential` for the token, which stands in this process's environment alone.
    """
    git = engine_git(common)
    git.run("config", "credential.helper", f"!{shlex.quote(sys.executable)} -m gitsched credential")
    words = ["--unshallow"] if (common / "shallow").is_file() else []
    if not git.run("rev-parse", "--verify", "--quiet", branch_ref(target), check=False).ok:
        words.append(f"+{branch_ref(target)}:{branch_ref(target)}")
    if not words:
        return
    options = [word for word in words if word.startswith("--")]
    done = git.run("fetch", "--no-tags", *options, remote, *words[len(options) :], timeout_s=_LIMIT_S, check=False)
    if not done.ok:
        raise TemporaryError(f"'{remote}' was asked for the history.", done.complaint(), "Run the job again.")
