"""Calling the command line in this process: arguments in; exit code, standard output and standard error out."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from gitsched.cli.main import run
from tests.real_git import run_git

CONFIG = """\
[project]
target = "main"

[slots]
max = 2

[agents]
default = "fake"
[agents.fake]
command = ["sh", "{agent}"]
completion = "{completion}"
timeout = "60s"

[worktrees]
dir = "{trees}"

[suite]
run = ["sh", "-c", "test ! -e broken"]
evidence = "exit"

[ship]
merge = "{merge}"
"""
AGENT = """\
echo "work of $GITSCHED_ISSUE" > "note-$GITSCHED_ISSUE.txt"
git add -A
git commit -q -m "Note issue $GITSCHED_ISSUE"
"""


class Ended(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def sentences(self) -> list[str]:
        return self.err.splitlines()


def call(*arguments: str | int | Path, stdin: str = "") -> Ended:
    """Run `gitsched` with these arguments."""
    out, err, before = _captured(), _captured(), sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
    return Ended(code, _text(out), _text(err))


def _captured() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(captured: io.TextIOWrapper) -> str:
    captured.seek(0)
    return captured.read()


class Project:
    """A real repository that is configured, with an agent of its own, and calls made in it."""

    def __init__(self, repo: Path, home: Path) -> None:
        self.repo, self.home = repo, home
        self.agent_file = home / "agent.sh"
        self.agent(AGENT)
        self.configure()

    def configure(self, more: str = "", *, merge: str = "direct", completion: str = "exit") -> None:
        """Write gitsched.toml; `more` is appended."""
        trees = self.home / "trees"
        text = CONFIG.format(agent=self.agent_file, trees=trees, merge=merge, completion=completion)
        (self.repo / "gitsched.toml").write_text(text + more)

    def agent(self, script: str) -> None:
        """Give the agent that script."""
        self.agent_file.write_text("set -e\n" + script)

    def at(self, folder: Path, *arguments: str | int | Path) -> Ended:
        """Call gitsched in another folder."""
        return call("-C", folder, *arguments)

    def __call__(self, *arguments: str | int | Path, stdin: str = "") -> Ended:
        """Call gitsched in the repository."""
        return call("-C", self.repo, *arguments, stdin=stdin)

    def issues(self, count: int) -> list[int]:
        """Make issues and give their numbers."""
        return [int(self("issue", "new", "--title", f"Issue {number}").out) for number in range(1, count + 1)]

    def refs(self) -> dict[str, str]:
        """List every ref, with what it points at."""
        lines = run_git(self.repo, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)

    def status(self) -> Any:
        """Read the status document, ended batches too."""
        return self("status", "--all", "--json").document
