"""The sweep: the story is told once for every point at which something can go wrong, and must end the same each time.

A point is a call that a driver makes to the world, and what happens to it. The driver can die only where that makes a
difference: before each call that may change the world, and after the last one of a tick. Such a call can meet a full
disk, or lose its reply. Every other call can fail.

Told from the beginning each time this would take hours. So each tick is entered once, and forked for each of its
points on a world that is put back afterwards. Where a disturbed world has become equal to one whose end is known, the
rest is known; every LONG_ONE-th point is told to its end all the same.

    python -m tests.walks.sweep MADE FOLDER FROM TO STEP     one line of JSON for each point; from and to are shares
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.walks.canonical import canonical
from tests.walks.mortal import WRITES, Fate, Fault
from tests.walks.story import ROUNDS_AT_MOST, End, Story

LONG_ONE = 25
DIES_BEFORE, DIES_AFTER = "death before", "death after"


class Point(NamedTuple):
    """A call, by its number in its tick and its name, and what happens to it."""

    tick: int
    call: int
    name: str
    fault: str


class Told(NamedTuple):
    """The story as it goes by itself."""

    points: list[Point]
    worlds: list[str]
    """After each round."""
    end: End


def undisturbed(made: Path, folder: Path) -> Told:
    """Tell the story without a fault, and find all points."""
    story = Story(made, folder)
    points: list[Point] = []
    worlds: list[str] = []
    for tick in range(ROUNDS_AT_MOST):
        names: list[str] = []
        story.town.living()[0].fate.on_call = names.append
        goes_on = story.round()
        points += _points_of(tick, names)
        worlds.append(canonical(story.town))
        if not goes_on:
            break
    end = story.end()
    shutil.rmtree(folder)
    return Told(points, worlds, end)


def _points_of(tick: int, names: list[str]) -> Iterator[Point]:
    writes = [call for call, name in enumerate(names, 1) if name in WRITES]
    for call, name in enumerate(names, 1):
        if name in WRITES:
            yield Point(tick, call, name, DIES_BEFORE)
            yield Point(tick, call, name, Fault.FULL.value)
            yield Point(tick, call, name, Fault.LOST.value)
        else:
            yield Point(tick, call, name, Fault.ERROR.value)
    if writes:
        yield Point(tick, writes[-1], names[writes[-1] - 1], DIES_AFTER)


class Sweep:
    """Goes through the story once, and from there through some of its points."""

    def __init__(self, made: Path, folder: Path) -> None:
        """Learn how the story goes by itself."""
        self._made = made
        self._folder = folder
        self.told = undisturbed(made, folder)
        self._known = set(self.told.worlds)

    def through(self, first: float, end: float, step: int) -> Iterator[dict[str, Any]]:
        """Tell what became of every `step`-th point in a share of them, which begins and ends at parts of 1."""
        count = len(self.told.points)
        chosen = [(at, self.told.points[at]) for at in range(int(first * count), int(end * count)) if at % step == 0]
        last = max((point.tick for _, point in chosen), default=-1)
        story = Story(self._made, self._folder)
        for tick in range(last + 1):
            before = _Kept(self._folder)
            for number, point in chosen:
                if point.tick == tick:
                    yield self._forked(story, number, point)
                    before.put_back()
            story.round()
            assert canonical(story.town) == self.told.worlds[tick], f"the story goes another way in tick {tick}"
        shutil.rmtree(self._folder)

    def _forked(self, story: Story, number: int, point: Point) -> dict[str, Any]:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                json.dump(self._disturbed(story, point, to_the_end=number % LONG_ONE == 0), out)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as heard:
            text = heard.read()
        os.waitpid(child, 0)
        found: dict[str, Any] = json.loads(text)
        if found["wrong"] is None:
            self._known.update(found.pop("worlds"))
        return {"number": number, "point": point, **found}

    def _disturbed(self, story: Story, point: Point, *, to_the_end: bool) -> dict[str, Any]:
        """Tell the rest of the story with a fault in it."""
        worlds: list[str] = []
        try:
            _doom(story.town.living()[0].fate, point)
            for _ in range(ROUNDS_AT_MOST):
                goes_on = story.round()
                worlds.append(canonical(story.town))
                if worlds[-1] in self._known and not to_the_end:
                    return {"wrong": None, "worlds": worlds, "joined": True}
                if not goes_on:
                    break
            end = story.end()
        except BaseException as failed:  # noqa: BLE001  # the child must tell, and never come back as the parent
            return {"wrong": f"{type(failed).__name__}: {failed}", "worlds": [], "joined": False}
        wrong = None if end == self.told.end else f"{end} is not {self.told.end}"
        return {"wrong": wrong, "worlds": worlds, "joined": False}


def _doom(fate: Fate, point: Point) -> None:
    call = fate.calls + point.call
    if point.fault in (DIES_BEFORE, DIES_AFTER):
        fate.dies_at, fate.dies_after = call, point.fault == DIES_AFTER
    else:
        fate.fails_at, fate.fault = call, Fault(point.fault)


class _Kept:
    """The files of a world as they were, its objects left out: those are only ever added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = {path: (path.lstat(), _content(path)) for path in _files_of(folder)}
        self._folders = {Path(place) for place, _, _ in os.walk(folder)}

    def put_back(self) -> None:
        """Make the world what it was."""
        now = list(_files_of(self._folder))
        for path in now:
            if path not in self._files:
                path.unlink()
        for place in sorted((Path(place) for place, _, _ in os.walk(self._folder)), reverse=True):
            if place not in self._folders and ".git/objects" not in place.as_posix():
                place.rmdir()
        for place in sorted(self._folders):
            place.mkdir(exist_ok=True)
        for path, (stat, content) in self._files.items():
            _restore(path, stat, content)


def _files_of(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        if place.endswith(".git") and "objects" in folders:
            folders.remove("objects")
        yield from (Path(place) / name for name in files)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _restore(path: Path, stat: os.stat_result, content: bytes | None) -> None:
    found = path.lstat() if path.exists() else None
    if found is not None and (found.st_mtime_ns, found.st_size) == (stat.st_mtime_ns, stat.st_size):
        return
    if content is not None:
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        path.chmod(stat.st_mode & 0o777)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def main(made: str, folder: str, first: str, end: str, step: str) -> None:
    """Sweep a part of all points and print what came of each."""
    sweep = Sweep(Path(made), Path(folder))
    for found in sweep.through(float(first), float(end), int(step)):
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
