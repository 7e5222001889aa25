"""P8: rival writers on one remote, over a folder, git's daemon and smart HTTP, beside one writer alone.

A host is a clone with writers of its own, each a process. Every update of every writer must be there in the end. Beside
each rate stands where the time went: pushes that won and lost, fetches, and the processor time of writers, of their git
processes and of the server, which all run on this machine.
"""

import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from msgspec.structs import replace

from benchmarks.figures import Measured, tell
from benchmarks.ground import git, make_repository, settle_environment
from gitsched.adapters.clock import SystemClock
from gitsched.adapters.git.push_report import PushAnswer
from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.budget import Budget
from gitsched.adapters.store.shared import SharedStore
from gitsched.domain.events import EventName
from gitsched.domain.outcomes import Applied, Unreachable
from gitsched.domain.records import Control, Entry
from gitsched.domain.state import Draft, RefMove
from gitsched.domain.words import EntryStatus
from gitsched.errors import TemporaryError
from tests.remotes.serving import git_daemon, smart_http

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
ENTRIES = 256
BUDGET_SECONDS = 75.0

Served = Callable[[Path], AbstractContextManager[str]]
SERVERS: dict[str, Served] = {
    "folder": lambda root: nullcontext(f"{root}/"),
    "daemon": git_daemon,
    "smart HTTP": smart_http,
}


class Counting(Remote):
    """A remote that counts what it is asked for, and how long that takes."""

    def __init__(self, clone: Path) -> None:
        """Stand on a clone."""
        super().__init__(clone / ".git", "origin", "main")
        self.counts: Counter[str] = Counter()

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        """Count a push by its answer."""
        began_s = time.perf_counter()
        answer = super().push(moves)
        self.counts[type(answer).__name__] += 1
        self.counts["push_ms"] += round((time.perf_counter() - began_s) * 1000)
        return answer

    def fetch(self) -> Unreachable | None:
        """Count a fetch."""
        began_s = time.perf_counter()
        away = super().fetch()
        self.counts["fetches"] += 1
        self.counts["fetch_ms"] += round((time.perf_counter() - began_s) * 1000)
        return away


def opened(clone: Path, driver: str, budget: int = 0, remote: Remote | None = None) -> SharedStore:
    """Open the store of a clone."""
    remote, clock = remote or Remote(clone / ".git", "origin", "main"), SystemClock.of_environment()
    return SharedStore(clone, clock, remote, driver, budget=lambda: Budget(budget))


def prepared(home: Path) -> Path:
    """Make a remote whose state has entries."""
    make_repository(home / "first", 10)
    git(home, "clone", "-q", "--bare", "first", "remote.git")
    git(home / "first", "remote", "add", "origin", str(home / "remote.git"))
    store = opened(home / "first", "setup")
    store.initialise(Control())

    def fill(draft: Draft) -> None:
        for issue in range(1, ENTRIES + 1):
            entry = Entry(issue=issue, title=f"Issue {issue}", status=EntryStatus.QUEUED)
            draft.note(EventName.ENQUEUED, f"Enqueued {issue}.", entry, issue=issue)

    store.apply(fill)
    return home / "remote.git"


def raise_one(issue: int) -> Callable[[Draft], None]:
    """Add one to an issue's priority: a lost update shows in the sum."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries[issue]
        changed = replace(entry, priority=entry.priority + 1)
        draft.note(EventName.REPRIORITIZED, f"Raised {issue}.", changed, issue=issue)

    return intent


class Load(NamedTuple):
    """How many write, and how."""

    hosts: int
    writers: int
    budget: int = 0
    seconds: float = SECONDS


def write_on(clone: Path, number: int, load: Load, start: object, answers: object) -> None:
    """Write until time is up, and tell how long each transaction took."""
    start.wait()  # for all others: whoever is forked while a request is served would keep its pipes open
    remote = Counting(clone)
    store, taken, busy = opened(clone, f"w{number}.{clone.name[-1]}", load.budget, remote), [], 0
    store.catch_up()
    store.read()
    remote.counts.clear()
    before = spent_s()
    start.wait()
    ends_s = time.perf_counter() + load.seconds
    while time.perf_counter() < ends_s:
        began_s = time.perf_counter()
        try:
            done = store.apply(raise_one(1 + (number * 31 + len(taken)) % ENTRIES))
        except TemporaryError:
            busy += 1
            continue
        assert isinstance(done, Applied)
        taken.append(time.perf_counter() - began_s)
    own_s, git_s = spent_s()
    remote.counts["writers_cpu_ms"] = round((own_s - before[0]) * 1000)
    remote.counts["git_cpu_ms"] = round((git_s - before[1]) * 1000)
    answers.put((taken, busy, remote.counts))


def spent_s() -> tuple[float, float]:
    """Tell the processor time of this process, and of its children that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def rate(home: Path, served: str, load: Load) -> float:
    """Let so many hosts with so many writers each write at once; print what they did, and give it for each second."""
    context = multiprocessing.get_context("fork")
    clones = [home / f"clone-{time.monotonic_ns()}-{number}" for number in range(load.hosts)]
    for clone in clones:
        git(home, "clone", "-q", f"{served}remote.git", clone.name)
    before = total(home)
    start, answers = context.Barrier(load.hosts * load.writers + 1), context.Queue()
    crowd = [
        context.Process(target=write_on, args=(clones[number // load.writers], number, load, start, answers))
        for number in range(load.hosts * load.writers)
    ]
    for one in crowd:
        one.start()
    start.wait()  # all are there
    start.wait()  # all have caught up
    began_s, before_s = time.perf_counter(), sum(spent_s())
    found = [answers.get() for _ in crowd]
    took_s, server_s = time.perf_counter() - began_s, sum(spent_s()) - before_s
    for one in crowd:
        one.join()
    count = sum(len(taken) for taken, *_ in found)
    assert total(home) - before == count, "an update was lost"
    worst = max(
        (statistics.quantiles(taken, n=100)[-1] / statistics.median(taken) for taken, *_ in found if len(taken) > 3),
        default=0.0,
    )
    note = {
        "hosts": load.hosts,
        "writers": load.writers,
        "transactions": count,
        "fewest": min(len(taken) for taken, *_ in found),
        "most": max(len(taken) for taken, *_ in found),
        "busy": sum(busy for _, busy, _ in found),
        "worst p99 / median": round(worst, 1),
        **told(sum((counts for *_, counts in found), Counter()), count, round(server_s * 1000)),
    }
    print(json.dumps({"note": f"{served}", **note}), flush=True)
    for clone in clones:
        rmtree(clone)
    return count / took_s


def told(counts: Counter[str], count: int, server_ms: int) -> dict[str, float]:
    """Tell where the time went."""
    won, lost = counts["Pushed"], counts["RaceLost"]
    return {
        "pushes won": won,
        "lost": lost,
        "fetches": counts["fetches"],
        "transactions / push won": round(count / max(1, won), 1),
        "ms / push": round(counts["push_ms"] / max(1, won + lost)),
        "ms / fetch": round(counts["fetch_ms"] / max(1, counts["fetches"])),
        "processor ms / transaction, writers": round(counts["writers_cpu_ms"] / max(1, count), 1),
        "their git": round(counts["git_cpu_ms"] / max(1, count), 1),
        "server": round(server_ms / max(1, count), 1),
    }


def total(home: Path) -> int:
    """Add up what all have raised."""
    store = opened(home / "first", "reader")
    store.catch_up()
    return sum(entry.priority for entry in store.read().entries.values())


def over(home: Path, transport: str) -> None:
    """Measure one transport."""
    with SERVERS[transport](home) as served:
        alone = rate(home, served, Load(1, 1))
        for hosts, writers in ((2, 1), (8, 1), (1, 32), (8, 32)):
            found = rate(home, served, Load(hosts, writers))
            wanted = 150.0 if (hosts, writers) == (8, 32) and transport == "smart HTTP" else 0.0
            target = f">= {wanted:g}/s" if wanted else "no update lost"
            name = f"P8 {transport}, {hosts} hosts x {writers} writers"
            tell(name, Measured(found, "1/s", alone), target, met=found >= wanted)


def within_a_budget(home: Path) -> None:
    """Count what leaves in any minute when there is always something to push."""
    log = home / "remote.git" / "pushes"
    hook = home / "remote.git" / "hooks" / "post-receive"
    hook.write_text(f"#!/bin/sh\ndate +%s.%N >> {log}\n")
    hook.chmod(0o755)
    rate(home, f"{home}/", Load(1, 8, budget=6, seconds=BUDGET_SECONDS))
    pushed = [float(line) for line in log.read_text().split()]
    most = max(sum(at <= one < at + 60 for one in pushed) for at in pushed)
    tell("P8 pushes in any minute, budget 6", Measured(most, "pushes", 6.0), "<= 6", met=most <= 6)


def main() -> None:
    """Measure all."""
    home = Path(tempfile.mkdtemp(prefix="gitsched-bench-"))
    try:
        settle_environment(home)
        prepared(home)
        for transport in SERVERS:
            over(home, transport)
        within_a_budget(home)
    finally:
        rmtree(home)


if __name__ == "__main__":
    main()
