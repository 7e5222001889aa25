"""P1: what a tick costs that finds nothing to do, in a queue of 100 to 100,000 entries with 100 live batches.

    python benchmarks/idle.py [--counts 100,1000,10000] [--rounds 7]

The ticks are those of a driver: the same state, forge and runs are looked at as in any other. Two workers live for as
long as it takes; the members of 100 batches and all other entries wait for a slot.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground, unguarded
from gitsched.domain.words import LIVE_RUNS
from gitsched.engine.driver import Driver
from gitsched.engine.gather import Gatherer
from gitsched.engine.tick import tick
from gitsched.wiring.clone import Clone

BATCHES = 100
AGENT = """\
read -r _ < "{home}/over"
"""
TICKS = 20
STEP = 5_000


class Idle:
    """A driver of a full house: all slots taken, everybody else waiting."""

    def __init__(self, home: Path, count: int) -> None:
        os.mkfifo(home / "over")
        self.home = home
        self.ground = Ground(home, files=10, slots=2, agent=AGENT.format(home=home))
        self.ground.open_issues(count)
        for number in range(1, BATCHES + 1):
            self.ground.enqueue([number], batch=f"b{number}")
        for first in range(BATCHES + 1, count + 1, STEP):
            self.ground.enqueue(range(first, min(first + STEP, count + 1)))
        clone = Clone(self.ground.repository)
        self.driver = Driver(clone.surroundings(), clone.settings, unguarded)
        self.gatherer = Gatherer(self.driver.desk.around)
        self.settle()

    def settle(self) -> None:
        """Tick until all slots are taken and nothing is left to do."""
        state = self.driver.desk.state
        while True:
            self.tick()
            state = self.driver.desk.state
            if sum(lease.status in LIVE_RUNS for lease in state.leases.values()) == 2 and not self.tick():
                return

    def tick(self) -> int:
        return tick(self.driver.desk, self.gatherer, unguarded).performed_count

    def measure_s(self) -> tuple[float, float]:
        """Tell seconds of time and of computing for one tick."""
        began, computed = time.perf_counter(), time.process_time()
        for _ in range(TICKS):
            assert self.tick() == 0
        return (time.perf_counter() - began) / TICKS, (time.process_time() - computed) / TICKS

    def close(self) -> None:
        """Let the agents end."""
        pipe = os.open(self.home / "over", os.O_RDWR)
        os.write(pipe, b"\n\n")
        time.sleep(0.5)
        os.close(pipe)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--counts", default="100,1000,10000", help="lengths of the queue; 100000 takes minutes to fill")
    asked.add_argument("--rounds", type=int, default=7)
    options = asked.parse_args()
    counts = [int(count) for count in options.counts.split(",")]
    with tempfile.TemporaryDirectory(prefix="gitsched-idle-") as folder:
        idles = {}
        for count in counts:
            (home := Path(folder) / str(count)).mkdir()
            idles[count] = Idle(home, count)
        taken: dict[int, list[tuple[float, float]]] = {count: [] for count in counts}
        for _ in range(options.rounds):
            for count, one in idles.items():
                taken[count].append(one.measure_s())
        for one in idles.values():
            one.close()
    medians = {count: statistics.median(wall for wall, _ in found) * 1000 for count, found in taken.items()}
    for count, value in medians.items():
        least = medians[counts[0]]
        computed = statistics.median(cpu for _, cpu in taken[count]) * 1000
        met = value <= 5 and value <= 1.5 * least
        target = "<= 5 ms, <= 1.5 x the shortest queue"
        tell(f"P1 idle tick, {count} entries", Measured(value, "ms", least), target, met=met, cpu_ms=round(computed, 3))


if __name__ == "__main__":
    main()
