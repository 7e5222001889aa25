"""The ground that benchmarks of the whole engine stand on: a repository, agents that are shell scripts, a driver."""

import os
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.records import Control
from gitsched.engine.driver import Until
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.wiring.clone import Clone

PERSON = "ada"
WHO = b"Ann Author <ann@example.org> 1600000000 +0000\n"
FILES_PER_FOLDER = 100
CONFIG = """\
[project]
target = "main"

[slots]
max = {slots}

[agents]
default = "bench"
[agents.bench]
command = ["bash", "{home}/agent.sh"]
completion = "exit"
timeout = "6h"

[batch]
max_members = 64

[worktrees]
dir = "{home}/trees"

[suite]
run = ["true"]
evidence = "exit"

[ship]
merge = "direct"
"""


def settle_environment(home: Path) -> None:
    """Let nothing of this person's configuration count, for this process and all that it starts.

    Compiled code is kept, as it is for every installed package.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ |= {
        "PYTHONPYCACHEPREFIX": str(home / "compiled"),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def git(directory: Path, *words: str, stdin: bytes = b"") -> str:
    """Run git and give what it printed."""
    command = ["git", "-c", "gc.auto=0", *words]
    return subprocess.run(command, cwd=directory, input=stdin, capture_output=True, check=True).stdout.decode().strip()


def make_repository(repository: Path, files: int) -> None:
    """Write a repository of that many small files in one commit on main, checked out."""
    feed = [b"commit refs/heads/main\nauthor " + WHO + b"committer " + WHO + b"data 4\nbase\n"]
    for number in range(files):
        path = f"src/module{number // FILES_PER_FOLDER:04d}/file{number:06d}.py"
        text = b"".join(b"value_%d_%d = 1\n" % (number, line) for line in range(20))
        feed.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(text), text))
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    git(repository, "config", "user.name", "Ann Author")
    git(repository, "config", "user.email", "ann@example.org")
    git(repository, "fast-import", "--quiet", stdin=b"".join(feed))
    git(repository, "reset", "-q", "--hard")
    # As in a checkout that is older than a second: else git distrusts the index and reads all files at every look.
    time.sleep(1.1)
    (repository / ".git/index").touch()


def unguarded(step: Callable[[], None]) -> None:
    """Let whatever a step raises end the benchmark."""
    step()


class Ground:
    """A repository with issues, one agent for all of them, and the engine."""

    def __init__(self, home: Path, *, files: int, slots: int, agent: str) -> None:
        """Make everything below the folder `home`; `agent` is a bash script, run in each member's tree."""
        self.home = home
        settle_environment(home)
        self.repository = home / "repository"
        make_repository(self.repository, files)
        (home / "agent.sh").write_text(agent)
        (self.repository / "gitsched.toml").write_text(CONFIG.format(home=home, slots=slots))
        (self.repository / ".git/info/exclude").write_text("gitsched.toml\n")
        Clone(self.repository).store.initialise(Control(slots_max=slots))

    def open_issues(self, count: int) -> None:
        """Open issues 1 to `count`."""
        clone = Clone(self.repository)
        tracker = Tracker(self.repository / ".git", clone.clock, PERSON)
        tracker.import_issues((f"{number}.md", f"# Issue {number}\n") for number in range(1, count + 1))

    def enqueue(self, issues: Iterable[int], batch: str | None = None, priority: int | None = None) -> None:
        """Enqueue issues, in that batch or alone."""
        clone = Clone(self.repository)
        request = EnqueueRequest(issues=tuple(issues), batch=batch, solo=batch is None, priority=priority)
        enqueue(clone.store, clone.forge, clone.settings, request, PERSON)

    def run(self) -> None:
        """Drive until nothing can move any more."""
        Clone(self.repository).driver(unguarded).run(Until.IDLE)

    def events(self, name: str) -> dict[int, str]:
        """By issue: when the last event of this name was."""
        entries = reversed(list(Clone(self.repository).store.history()))
        found = (event for entry in entries for event in entry.events if str(event.name) == name)
        return {event.issue: event.at for event in found if event.issue is not None}

    def noted(self, file: str) -> dict[int, float]:
        """By issue: what agents wrote into a file as `issue seconds`."""
        lines = (line.split() for line in (self.home / file).read_text().splitlines())
        return {int(issue): float(second) for issue, second in lines}
