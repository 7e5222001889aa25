"""P5: an agent ends, its member is verified and lands, the next agent starts: the engine's share of that time.

    python benchmarks/reaction.py [--members 24] [--files 1000] [--profile FILE]

An issue by itself keeps one of two slots; a batch goes through the other, member after member, so that each start
waits for the end before it and for nothing else. Each agent notes when it begins and ends. The share is the time from
end to beginning less what the processes' own starts take on the same machine in the same run: a worker that has loaded
what it needs and does nothing, and a shell for the agent. `interpreter` is what of that a bare interpreter takes.
"""

import argparse
import cProfile
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground

WORK_S = 0.25
ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-I", "-X", "utf8", "-c"]
TIME = "import time; print(time.time())"
WORKER = f"import sys; sys.path.append(sys.argv[1]); import gitsched.wiring.worker; {TIME}"
AGENT = """\
echo "$GITSCHED_ISSUE $EPOCHREALTIME" >> "{home}/began"
if [ "$GITSCHED_ISSUE" = {keeper} ]; then read -r _ < "{home}/over"; fi
echo "$GITSCHED_ISSUE" > "work$GITSCHED_ISSUE.txt"
git add -A && git commit -q -m "Work on $GITSCHED_ISSUE"
sleep {work_s}
if [ "$GITSCHED_ISSUE" = {last} ]; then echo > "{home}/over"; fi
echo "$GITSCHED_ISSUE $EPOCHREALTIME" >> "{home}/ended"
"""


def run_batch(home: Path, files: int, members: int) -> Ground:
    """Run a batch in one slot while an issue of its own, the last, keeps the other until all have ended."""
    subprocess.run(["mkfifo", str(home / "over")], check=True)
    agent = AGENT.format(home=home, keeper=members, last=members - 1, work_s=WORK_S)
    ground = Ground(home, files=files, slots=2, agent=agent)
    ground.open_issues(members)
    ground.enqueue([members], priority=10)
    ground.enqueue(range(1, members), batch="b1")
    ground.run()
    return ground


def started_ms(command: list[str]) -> float:
    """Measure how long a process takes until it tells the time, which is all that it does."""
    taken = []
    for _ in range(15):
        began = time.time()
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        taken.append((float(told) - began) * 1000)
    return statistics.median(taken)


def percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def reactions_ms(ground: Ground, keeper: int) -> list[float]:
    """Tell how long it took from each end to the next beginning."""
    began, ended = ground.noted("began"), ground.noted("ended")
    order = sorted((issue for issue in began if issue != keeper), key=lambda issue: began[issue])
    # The first reaction waits for the batch's own start as well.
    return [(began[after] - ended[before]) * 1000 for before, after in pairwise(order)][1:]


def profiled(act: Callable[[], Ground], file: str | None) -> Ground:
    if file is None:
        return act()
    watch = cProfile.Profile()
    found = watch.runcall(act)
    watch.dump_stats(file)
    return found


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--members", type=int, default=24)
    asked.add_argument("--files", type=int, default=1_000)
    asked.add_argument("--profile", help="write a profile of the driver to this file")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitsched-reaction-") as folder:
        home = Path(folder)
        interpreter = started_ms([*PYTHON, TIME])
        own = started_ms([*PYTHON, WORKER, str(ROOT)]) + started_ms(["bash", "-c", "echo $EPOCHREALTIME"])
        ground = profiled(lambda: run_batch(home, options.files, options.members), options.profile)
        taken = reactions_ms(ground, options.members)
        for percent, limit in ((50, 60.0), (99, 150.0)):
            share = percentile(taken, percent) - own
            tell(
                f"P5 reaction p{percent}, engine's share, {options.files} files",
                Measured(share, "ms", own),
                f"<= {limit:.0f} ms beyond the processes' own start",
                met=share <= limit,
                whole=round(share + own, 1),
                interpreter=round(interpreter, 1),
                samples=len(taken),
            )


if __name__ == "__main__":
    main()
