"""Run the benchmarks, all or those named, and show every figure beside its baseline of the same run.

    python -m benchmarks [landing] [store] … [--on FOLDER] [--limit 900]

Each prints one JSON object a line as it goes; at the end there is a table, and `build/bench.json` holds the figures
with what the machine was doing. The exit code is 1 when a target was missed or a benchmark did not come to its end.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = (
    "status",
    "idle",
    "store",
    "landing",
    "reaction",
    "makespan",
    "worktrees",
    "history",
    "search",
    "rivals",
    "webhook",
)
OUT = ROOT / "build" / "bench.json"
Figure = dict[str, object]


def figures_of(name: str, limit_s: float) -> Iterator[Figure]:
    """Run one benchmark and give its figures as they come; one that takes too long is ended and says so."""
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        try:
            out, _ = child.communicate(timeout=max(1.0, limit_s))
        except subprocess.TimeoutExpired as late:
            child.terminate()
            out, _ = child.communicate()
            out = out or (late.stdout or b"").decode()
    for line in out.splitlines():
        print(line, flush=True)
        yield {"benchmark": name, **json.loads(line)}
    if child.returncode != 0:
        yield {"benchmark": name, "name": f"{name} ended with {child.returncode}", "met": False}


def shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value if value is not None else "-")


def table(figures: list[Figure]) -> str:
    """Lay the figures out for people."""
    head = ("", "value", "unit", "baseline", "ratio", "target", "met")
    keys = ("name", "value", "unit", "baseline", "ratio", "target")
    rows = [[shown(one.get(key)) for key in keys] + ["yes" if one["met"] else "NO"] for one in figures]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)
    )


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"which ones, of {', '.join(NAMES)}; default: all")
    asked.add_argument("--on", help="folder to make the repositories in; default: the system's for temporary files")
    asked.add_argument("--limit", type=float, default=900.0, help="seconds for all of them together")
    options = asked.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        asked.error(f"there is no benchmark '{min(unknown)}'; there are {', '.join(NAMES)}")
    if options.on:
        os.environ["TMPDIR"] = options.on
    load_before, until_s, found = os.getloadavg(), time.monotonic() + options.limit, list[Figure]()
    for name in options.names or NAMES:
        found += (one for one in figures_of(name, until_s - time.monotonic()) if "met" in one)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()}
    loads = {"load_before": load_before, "load_after": os.getloadavg(), "on": os.environ.get("TMPDIR", "")}
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"machine": machine, **loads, "figures": found}, indent=2) + "\n")
    print(f"\n{table(found)}")
    return 0 if all(one["met"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
