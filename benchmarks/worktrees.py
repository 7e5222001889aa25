"""P12: a worktree ready for a member, from the pool against `git worktree add`; and a look at the checkout.

    python benchmarks/worktrees.py [--files 50000] [--rounds 7]

Prints one JSON object a line: name, value, unit, baseline, ratio, target, met. Each figure stands beside its baseline
of the same run, turn by turn.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gitsched.adapters.git.worktrees import GitWorktrees
from gitsched.ports.worktrees import Tree

FILES_PER_FOLDER = 100
CHANGED, JUNK = 30, 220
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ann Author",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann Author",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


def git(directory: Path, *words: str | Path, stdin: bytes = b"") -> str:
    command = ["git", "-c", "gc.auto=0", *map(str, words)]
    done = subprocess.run(command, cwd=directory, env=ENVIRONMENT, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def path_of(number: int) -> str:
    return f"src/module{number // FILES_PER_FOLDER:04d}/file{number:06d}.py"


def make_repository(folder: Path, files: int) -> tuple[Path, list[str]]:
    """Write a repository of `files` files and two commits, the second of which changes a hundredth of them."""
    repository = folder / "repository"
    git(folder, "init", "-q", "-b", "main", repository)
    feed = []
    for mark, numbers in ((1, range(files)), (2, range(0, files, 100))):
        who = b"Ann Author <ann@example.org> 1600000000 +0000\n"
        feed.append(b"commit refs/heads/main\nmark :%d\nauthor %scommitter %sdata 4\nwork\n" % (mark, who, who))
        for number in numbers:
            text = b"".join(b"value_%d_%d = %d\n" % (number, line, mark) for line in range(20))
            feed.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path_of(number).encode(), len(text), text))
    git(repository, "fast-import", "--quiet", stdin=b"".join(feed))
    git(repository, "reset", "-q", "--hard")
    return repository, git(repository, "rev-list", "--reverse", "main").split()


def soil(tree: Path) -> None:
    """Leave what an agent leaves: changed files, and folders of files that nobody tracks."""
    for number in range(CHANGED):
        (tree / path_of(number * 7)).write_text("changed\n")
    for number in range(JUNK):
        place = tree / f"build/part{number // 20}/object{number}.o"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("junk\n")


def timed_ms(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1e3


class Bench:
    """One repository, its pool, and a number for the next owner."""

    def __init__(self, folder: Path, files: int) -> None:
        self.folder = folder
        self.repository, self.commits = make_repository(folder, files)
        self.pool = GitWorktrees(self.repository / ".git", folder / "trees")
        self.count = 0

    def acquire(self, commit: str) -> Tree:
        self.count += 1
        tree = self.pool.acquire(f"b1/{self.count}/0", commit, f"gitsched/b1/m{self.count}-i{self.count}")
        assert isinstance(tree, Tree), tree
        return tree

    def add(self) -> float:
        """Measure git's own way: a new worktree on a new branch."""
        self.count += 1
        path = self.folder / f"added{self.count}"
        words = ("worktree", "add", "-q", "--no-track", "-b", f"added{self.count}", path, self.commits[-1])
        took_ms = timed_ms(lambda: git(self.repository, *words))
        git(self.repository, "worktree", "remove", "--force", path)
        return took_ms

    def pooled(self, before: str, after: str, *, ahead: bool) -> float:
        """Measure handing a tree that an agent used at one commit to the next member at another."""
        tree = self.acquire(before)
        soil(tree.path)
        assert self.pool.release(tree.path) is None
        if ahead:
            assert self.pool.prepare_ahead(after)
        took: list[Tree] = []
        took_ms = timed_ms(lambda: took.append(self.acquire(after)))
        left = git(took[0].path, "status", "--porcelain")
        assert not left, left[:2000]
        assert self.pool.release(took[0].path) is None
        return took_ms


def told(name: str, value: float, baseline: float, *, at_least: float) -> dict[str, object]:
    ratio = baseline / value
    return {
        "name": name,
        "value": round(value, 2),
        "unit": "ms",
        "baseline": round(baseline, 2),
        "ratio": round(ratio, 2),
        "target": f">= {at_least:g}x",
        "met": ratio >= at_least,
    }


def figures(files: int, rounds: int) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="gitsched-trees-") as place:
        bench = Bench(Path(place), files)
        first, last = bench.commits[0], bench.commits[-1]
        bench.pool.release(bench.acquire(last).path)  # the pool has one tree from here on
        added, same, moved, ready, looks, statuses = [], [], [], [], [], []
        for _ in range(rounds):
            added.append(bench.add())
            same.append(bench.pooled(last, last, ahead=False))
            moved.append(bench.pooled(first, last, ahead=False))
            ready.append(bench.pooled(first, last, ahead=True))
            statuses.append(timed_ms(lambda: git(bench.repository, "--no-optional-locks", "status")))
            looks.append(timed_ms(bench.pool.look_at_checkout))
        size = f"{files:,} files"
        add_ms = statistics.median(added)
        yield told(
            f"P12 tree from the pool, used at the same commit, {size}", statistics.median(same), add_ms, at_least=5
        )
        yield told(
            f"P12 tree from the pool, used at another commit, {size}", statistics.median(moved), add_ms, at_least=5
        )
        yield told(f"P12 tree prepared ahead, {size}", statistics.median(ready), add_ms, at_least=5)
        status_ms = statistics.median(statuses)
        yield told(f"P12 look at the checkout, {size}", statistics.median(looks), status_ms, at_least=0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, nargs="+", default=[50_000])
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    for files in asked.files:
        for figure in figures(files, asked.rounds):
            print(json.dumps(figure), flush=True)


if __name__ == "__main__":
    main()
