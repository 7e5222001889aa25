"""P2: a cold `gitsched status --json` as a process, against `python -c pass` and `git log -1`.

python benchmarks/status.py [--counts 10,10000] [--rounds 9]
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground

LIMITS_S = {10: 0.15, 10_000: 0.4}
STATUS = [sys.executable, "-m", "gitsched", "status", "--json"]


def taken_s(command: list[str], place: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def median_s(rounds: dict[str, list[float]], name: str) -> float:
    return statistics.median(rounds[name])


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--counts", default="10,10000")
    asked.add_argument("--rounds", type=int, default=9)
    options = asked.parse_args()
    for count in map(int, options.counts.split(",")):
        with tempfile.TemporaryDirectory(prefix="gitsched-status-") as folder:
            ground = Ground(Path(folder), files=10, slots=4, agent="true\n")
            ground.open_issues(count)
            ground.enqueue(range(1, count + 1))
            commands = {
                "status": STATUS,
                "python": [sys.executable, "-c", "pass"],
                "git": ["git", "log", "-1", "--format=%H"],
            }
            rounds: dict[str, list[float]] = {name: [] for name in commands}
            for turn in range(options.rounds + 1):
                for name, command in commands.items():
                    taken = taken_s(command, ground.repository)
                    if turn:  # the first warms what the system keeps
                        rounds[name].append(taken)
        value, python, git = (median_s(rounds, name) for name in ("status", "python", "git"))
        limit = LIMITS_S.get(count, 0.4)
        tell(
            f"P2 cold status --json, {count} entries",
            Measured(value, "s", python),
            f"<= {limit} s",
            met=value <= limit,
            git_log=round(git, 4),
        )


if __name__ == "__main__":
    main()
