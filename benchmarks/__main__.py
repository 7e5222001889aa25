"""Run the benchmarks, all or those named, and show every figure beside its baseline of the same run.

    python -m benchmarks [landing] [store] … [--on FOLDER] [--limit 3600] [--page FILE]

Each prints one JSON object a line; at the end there is a table, and `build/bench.json` holds the figures of all that
ever ran here, each benchmark's latest, with what the machine was doing. `--page` writes them as a page. The exit code
is 1 when a target was missed or a benchmark did not come to its end.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import file_system, machine
from benchmarks.page import write_page

ROOT = Path(__file__).resolve().parent.parent
NAMES = (
    "status",
    "idle",
    "memory",
    "store",
    "landing",
    "reaction",
    "makespan",
    "policy",
    "search",
    "rivals",
    "webhook",
    "calls",
    "history",
    "worktrees",
)
"""In this order: what `worktrees` deletes makes new files slow on some file systems for minutes."""
OUT = ROOT / "build" / "bench.json"
Figure = dict[str, Any]


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
    asked.add_argument("--limit", type=float, default=3600.0, help="seconds for all of them together")
    asked.add_argument(
        "--page", type=Path, metavar="FILE", help="write the figures as a page, for instance for the docs"
    )
    options = asked.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        asked.error(f"there is no benchmark '{min(unknown)}'; there are {', '.join(NAMES)}")
    if options.on:
        os.environ["TMPDIR"] = tempfile.tempdir = options.on
    until_s, found = time.monotonic() + options.limit, known()
    for name in options.names or NAMES:
        os.sync()  # what others left to be written is not this one's to pay
        run = {"on": file_system(), "load": round(os.getloadavg()[0], 2)}
        print(json.dumps({"benchmark": name, **run}), flush=True)
        run["figures"] = [one for one in figures_of(name, until_s - time.monotonic()) if "met" in one]
        found["runs"][name] = run
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(json.dumps(found, indent=2) + "\n")
    if options.page:
        write_page(options.page, found)
    ran = [one for name in options.names or NAMES for one in found["runs"][name]["figures"]]
    print(f"\nOn {file_system()}:\n{table(ran)}")
    return 0 if all(one["met"] for one in ran) else 1


def known() -> dict[str, Any]:
    """Read what ran here before, in the order of the names, on the machine as it is now."""
    before = json.loads(OUT.read_text()) if OUT.exists() else {}
    runs = before.get("runs", {})
    return {"machine": machine(), "runs": {name: runs[name] for name in NAMES if name in runs}}


if __name__ == "__main__":
    sys.exit(main())
