"""P6: how long a batch of 16 agents of known lengths takes in 4 slots, against the ideal list schedule of them.

    python benchmarks/makespan.py [--lengths 12.0,3.5,...]

The agents sleep. The ideal starts each in order as soon as a slot is free, at no cost; ours is the time from the first
agent's slot to the last member's landing.
"""

import argparse
import heapq
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground
from gitsched.domain.instants import seconds_between

SLOTS = 4
LENGTHS = (12.0, 3.5, 7.0, 5.5, 9.0, 4.0, 2.5, 11.0, 6.0, 3.0, 8.5, 5.0, 10.0, 2.0, 6.5, 4.5)
AGENT = """\
lengths=({lengths})
echo "$GITSCHED_ISSUE" > "work$GITSCHED_ISSUE.txt"
git add -A && git commit -q -m "Work on $GITSCHED_ISSUE"
exec sleep "${{lengths[GITSCHED_ISSUE - 1]}}"
"""


def ideal_s(lengths: tuple[float, ...], slots: int) -> float:
    """Tell when the last one ends if each begins, in order, the moment a slot is free."""
    free = [0.0] * slots
    for length in lengths:
        heapq.heapreplace(free, free[0] + length)
    return max(free)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--lengths", default=",".join(map(str, LENGTHS)), help="seconds, one for each member")
    lengths = tuple(float(length) for length in asked.parse_args().lengths.split(","))
    with tempfile.TemporaryDirectory(prefix="gitsched-makespan-") as folder:
        home = Path(folder)
        agent = AGENT.format(home=home, lengths=" ".join(map(str, lengths)))
        ground = Ground(home, files=1_000, slots=SLOTS, agent=agent)
        ground.open_issues(len(lengths))
        ground.enqueue(range(1, len(lengths) + 1), batch="b1")
        ground.run()
        first, last = min(ground.events("assigned").values()), max(ground.events("member-landed").values())
    taken, ideal = seconds_between(first, last), ideal_s(lengths, SLOTS)
    limit = 1.03 * ideal + 1
    target = f"<= 1.03 x ideal + 1 s = {limit:.2f} s"
    tell(
        f"P6 makespan, {len(lengths)} agents in {SLOTS} slots", Measured(taken, "s", ideal), target, met=taken <= limit
    )


if __name__ == "__main__":
    main()
