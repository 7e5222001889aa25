"""P11: memory of a driver that ticks over a queue of 100,000 entries.

    python -m benchmarks.memory [--count 100000]

The queue is filled by one process, and driven by another, whose memory is looked at. The baseline is a driver of a
queue of 100 entries.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground, unguarded
from benchmarks.store import enqueue
from gitsched.engine.driver import Driver
from gitsched.engine.gather import Gatherer
from gitsched.engine.tick import tick
from gitsched.wiring.clone import Clone

MOST_MIB, STEP, SMALL, TICKS = 250.0, 10_000, 100, 5


def filled(home: Path, count: int) -> Ground:
    """Make a repository with a long queue that waits: nothing is dispatched while it is paused."""
    home.mkdir()
    ground = Ground(home, files=10, slots=1, agent="")
    subprocess.run([sys.executable, "-m", "gitsched", "pause"], cwd=ground.repository, check=True, stdout=sys.stderr)
    store = Clone(ground.repository).store
    for first in range(1, count + 1, STEP):
        store.apply(lambda draft, first=first: enqueue(draft, range(first, min(first + STEP, count + 1))))
    return ground


def drive(repository: Path) -> None:
    """Tick some times, and tell how much memory that took at most, in KiB."""
    clone = Clone(repository)
    driver = Driver(clone.surroundings(), clone.settings, unguarded)
    gatherer = Gatherer(driver.desk.around)
    for _ in range(TICKS):
        tick(driver.desk, gatherer, unguarded)
    status = Path("/proc/self/status").read_text().splitlines()
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))


def driven_mib(ground: Ground) -> float:
    """Drive in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.memory", "--drive", str(ground.repository)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024


def main() -> None:
    """Measure both."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=100_000)
    asked.add_argument("--drive", type=Path, help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.drive:
        drive(options.drive)
        return
    with tempfile.TemporaryDirectory(prefix="gitsched-memory-") as folder:
        small, large = (driven_mib(filled(Path(folder) / str(count), count)) for count in (SMALL, options.count))
    name = f"P11 memory of a driver, {options.count:,} entries"
    tell(name, Measured(large, "MiB", small), f"<= {MOST_MIB:g} MiB", met=large <= MOST_MIB)


if __name__ == "__main__":
    main()
