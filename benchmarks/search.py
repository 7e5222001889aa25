"""P7 on real repositories: what it takes to find one culprit among n, counted by the suite itself.

    python benchmarks/search.py [--sizes 4,8,16] [--slots 1,4]

Each batch has one member that breaks one of fifty tests, and nothing points at it. The suite writes down each of its
runs: how many tests, and how long. Beside it stands what the simulator counts for the same batch; the baseline is the
suite run once for each member.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.ground import Ground, git
from benchmarks.simulation import one_culprit, ours
from gitsched.domain.words import BatchStatus
from gitsched.wiring.clone import Clone

TESTS = 50
AGENT = (
    'echo "$GITSCHED_ISSUE" > "work$GITSCHED_ISSUE.txt" && git add -A && git commit -q -m "Work on $GITSCHED_ISSUE"\n'
)
SUITE = """\
report=$1; shift
[ $# -gt 0 ] || set -- $(seq -f test%g {tests})
began=$(date +%s%N); code=0
echo '<testsuite>' > "$report"
for name in "$@"; do
    sleep 0.02; inner=''
    if [ "$name" = test7 ] && [ -e work{culprit}.txt ]; then inner='<failure message="no"/>'; code=1; fi
    echo "<testcase classname=\\"shop\\" name=\\"$name\\">$inner</testcase>" >> "$report"
done
echo '</testsuite>' >> "$report"
echo "$# $(( $(date +%s%N) - began ))" >> {home}/ran
exit $code
"""
SETTINGS = """\
[suite]
run = ["bash", "suite.sh", "{report}"]
report = "junit"
rerun = ["bash", "suite.sh", "{report}", "{tests}"]
ids = "name"
"""


def searched(home: Path, size: int, slots: int) -> None:
    """Let the engine finish a batch, and tell what its suite has counted."""
    culprit = size // 2 + 1
    ground = Ground(home, files=50, slots=slots, agent=AGENT)
    (ground.repository / "suite.sh").write_text(SUITE.format(tests=TESTS, culprit=culprit, home=home))
    git(ground.repository, "add", "suite.sh")
    git(ground.repository, "commit", "-q", "-m", "Add a suite")
    file = ground.repository / "gitsched.toml"
    before, _, after = file.read_text().partition('[suite]\nrun = ["true"]\nevidence = "exit"\n')
    file.write_text(before + SETTINGS + after)
    ground.open_issues(size)
    ground.enqueue(range(1, size + 1), batch="b1")
    ground.run()
    batch = Clone(ground.repository).store.read().batches["b1"]
    lines = map(str.split, (home / "ran").read_text().splitlines())
    runs = [(int(count), int(nanoseconds) / 1e9) for count, nanoseconds in lines]
    whole = [seconds for count, seconds in runs if count == TESTS]
    steps = len(runs) - len(whole)
    bill = one_culprit(size, culprit, slots, ours)
    expected = sum(bill.runs.values()) - bill.runs["suite"]
    found = [exit_.issue for exit_ in batch.evictions] == [culprit] and batch.status is BatchStatus.DONE
    tell(
        f"P7 real repository, {size} members, {slots} slots",
        Measured(sum(seconds for _, seconds in runs), "suite-s", size * sum(whole) / len(whole)),
        "the culprit alone leaves, by the runs that the simulator counts",
        met=found and len(whole) == bill.runs["suite"] and steps == expected,
        suites=len(whole),
        steps=steps,
        simulated_steps=expected,
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--sizes", default="4,8,16", help="members of the batches")
    asked.add_argument("--slots", default="1,4", help="slots to search in")
    chosen = asked.parse_args()
    for size in map(int, chosen.sizes.split(",")):
        for slots in map(int, chosen.slots.split(",")):
            with tempfile.TemporaryDirectory(prefix="gitsched-search-") as folder:
                searched(Path(folder), size, slots)


if __name__ == "__main__":
    main()
