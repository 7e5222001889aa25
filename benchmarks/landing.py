"""P4: landing on objects, against `git rebase` and a fast-forward in a ready worktree per member.

    python benchmarks/landing.py [--members 100] [--sample 15]

Prints one JSON object a line: name, value, unit, baseline, ratio, target, met.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from gitsched.adapters.git.lander import GitLander
from gitsched.domain.landing import Decoration, Proven, Rebased, Signature, Terms, Work

FILES_PER_FOLDER = 100
LINES = 60
HOT_FILES = 20
MET_OTHERS_PERCENT = 20
COMMITTER = Signature("Gitsched", "gitsched@example.org", 1_700_000_000)
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ann Author",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": COMMITTER.name,
    "GIT_COMMITTER_EMAIL": COMMITTER.email,
}


def git(directory: Path, *words: str, stdin: bytes = b"") -> str:
    """Run git and give what it printed."""
    command = ["git", "-c", "gc.auto=0", *words]
    done = subprocess.run(command, cwd=directory, env=ENVIRONMENT, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def path_of(number: int) -> str:
    return f"src/module{number // FILES_PER_FOLDER:04d}/file{number:06d}.py"


def lines_of(number: int, edits: dict[int, str]) -> bytes:
    return "".join(edits.get(line, f"value_{number}_{line} = {line}\n") for line in range(LINES)).encode()


def make_repository(folder: Path, files: int, members: int, commits: int) -> tuple[Path, str, list[str]]:
    """Write a repository of `files` files and member branches cut from its one commit.

    A commit edits two files: one of its own, and, in a fifth of the commits, a line of a file that many
    members edit, each at a line of its own.
    """
    repository = folder / "repository"
    git(folder, "init", "-q", "-b", "main", str(repository))
    chance = random.Random(files + members + commits)
    who = b"Ann Author <ann@example.org> 1600000000 +0000\n"
    feed = [b"commit refs/heads/main\nmark :1\nauthor " + who + b"committer " + who + b"data 5\nbase\n\n"]
    for number in range(files):
        feed.append(_inline(number, {}))
    mark = 1
    heads = []
    for member in range(members):
        parent, edits = 1, dict[int, dict[int, str]]()
        for commit in range(commits):
            mark += 1
            message = b"Change %d of member %d\n" % (commit, member)
            feed.append(b"commit refs/heads/m%d\nmark :%d\nauthor %s" % (member, mark, who))
            feed.append(b"committer %sdata %d\n%sfrom :%d\n" % (who, len(message), message, parent))
            touched = [HOT_FILES + (member * commits + commit) * 2 % (files - HOT_FILES)]
            touched.append(touched[0] + 1)
            if chance.randrange(100) < MET_OTHERS_PERCENT:
                touched[1] = chance.randrange(HOT_FILES)
            for number in touched:
                line = (member * 7 + commit * 2) % LINES
                edits.setdefault(number, {})[line] = f"changed_by_{member}_{commit} = {line}\n"
                feed.append(_inline(number, edits[number]))
            feed.append(b"\n")
            parent = mark
        heads.append(f"refs/heads/m{member}")
    git(repository, "fast-import", "--quiet", stdin=b"".join(feed))
    base = git(repository, "rev-parse", "refs/heads/main")
    return repository, base, [git(repository, "rev-parse", head) for head in heads]


def _inline(number: int, edits: dict[int, str]) -> bytes:
    content = lines_of(number, edits)
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path_of(number).encode(), len(content), content)


def land_all(repository: Path, base: str, heads: list[str]) -> tuple[list[float], int, int]:
    """Land and prove member after member; milliseconds of each, and how many conflicted and were joined."""
    lander, onto, took, conflicts, joined = GitLander(repository), base, [], 0, 0
    for issue, head in enumerate(heads, start=1):
        terms = Terms(committer=COMMITTER, decoration=Decoration.of_member("b1", issue))
        started = time.perf_counter()
        landed = lander.land(Work(base, head), onto, terms)
        if isinstance(landed, Rebased):
            proof = lander.prove(Work(base, head), onto, landed)
            took.append((time.perf_counter() - started) * 1000)
            assert proof == Proven(), proof
            joined += any(commit.merged for commit in landed.commits)
            onto = landed.head
        else:
            conflicts += 1
    return took, conflicts, joined


def rebase_some(repository: Path, base: str, heads: list[str]) -> list[float]:
    """Rebase members in ready worktrees and fast-forward the branch; milliseconds of each."""
    took: list[float] = []
    git(repository, "branch", "integration", base)
    for number, head in enumerate(heads):
        tree = repository.parent / f"tree{number}"
        git(repository, "worktree", "add", "--detach", "-q", str(tree), head)
        git(tree, "status", "--porcelain")
        onto = git(repository, "rev-parse", "integration")
        started = time.perf_counter()
        try:
            git(tree, "rebase", "--quiet", "--onto", onto, base)
        except subprocess.CalledProcessError:
            git(tree, "rebase", "--abort")
            continue
        git(repository, "update-ref", "refs/heads/integration", git(tree, "rev-parse", "HEAD"), onto)
        took.append((time.perf_counter() - started) * 1000)
    return took


def report(name: str, times_ms: tuple[float, float], target: str, *, met: bool, **more: object) -> None:
    value, baseline = times_ms
    ratio = round(baseline / value, 1)
    figures = {"value": round(value, 2), "unit": "ms", "baseline": round(baseline, 2), "ratio": ratio}
    print(json.dumps({"name": name, **figures, "target": target, "met": met, **more}), flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--members", type=int, default=100)
    asked.add_argument("--sample", type=int, default=15, help="members that the baseline rebases")
    options = asked.parse_args()
    for files, commits in ((10_000, 3), (10_000, 1), (50_000, 1)):
        with tempfile.TemporaryDirectory() as folder:
            repository, base, heads = make_repository(Path(folder), files, options.members, commits)
            baseline = rebase_some(repository, base, heads[: options.sample])
            took, conflicts, joined = land_all(repository, base, heads)
            mean, reference = statistics.mean(took), statistics.mean(baseline)
            name = f"land a member of {commits} commit(s), {files} files"
            target, met = ("ratio >= 20", reference / mean >= 20)
            if commits == 1:
                target, met = ("<= 3 ms", mean <= 3)
            report(
                f"P4 {name}",
                (mean, reference),
                target,
                met=met,
                median=round(statistics.median(took), 2),
                p99=round(sorted(took)[int(len(took) * 0.99) - 1], 2),
                members=len(took),
                conflicts=conflicts,
                with_joined_contents=joined,
                baseline_sample=len(baseline),
            )


if __name__ == "__main__":
    main()
