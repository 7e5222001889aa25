"""P13: a year of work: 100,000 transactions, then an idle tick, a cold status, a new clone's fetch, and `gc`.

    python benchmarks/history.py [--transactions 100000] [--entries 1000] [--rounds 7]

The year is written by git's own importer, a priority changed in each commit, the last one a moment ago; that is 273 a
day. A repository like it without the year stands beside it, and the two are measured in turn: with the year, and after
`gitsched gc` has summed up what is older than 30 days.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from msgspec.structs import replace

from benchmarks.figures import Measured, tell
from benchmarks.ground import git
from benchmarks.idle import Idle
from benchmarks.status import STATUS, taken_s
from gitsched.codec.journal import message_of
from gitsched.codec.records import encode_record
from gitsched.domain.events import Claim, Event, EventName
from gitsched.domain.ids import STATE_REF
from gitsched.domain.instants import after, epoch_seconds
from gitsched.domain.state import State, record_path
from gitsched.wiring.clone import Clone

YEAR_S = 365 * 86_400.0
CLOSE = 1.5
FETCH_S = 2.0


def year(state: State, now: str, count: int) -> Iterator[bytes]:
    """Write that many transactions as git's importer reads them, each on the one before it."""
    entries = [entry for entry in state.entries_in_order() if entry.batch is None]
    yield b"feature done\nreset %s\nfrom %s^0\n\n" % (STATE_REF.encode(), STATE_REF.encode())
    for number in range(count):
        at = after(now, -YEAR_S * (1 - number / count))
        place = number % len(entries)
        entry = entries[place] = replace(entries[place], priority=number)
        event = Event(
            name=EventName.REPRIORITIZED,
            at=at,
            sentence=f"Give issue {entry.issue} priority {number}",
            issue=entry.issue,
            fields={"before": number - len(entries), "priority": number},
            claims={record_path(entry): Claim()},
        )
        message, record = message_of([event]).encode(), encode_record(entry)
        who = b"ada <ada@gitsched> %d +0000" % epoch_seconds(at)
        yield b"commit %s\nauthor %s\ncommitter %s\ndata %d\n%s" % (STATE_REF.encode(), who, who, len(message), message)
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (record_path(entry).encode(), len(record), record)
    yield b"done\n"


class Place:
    """One repository, measured again and again."""

    def __init__(self, home: Path, entries: int) -> None:
        home.mkdir()
        self.idle = Idle(home, entries)
        self.home = home
        self.repository = self.idle.ground.repository

    def write(self, count: int) -> float:
        """Add the year and say how long that took."""
        clone, began = Clone(self.repository), time.perf_counter()
        command = ["git", "fast-import", "--quiet", "--done"]
        with subprocess.Popen(command, cwd=self.repository, stdin=subprocess.PIPE) as importer:
            assert importer.stdin is not None
            importer.stdin.writelines(year(clone.store.read(), clone.clock.now(), count))
        assert importer.returncode == 0
        self.idle.settle()
        return time.perf_counter() - began

    def fetch_s(self, *words: str) -> tuple[float, int]:
        """Measure a new clone's fetch of the state; seconds, and KiB that it holds then."""
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            git(Path(folder), "init", "-q", "--bare")
            began = time.perf_counter()
            source = self.repository.as_uri()
            git(Path(folder), "fetch", "-q", *words, source, f"{STATE_REF}:{STATE_REF}")
            taken = time.perf_counter() - began
            counted = dict(line.split(": ") for line in git(Path(folder), "count-objects", "-v").splitlines())
            return taken, int(counted["size"]) + int(counted["size-pack"])

    def gc_s(self) -> float:
        """Measure `gitsched gc`."""
        return taken_s([sys.executable, "-m", "gitsched", "gc"], self.repository)


def told_beside(one: Place, fresh: Place, when: str, rounds: int) -> None:
    """Measure tick and status in both, in turn, and show them beside each other; the first round warms the system."""
    ticks: dict[Place, list[float]] = {one: [], fresh: []}
    starts: dict[Place, list[float]] = {one: [], fresh: []}
    for turn in range(rounds + 1):
        for place in (one, fresh):
            tick_s, status_s = place.idle.measure_s()[0], taken_s(STATUS, place.repository)
            if turn:
                ticks[place].append(tick_s * 1000)
                starts[place].append(status_s)
    target = f"<= {CLOSE} x the fresh one"
    for name, unit, found in (("idle tick", "ms", ticks), ("cold status", "s", starts)):
        value, least = statistics.median(found[one]), statistics.median(found[fresh])
        tell(f"P13 {name} {when}", Measured(value, unit, least), target, met=value <= CLOSE * least)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--transactions", type=int, default=100_000)
    asked.add_argument("--entries", type=int, default=1_000)
    asked.add_argument("--rounds", type=int, default=7)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitsched-history-") as folder:
        one, fresh = (Place(Path(folder) / name, options.entries) for name in ("year", "fresh"))
        written_s = one.write(options.transactions)
        told_beside(one, fresh, "with a year of history", options.rounds)
        for how, words in (("whole", ()), ("shallow", ("--depth=1",))):
            (taken, size), (least_s, _) = one.fetch_s(*words), fresh.fetch_s(*words)
            met = how == "whole" or taken <= FETCH_S
            target = f"<= {FETCH_S:g} s" if how == "shallow" else "told"
            tell(f"P13 {how} fetch by a new clone", Measured(taken, "s", least_s), target, met=met, kib=size)
        tell("P13 gitsched gc", Measured(one.gc_s(), "s", written_s), "told; beside writing the year", met=True)
        left = int(git(one.repository, "rev-list", "--count", STATE_REF))
        (taken, size), (least_s, _) = one.fetch_s(), fresh.fetch_s()
        met = taken <= FETCH_S
        tell("P13 whole fetch after gc", Measured(taken, "s", least_s), "<= 2 s", met=met, kib=size, commits=left)
        told_beside(one, fresh, "after gc", options.rounds)
        for place in (one, fresh):
            place.idle.close()


if __name__ == "__main__":
    main()
