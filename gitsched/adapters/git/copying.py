"""Copy what the user named from the checkout into a tree, and keep it out of every commit made there.

Nothing is linked: a link would let an agent write into the checkout. A link in the checkout is followed only while
it stays inside; one that leads out is not copied.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitsched.adapters.git.private_index import listed
from gitsched.adapters.git.site import Site

_SPECIAL = re.compile(r"([\\*?\[\]#! ])")


class Copying:
    """One copy list at work: what was copied, and what was wrong."""

    def __init__(self, checkout: Path, site: Site) -> None:
        """Copy from a checkout into a tree."""
        self._from = Path(os.path.realpath(checkout))
        self._site = site
        self._to = Path(os.path.realpath(site.path))
        self.copied: set[str] = set()
        self.problems: list[str] = []

    def run(self, names: Sequence[str]) -> None:
        """Copy each name; what the tree's commit already holds is left as the commit has it."""
        for name in names:
            tracked = self._tracked(name)
            for path in self._files(name):
                if path not in tracked:
                    self._copy(path)
        self._exclude()

    def _files(self, name: str) -> Iterator[str]:
        """Yield the files of a name, a file itself or all below a folder, with their paths."""
        source = self._from / name
        if not source.exists():
            self.problems.append(f"'{name}' is not in '{self._from}'")
        elif not self._is_inside(source):
            self.problems.append(f"'{name}' leads out of '{self._from}'")
        elif source.is_dir():
            for folder, folders, files in os.walk(source):
                linked = [entry for entry in folders if os.path.islink(os.path.join(folder, entry))]
                yield from (os.path.relpath(os.path.join(folder, file), self._from) for file in (*files, *linked))
        else:
            yield name

    def _copy(self, path: str) -> None:
        source, goal = self._from / path, self._to / path
        if source.is_dir() or not self._is_inside(source):
            self.problems.append(f"'{path}' is a link that is not followed")
        elif not Path(os.path.realpath(goal.parent)).is_relative_to(self._to):
            self.problems.append(f"'{path}' would lead out of the tree")
        elif not source.is_file():
            self.problems.append(f"'{path}' is not a file")
        else:
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.unlink(missing_ok=True)
            shutil.copy2(source, goal)
            self.copied.add(path)

    def _tracked(self, path: str) -> frozenset[str]:
        out = self._site.git.run("ls-files", "-z", "--", path).out
        return frozenset(os.fsdecode(name) for name in out.split(b"\0") if name)

    def _is_inside(self, source: Path) -> bool:
        place = Path(os.path.realpath(source))
        return place.is_relative_to(self._from) and ".git" not in place.relative_to(self._from).parts

    def _exclude(self) -> None:
        """Name in info/exclude what no ignore rule of the tree covers; git shares that file between worktrees."""
        paths = sorted(self.copied)
        asked = listed([f"./{path}" for path in paths])  # so that no name is taken for pathspec magic
        magic = {"GIT_LITERAL_PATHSPECS": "0"}  # which check-ignore must have allowed
        done = self._site.git.run("check-ignore", "-z", "--stdin", stdin=asked, env=magic, check=False)
        ignored = {os.fsdecode(path).removeprefix("./") for path in done.out.split(b"\0")}
        patterns = [_pattern(path) for path in paths if path not in ignored]
        _append(self._site.admin.parents[1] / "info" / "exclude", patterns)


def _pattern(path: str) -> str:
    """Write a path as an ignore rule of its own; a line break, which no rule can hold, as any character."""
    return "/" + _SPECIAL.sub(r"\\\1", path).replace("\n", "?")


def _append(file: Path, lines: Sequence[str]) -> None:
    old = file.read_bytes() if file.exists() else b""
    there = set(old.splitlines())
    fresh = [os.fsencode(line) for line in lines if os.fsencode(line) not in there]
    if not fresh:
        return
    file.parent.mkdir(exist_ok=True)
    gap = b"\n" if old and not old.endswith(b"\n") else b""
    new = file.with_name(f"exclude.{os.getpid()}.new")
    new.write_bytes(old + gap + b"\n".join(fresh) + b"\n")
    new.replace(file)
