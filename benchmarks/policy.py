"""P7: what it takes to finish a batch, red or not, by our policy and by the ways others go; played, without git.

    python benchmarks/policy.py [--batches 400] [--flaky-batches 20000] [--sizes 4,8,16,32]

All ways finish the same batches. *runs* are runs of the whole suite; where there is no report, that is what a probe
of the search is too. The others confirm nothing, so that what base, tip and confirming take stands apart:
`confirming` in runs (of the failing tests alone, where there is a report), and `equivalents` in suites, all runs
counted, with the failing tests of a batch costing 10 % or 2 % of a suite. Rounds are suites and rounds of probes
after one another, `all_rounds` also those of base, tip and confirming.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Measured, tell
from benchmarks.simulation import WAYS, Bill, Kind, finished, one_culprit, ours
from gitsched.policy.steps import Purpose

READABLE, UNREADABLE = 2.1, 3.9
"""Runs at n = 8, p = 10 %, with a readable report and without."""
SLOTS = 4
ALL_SLOTS = (1, 2, 3, SLOTS, 7)


def runs_of(bill: Bill, kind: Kind) -> int:
    """Count the runs of the whole suite that decide; confirming apart."""
    return bill.runs["suite"] + (0 if kind.report else bill.runs[Purpose.PROBE])


def rounds_of(bill: Bill) -> int:
    return bill.rounds_count - bill.confirming_rounds_count


def equivalents(bills: Sequence[Bill], kind: Kind, share: float) -> float:
    """Tell suites in seconds, all runs counted."""
    cost = share if kind.report else 1.0
    return round(fmean(bill.runs["suite"] + cost * bill.step_share for bill in bills), 2)


def more_of(bills: Sequence[Bill], kind: Kind) -> dict[str, object]:
    return {
        "confirming": round(fmean(bill.runs[Purpose.ORIGIN] + bill.runs[Purpose.CONFIRM] for bill in bills), 2),
        "equivalents_10": equivalents(bills, kind, 0.10),
        "equivalents_2": equivalents(bills, kind, 0.02),
        "undecided": sum(bill.is_undecided for bill in bills),
        "falsely_evicted": sum(bill.false_count for bill in bills),
        "missed": sum(bill.missed_count for bill in bills),
    }


def tell_runs(size: int, bad: float, count: int) -> None:
    """Tell the runs of the whole suite, each way on the same batches."""
    plain = Kind(size=size, bad=bad)
    others = {
        name: round(fmean(bill.runs["suite"] for bill in finished(plain, count, way)), 2) for name, way in WAYS.items()
    }
    for words, kind, limit in (
        ("report, evidence for 80 %", plain, READABLE),
        ("report, no evidence", Kind(size=size, bad=bad, pointed=0.0), READABLE),
        ("no report", Kind(size=size, bad=bad, report=False), UNREADABLE),
    ):
        bills = finished(kind, count, ours)
        value = fmean(runs_of(bill, kind) for bill in bills)
        is_target = (size, bad) == (8, 0.10)
        tell(
            f"P7 suite runs, n = {size}, p = {bad:.0%}, {words}",
            Measured(value, "runs", others["prefix"]),
            f"<= {limit}" if is_target else "below every other way",
            met=value <= limit if is_target else value < min(others.values()),
            **more_of(bills, kind),
            others=others,
        )


def tell_rounds(size: int, bad: float, count: int) -> None:
    """Tell the rounds where several runs go at once."""
    kind = Kind(size=size, bad=bad, pointed=0.0)
    bills = finished(kind, count, ours, slots=SLOTS)
    halved = finished(kind, count, WAYS["halves"], slots=SLOTS)
    value, other = (fmean(rounds_of(bill) for bill in found) for found in (bills, halved))
    tell(
        f"P7 rounds, n = {size}, p = {bad:.0%}, {SLOTS} slots, no evidence",
        Measured(value, "rounds", other),
        "fewer than halving",
        met=value < other,
        all_rounds=round(fmean(bill.rounds_count for bill in bills), 2),
        prefix=round(fmean(rounds_of(bill) for bill in finished(kind, count, WAYS["prefix"], slots=SLOTS)), 2),
    )


def tell_worst_rounds(size: int) -> None:
    """Tell the most rounds that one culprit takes, wherever it stands."""
    most, halved, bounds = {}, {}, {}
    for slots in ALL_SLOTS:
        found = [one_culprit(size, issue, slots, ours) for issue in range(1, size + 1)]
        assert not any(bill.is_undecided or bill.missed_count or bill.false_count for bill in found)
        most[slots] = max(rounds_of(bill) for bill in found)
        halved[slots] = max(one_culprit(size, issue, slots, WAYS["halves"]).rounds_count for issue in (1, size))
        bounds[slots] = 2 + next(rounds for rounds in range(size) if (slots + 1) ** rounds >= size)
    tell(
        f"P7 most rounds to one culprit, n = {size}, {SLOTS} slots",
        Measured(most[SLOTS], "rounds", halved[SLOTS]),
        "<= ceil(log_{k+1} n) + 2 for every k",
        met=all(most[slots] <= bounds[slots] for slots in ALL_SLOTS),
        by_slots=most,
        bounds=bounds,
        halves=halved,
    )


def tell_flakes(words: str, kind: Kind, count: int) -> None:
    """Tell who is wrongly evicted where runs turn red by chance."""
    bills, plain = finished(kind, count, ours, slots=SLOTS), finished(kind, count, WAYS["prefix"])
    value = sum(bill.false_count for bill in bills) * 20_000 / count
    tell(
        f"P7 falsely evicted, n = {kind.size}, p = {kind.bad:.0%}, flakes {kind.flake:.0%}, {words}",
        Measured(value, "in 20,000 batches", sum(bill.false_count for bill in plain) * 20_000 / count),
        "<= 1",
        met=value <= 1,
        batches=count,
        undecided_percent=round(fmean(bill.is_undecided for bill in bills) * 100, 2),
        missed=sum(bill.missed_count for bill in bills),
        runs=round(fmean(runs_of(bill, kind) for bill in bills), 2),
    )


def tell_pairs(size: int, count: int) -> None:
    """Tell the runs where a fifth of the batches holds a pair that fails only together."""
    kind = Kind(size=size, bad=0.05, pair=0.2, pointed=0.0)
    bills = finished(kind, count, ours)
    value, other = fmean(bill.runs["suite"] for bill in bills), finished(kind, count, WAYS["prefix"])
    name = f"P7 suite runs, n = {size}, p = 5%, a pair in 20% of the batches, no evidence"
    baseline = fmean(bill.runs["suite"] for bill in other)
    tell(name, Measured(value, "runs", baseline), "below prefix search", met=value < baseline, **more_of(bills, kind))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--batches", type=int, default=400, help="of 8 members; of longer ones fewer")
    asked.add_argument("--flaky-batches", type=int, default=20_000)
    asked.add_argument("--sizes", default="4,8,16,32")
    options = asked.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    for size in sizes:
        count = min(options.batches, options.batches * 8 // size)
        for bad in (0.02, 0.05, 0.10, 0.20):
            tell_runs(size, bad, count)
        tell_pairs(size, count)
        if size >= 8:  # of fewer, two halves are as quick as any search
            tell_rounds(size, 0.10, count)
        tell_worst_rounds(size)
    for words, kind in (
        ("one flaky test", Kind(size=8, bad=0.10, flake=0.05)),
        ("every test flaky", Kind(size=8, bad=0.10, flake=0.05, all_flaky=True)),
        ("no report", Kind(size=8, bad=0.10, flake=0.05, report=False)),
    ):
        tell_flakes(words, kind, options.flaky_batches)


if __name__ == "__main__":
    main()
