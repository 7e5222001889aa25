"""Replay a published release as a batch: cut it into members, let agents make them, land them, prove the whole.

    python replay.py                 all members ship; the target is the newer release, byte for byte
    python replay.py --corrupt 9     member 9 is broken on purpose; it alone is evicted, the rest ships
    python replay.py --corrupt 4 9   two are broken and nobody is gated: the suite is red, and both are found
    python replay.py --fault pair    two members that fail only together; also `flaky` and `base-red`

Ends with 0 when that is so, with 1 when it is not, with 75 where the package registry does not answer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bundle import Release, bundles, changed_definitions
from corrupt import corrupted
from cut import Piece, cut, patch_of
from faults import FAULTS, Fault, broken, fault
from releases import NAME, NEWER, OLDER, PACKAGE, Unreachable, begin, commit_releases, fetch, git

HERE = Path(__file__).resolve().parent
AGAIN_LATER = 75

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

{gates}
# The whole: all tests. When it is red, only those that failed are run again.
[suite]
run = [{pytest}, "tests"]
rerun = [{pytest}, "{{tests}}"]
report = "junit"
ids = "pytest"

[ship]
merge = "direct"
"""


GATES = """\
# Every member by itself: all tests of the package, but for two that take longer than the rest together.
[[gates]]
name = "quick"
run = [{pytest}, "tests", "-k", "not test_primes and not test_roundtrip"]
kind = "test"
report = "junit"
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
        self.fault = Fault()
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
        if self.fault.before:
            _write(self.repo, self.fault.before)
            git(self.repo, "commit", "--quiet", "-m", "Add what this replay is about")
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

    def tree_without(self, left: Collection[int]) -> bytes:
        """Name the tree of the older release with the other members, made by git alone."""
        staying = [(number, member) for number, member in enumerate(self.members, 1) if number not in left]
        git(self.releases, "checkout", "--quiet", "--detach", OLDER)
        chosen = [piece for _, member in staying for piece in member.pieces]
        git(self.releases, "apply", "--index", "--unidiff-zero", "--whitespace=nowarn", stdin=patch_of(chosen))
        _write(self.releases, self.fault.before)
        for number, _ in staying:
            _write(self.releases, self.fault.brought.get(number, {}))
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
        brought = b"".join(_new_file(path, text) for path, text in self.fault.brought.get(number, {}).items())
        (patches / f"{number}.patch").write_bytes(patch_of(member.pieces) + brought)
        files = sorted({piece.path for piece in member.pieces})
        text = "\n".join(["---", f"title: {member.title}", "---", *(f"- {path}" for path in files)])
        file = issues / f"{number:03}.md"
        file.write_text(f"{text}\n", encoding="utf-8")
        return file

    def _configuration(self) -> str:
        pytest = ["-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--junit-xml={report}"]
        words = ", ".join(map(_toml, [sys.executable, *pytest]))
        return CONFIGURATION.format(
            gates=GATES.format(pytest=words) if self.fault.gated else "",
            members=len(self.members),
            python=_toml(sys.executable),
            agent=_toml(HERE / "agent.py"),
            patches=_toml(self.folder / "patches"),
            trees=_toml(self.folder / "trees"),
            pytest=words,
        )


def _toml(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)  # a JSON string is a TOML string


def _title(number: int, pieces: Sequence[Piece], release: Release) -> str:
    names = sorted({name for piece in pieces for name in changed_definitions(piece, release.older)})
    named = names or sorted({piece.path.rpartition("/")[2] for piece in pieces})
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"Part {number}, {', '.join(named[:3])}{more}"


def _write(repo: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (repo / path).write_text(text, encoding="utf-8")
        git(repo, "add", path)


def _new_file(path: str, text: str) -> bytes:
    lines = text.splitlines()
    body = "".join(f"+{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return f"{head}@@ -0,0 +1,{len(lines)} @@\n{body}".encode()


def differences(replay: Replay, code: int) -> list[str]:
    """Say what is not as it should be."""
    wanted = replay.fault
    status = json.loads(replay.gitsched("status", "--all", "--json"))
    found = []
    if code != (0 if wanted.all_ship else 1):
        found.append(f"`gitsched run` ended with {code}")
    (batch,) = status["batches"]
    if (batch["status"], batch["reason"]) != ("blocked" if wanted.reason else "done", wanted.reason):
        found.append(f"the batch is {batch['status']}: {batch['reason']}")
    left = {exit_["issue"]: exit_["reason"] for exit_ in batch["evictions"]}
    if left != wanted.leaving:
        found.append(f"these left: {left}")
    shipped = git(replay.repo, "rev-parse", "main^{tree}")
    if wanted.reason is None and shipped != replay.tree_without(wanted.leaving):
        found.append("the target is not the older release with the other members")
    if wanted == Fault() and shipped != git(replay.releases, "rev-parse", f"{NEWER}^{{tree}}"):
        found.append("the target is not the newer release")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay a published release as a batch.")
    parser.add_argument("--members", type=int, default=12, help="into how many to cut it (12)")
    parser.add_argument(
        "--corrupt", type=int, metavar="K", nargs="+", default=[], help="break these members on purpose"
    )
    parser.add_argument("--fault", choices=FAULTS, help="put another fault into it")
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
        it = Replay(folder, sdists, chosen.members)
        for number in chosen.corrupt:
            it.corrupt(number)
        if chosen.corrupt:
            it.fault = broken(chosen.corrupt)
        elif chosen.fault:
            it.fault = fault(chosen.fault, len(it.members), folder)
        return replay(it)


def replay(it: Replay) -> int:
    began = time.monotonic()
    found = differences(it, it.run())
    told = f"{_outcome(it.fault)}, after {time.monotonic() - began:.0f} s."
    print("\n".join(["This is not as it should be:", *(f"- {sentence}" for sentence in found)]) if found else told)
    return 1 if found else 0


def _outcome(wanted: Fault) -> str:
    if wanted.reason is not None:
        return f"The batch is blocked {wanted.reason}, and nobody was evicted"
    if wanted.leaving:
        return f"The target is the newer release without member {' and '.join(map(str, sorted(wanted.leaving)))}"
    return "The target is the newer release, byte for byte" if not wanted.before else "Everything shipped"


if __name__ == "__main__":
    sys.exit(main())
