"""Replay a published release as a batch: cut it into members, let agents make them, land them, prove the whole.

    python replay.py                 all members ship; the target is the newer release, byte for byte
    python replay.py --corrupt 9     member 9 is broken on purpose; it alone is evicted, the rest ships

Ends with 0 when that is so, with 1 when it is not, with 75 where the package registry does not answer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bundle import Release, bundles, changed_definitions
from corrupt import corrupted
from cut import Piece, cut, patch_of
from releases import NAME, NEWER, OLDER, PACKAGE, Unreachable, begin, commit_releases, fetch, git

HERE = Path(__file__).resolve().parent
AGAIN_LATER = 75
GATE = "quick"

CONFIGURATION = """\
[project]
target = "main"
remote = ""

[slots]
max = 2

[batch]
max_members = {members}

[agents]
default = "patch"

[agents.patch]
command = [{python}, {agent}, {patches}]
completion = "exit"

[worktrees]
dir = {trees}
pool = 2

# Every member by itself: all tests of the package, but for two that take longer than the rest together.
[[gates]]
name = "quick"
run = [{pytest}, "-k", "not test_primes and not test_roundtrip"]
kind = "test"
report = "junit"

# The whole: all tests.
[suite]
run = [{pytest}]
report = "junit"
ids = "pytest"

[ship]
merge = "direct"
"""


class Member(NamedTuple):
    """One issue and what its agent does about it."""

    title: str
    pieces: Sequence[Piece]


class Replay:
    """A workshop with a repository that stands at the older release."""

    def __init__(self, folder: Path, sdists: Path, count: int) -> None:
        """Unpack both releases and cut the difference."""
        self.folder, self.repo, self.releases = folder, folder / "repo", folder / "releases"
        self.release = commit_releases(sdists, self.releases)
        diff = git(self.releases, "diff", "-U0", "--binary", "--no-renames", "--no-color", OLDER, NEWER) + b"\n"
        pieces = cut(diff)
        self.members = [
            Member(_title(number, found, self.release), found)
            for number, found in enumerate(bundles(pieces, self.release, count), 1)
        ]
        print(f"{NAME} {OLDER} to {NEWER}: {len(pieces)} pieces, {len(self.members)} members")

    def corrupt(self, number: int) -> None:
        """Break one member on purpose."""
        broken = corrupted(self.members[number - 1].pieces, self.release.older, PACKAGE)
        if broken is None:
            raise SystemExit(f"Member {number} changes no function that could be broken; choose another.")
        self.members[number - 1] = self.members[number - 1]._replace(pieces=broken)

    def run(self) -> int:
        """Let gitsched do it, and give its exit code."""
        begin(self.repo)
        git(self.repo, "fetch", "--quiet", str(self.releases), OLDER)
        git(self.repo, "reset", "--quiet", "--hard", "FETCH_HEAD")
        # The target is compared byte for byte, so the configuration is not a part of it.
        (self.repo / ".git/info/exclude").write_text("/gitsched.toml\n", encoding="utf-8")
        (self.repo / "gitsched.toml").write_text(self._configuration(), encoding="utf-8")
        issues = [str(self._issue(number, member)) for number, member in enumerate(self.members, 1)]
        self.gitsched("init")
        self.gitsched("issue", "import", *issues)
        return self._gitsched("run", *map(str, range(1, len(self.members) + 1))).wait()

    def gitsched(self, *words: str) -> bytes:
        """Run a verb that must succeed, and give what it printed."""
        verb = self._gitsched(*words, stdout=subprocess.PIPE)
        told, _ = verb.communicate()
        if verb.returncode:
            raise SystemExit(f"gitsched {words[0]} ended with {verb.returncode}")
        return told

    def tree_without(self, number: int | None) -> bytes:
        """Name the tree of the older release with every member but one, made by git alone."""
        chosen = [piece for n, member in enumerate(self.members, 1) if n != number for piece in member.pieces]
        git(self.releases, "checkout", "--quiet", "--detach", OLDER)
        git(self.releases, "apply", "--index", "--unidiff-zero", "--whitespace=nowarn", stdin=patch_of(chosen))
        return git(self.releases, "write-tree")

    def _gitsched(self, *words: str, stdout: int | None = None) -> "subprocess.Popen[bytes]":
        env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITSCHED_"))}
        # Tests are run in the trees, and bytecode there would be nobody's.
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        return subprocess.Popen([sys.executable, "-P", "-m", "gitsched", *words], cwd=self.repo, env=env, stdout=stdout)

    def _issue(self, number: int, member: Member) -> Path:
        patches, issues = self.folder / "patches", self.folder / "issues"
        for place in (patches, issues):
            place.mkdir(exist_ok=True)
        (patches / f"{number}.patch").write_bytes(patch_of(member.pieces))
        files = sorted({piece.path for piece in member.pieces})
        text = "\n".join(["---", f"title: {member.title}", "---", *(f"- {path}" for path in files)])
        file = issues / f"{number:03}.md"
        file.write_text(f"{text}\n", encoding="utf-8")
        return file

    def _configuration(self) -> str:
        pytest = ["-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--junit-xml={report}", "tests"]
        return CONFIGURATION.format(
            members=len(self.members),
            python=_toml(sys.executable),
            agent=_toml(HERE / "agent.py"),
            patches=_toml(self.folder / "patches"),
            trees=_toml(self.folder / "trees"),
            pytest=", ".join(map(_toml, [sys.executable, *pytest])),
        )


def _toml(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)  # a JSON string is a TOML string


def _title(number: int, pieces: Sequence[Piece], release: Release) -> str:
    names = sorted({name for piece in pieces for name in changed_definitions(piece, release.older)})
    named = names or sorted({piece.path.rpartition("/")[2] for piece in pieces})
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"Part {number}, {', '.join(named[:3])}{more}"


def differences(replay: Replay, code: int, broken: int | None) -> list[str]:
    """Say what is not as it should be."""
    status = json.loads(replay.gitsched("status", "--all", "--json"))
    found = []
    if code != (0 if broken is None else 1):
        found.append(f"`gitsched run` ended with {code}")
    (batch,) = status["batches"]
    if batch["status"] != "done":
        found.append(f"the batch is {batch['status']}: {batch['reason']}")
    left = [(exit_["issue"], exit_["reason"]) for exit_ in batch["evictions"]]
    if left != ([] if broken is None else [(broken, f"gate-failed:{GATE}")]):
        found.append(f"these left: {left}")
    shipped = git(replay.repo, "rev-parse", "main^{tree}")
    if shipped != replay.tree_without(broken):
        found.append("the target is not the older release with the other members")
    if broken is None and shipped != git(replay.releases, "rev-parse", f"{NEWER}^{{tree}}"):
        found.append("the target is not the newer release")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay a published release as a batch.")
    parser.add_argument("--members", type=int, default=12, help="into how many to cut it (12)")
    parser.add_argument("--corrupt", type=int, metavar="K", help="break member K on purpose")
    parser.add_argument("--sdists", type=Path, metavar="DIR", help="where the source releases are, or are put")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR, which must not exist, and leave it")
    parser.add_argument("--fetch", action="store_true", help="only fetch the source releases into --sdists")
    chosen = parser.parse_args()
    if chosen.fetch and chosen.sdists is None:
        parser.error("--fetch needs --sdists")
    with tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True) as temporary:
        folder = (chosen.keep or Path(temporary)).resolve()
        sdists = chosen.sdists or folder / "sdists"
        try:
            fetch(sdists)
        except Unreachable as answer:
            print(f"The package registry is not reachable from here: {answer}", file=sys.stderr)
            return AGAIN_LATER
        if chosen.fetch:
            return 0
        return replay(Replay(folder, sdists, chosen.members), chosen.corrupt)


def replay(it: Replay, broken: int | None) -> int:
    began = time.monotonic()
    if broken is not None:
        it.corrupt(broken)
    code = it.run()
    found = differences(it, code, broken)
    what = "the newer release, byte for byte" if broken is None else f"the newer release without member {broken}"
    told = f"The target is {what}, after {time.monotonic() - began:.0f} s."
    print("\n".join(["This is not as it should be:", *(f"- {sentence}" for sentence in found)]) if found else told)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
