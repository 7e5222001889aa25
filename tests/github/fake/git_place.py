"""The bare repository behind a fake one: read and merged by real git, pushed to and fetched from by smart HTTP."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

NOBODY = ("GitHub", "noreply@github.com")
FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"


class GitFailedError(Exception):
    """Git said no; the words are its own."""


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    """Name, address, instant."""
    committer: tuple[str, str, str]
    message: str


class GitPlace:
    """A bare repository, and what GitHub does in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def made(cls, path: Path, branch: str) -> "GitPlace":
        """Make an empty one that takes pushes by HTTP."""
        path.mkdir(parents=True)
        place = cls(path)
        place.git("init", "-q", "--bare", "-b", branch)
        for key in ("http.receivepack", "uploadpack.allowAnySHA1InWant", "uploadpack.allowFilter"):
            place.git("config", key, "true")
        for key in ("receive.autogc", "maintenance.auto"):  # they would leave a process behind
            place.git("config", key, "false")
        place.git("config", "gc.auto", "0")
        return place

    def git(self, *arguments: str, stdin: str = "", env: dict[str, str] | None = None) -> str:
        ended = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            input=stdin.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        if ended.returncode:
            raise GitFailedError(ended.stderr.decode(errors="replace").strip() or f"exit {ended.returncode}")
        return ended.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def sha(self, name: str) -> str | None:
        """Name the commit that a branch, ref or abbreviation stands for; None for none."""
        try:
            return self.git("rev-parse", "--verify", "-q", f"{name}^{{commit}}") or None
        except GitFailedError:
            return None

    def branch(self, name: str) -> str | None:
        """Name a branch's commit: its file is read, for it is asked for at every call, and nothing packs refs here."""
        try:
            return (self.path / "refs" / "heads" / name).read_text().strip()
        except OSError:
            return None

    def refs(self, prefix: str = "refs/") -> dict[str, tuple[str, str]]:
        """List refs by name: the object's kind and its id."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objecttype) %(objectname)", prefix).splitlines()
        parted = (line.split(" ") for line in lines)
        return {name: (kind, sha) for name, kind, sha in parted}

    def commit(self, sha: str) -> Commit:
        parts = self.git("log", "-1", f"--format={FORMAT}", sha).split("\0", 9)
        return Commit(
            parts[0], parts[1], tuple(parts[2].split()), _triple(parts[3:6]), _triple(parts[6:9]), parts[9].rstrip("\n")
        )

    def between(self, base: str, head: str) -> list[str]:
        """List the commits that `head` has and `base` has not, oldest first."""
        return self.git("rev-list", "--reverse", "--topo-order", f"{base}..{head}").split()

    def holds(self, head: str, commit: str) -> bool:
        """Tell whether `head` contains `commit`."""
        try:
            self.git("merge-base", "--is-ancestor", commit, head)
        except GitFailedError:
            return False
        return True

    def merge_base(self, one: str, other: str) -> str | None:
        try:
            return self.git("merge-base", one, other)
        except GitFailedError:
            return None

    def numstat(self, base: str, head: str) -> list[tuple[int, int, str]]:
        """List (added, removed, path) of what `head` changed since it left `base`."""
        lines = self.git("diff", "--numstat", "--no-renames", f"{base}...{head}").splitlines()
        return [
            (_lines(added), _lines(removed), path) for added, removed, path in (line.split("\t", 2) for line in lines)
        ]

    def move(self, ref: str, to: str, expected: str | None = None) -> None:
        """Move a ref, or make it when `expected` is all zeros."""
        self.git("update-ref", ref, to, *([] if expected is None else [expected]))

    def forget(self, ref: str) -> None:
        self.git("update-ref", "-d", ref)

    def merged_tree(self, base: str, head: str) -> str | None:
        """Merge two commits; None for a conflict."""
        try:
            return self.git("merge-tree", "--write-tree", "--no-messages", base, head).splitlines()[0]
        except GitFailedError:
            return None

    def new_commit(self, tree: str, parents: list[str], message: str, env: dict[str, str]) -> str:
        given = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", tree, *given, stdin=message, env=env)

    def merge(self, base: str, head: str, message: str, date: str) -> str | None:
        """Make GitHub's merge commit."""
        tree = self.merged_tree(base, head)
        return None if tree is None else self.new_commit(tree, [base, head], message, _by(NOBODY, date))

    def squash(self, base: str, head: str, message: str, date: str) -> str | None:
        tree = self.merged_tree(base, head)
        return None if tree is None else self.new_commit(tree, [base], message, _by(NOBODY, date))

    def rebase(self, base: str, head: str, date: str) -> str | None:
        """Make each commit anew on `base`, as GitHub does: always new ids, its own committer; None for a conflict."""
        tip = base
        for sha in self.between(base, head):
            commit = self.commit(sha)
            if len(commit.parents) != 1:
                return None
            # A commit with the tip's tree and the commit's parent makes that parent the merge base.
            env = _by(NOBODY, date)
            stand_in = self.new_commit(f"{tip}^{{tree}}", [commit.parents[0]], "x", env)
            tree = self.merged_tree(stand_in, sha)
            if tree is None:
                return None
            name, address, at = commit.author
            authored = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": address, "GIT_AUTHOR_DATE": at}
            tip = self.new_commit(tree, [tip], commit.message + "\n", {**env, **authored})
        return tip

    def write(self, parent: str | None, files: dict[str, str | None], message: str, env: dict[str, str]) -> str:
        """Make a commit with those files changed (None removes one), without any checkout."""
        index = {"GIT_INDEX_FILE": str(self.path / "fake-index")}
        self.git("read-tree", *(["--empty"] if parent is None else [parent]), env=index)
        for path, text in files.items():
            if text is None:
                self.git("rm", "-q", "--cached", "--", path, env={**index, "GIT_WORK_TREE": str(self.path)})
                continue
            blob = self.git("hash-object", "-w", "--stdin", stdin=text)
            self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
        tree = self.git("write-tree", env=index)
        return self.new_commit(tree, [] if parent is None else [parent], message, env)


def _triple(parts: list[str]) -> tuple[str, str, str]:
    return parts[0], parts[1], parts[2]


def _lines(text: str) -> int:
    return 0 if text == "-" else int(text)


def _by(who: tuple[str, str], date: str) -> dict[str, str]:
    name, address = who
    return {
        **{"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": address, "GIT_AUTHOR_DATE": date},
        **{"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": address, "GIT_COMMITTER_DATE": date},
    }


def by_person(name: str, date: str) -> dict[str, str]:
    """Return the environment in which a person commits."""
    return _by((name, f"{name}@example.org"), date)
