"""The page of all figures: `docs/reference/performance.md` is made from what the benchmarks printed."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HEAD = """\
# Performance

Made by `make bench`; do not edit it. Each figure stands beside its baseline of the same run, since machines are noisy:
the ratio of the two is what counts. Nothing here is a timed test.

"""
WHAT = {
    "P1": "An idle tick, in a queue of any length",
    "P2": "`gitsched status` as a process that starts cold",
    "P3": "Durable transactions; the baseline is one JSON file, rewritten, synced and renamed under a lock",
    "P4": "Landing; the baseline is `git rebase` and a fast-forward in a ready worktree for each member",
    "P5": "Reaction: an agent ends, its work is verified and lands, the next agent starts",
    "P6": "The makespan of a batch; the baseline is the ideal schedule",
    "P7": "Finishing a red batch; the baseline is prefix search, or the suite once for each member",
    "P8": "Rival writers on one clone or remote; the baseline is one writer alone",
    "P9": "The webhook service",
    "P10": "Calls to GitHub; the baseline is one call for each issue and request",
    "P11": "Memory of a driver",
    "P12": "A worktree for a member in a large repository; the baseline is `git worktree add`",
    "P13": "A year of history; the baseline is a fresh repository",
}
"""What each number of the contract is about."""
LIMITS = {
    "P3 durable transactions, 8 processes": """Turns are strict, so that nobody waits long. Each is taken by a process
that was asleep, whose caches are cold and which has to read what the others wrote.""",
    "P3 durable transactions, 32 processes": """Turns are strict, so that nobody waits long. Each is taken by a process
that was asleep, whose caches are cold and which has to read what the 31 others wrote.""",
    "P3 durable changes grouped by 10": """Ten changes in ten shards are 23 objects, a file each, and a file system that
has just deleted many makes new ones slowly.""",
}
"""Why a target was missed, shown where it was."""
KEYS = ("value", "unit", "baseline", "ratio", "target")


def page(found: Mapping[str, Any]) -> str:
    """Write the page from what `build/bench.json` holds."""
    parts = [HEAD + _facts(found)]
    figures = [{**one, "on": run["on"]} for run in found["runs"].values() for one in run["figures"]]
    for number, what in WHAT.items():
        rows = [one for one in figures if str(one["name"]).split()[0] == number]
        parts.append(f"## {number}\n\n{what}.\n\n" + (_table(rows) if rows else "Not measured in this run.\n"))
    rest = [one for one in figures if str(one["name"]).split()[0] not in WHAT]
    if rest:
        parts.append("## Beside them\n\n" + _table(rest))
    return "\n".join(parts)


def write_page(file: Path, found: Mapping[str, Any]) -> None:
    """Put the page in its place."""
    file.write_text(page(found))


def _facts(found: Mapping[str, Any]) -> str:
    machine = found["machine"]
    kinds = ", ".join(sorted({str(run["on"]) for run in found["runs"].values()}))
    loads = [float(run["load"]) for run in found["runs"].values()]
    return (
        f"Machine: {machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, "
        f"{machine['system']}, Python {machine['python']}, git {machine['git']}; repositories on {kinds}. "
        f"Load when a benchmark began: {min(loads):.1f} to {max(loads):.1f}"
        + ("; above the number of cores others were at work too.\n" if max(loads) > float(machine["cores"]) else ".\n")
    )


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    lines = ["| what | value | unit | baseline | ratio | to reach | reached |", "|---|--:|---|--:|--:|---|---|"]
    limits = []
    for row in rows:
        cells = [str(row["name"]).partition(" ")[2], *(shown(row.get(key)) for key in KEYS)]
        lines.append("| " + " | ".join([*cells, "yes" if row["met"] else "**no**"]) + " |")
        limits += [text for name, text in LIMITS.items() if not row["met"] and str(row["name"]).startswith(name)]
    return "\n".join([*lines, *(f"\n{text}" for text in dict.fromkeys(limits))]) + "\n"


def shown(value: object) -> str:
    """Write one value down for people."""
    text = f"{value:.4g}" if isinstance(value, float) else str(value if value is not None else "-")
    return text.replace("|", "\\|").replace("<=", "≤").replace(">=", "≥")
