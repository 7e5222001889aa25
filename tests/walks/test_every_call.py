"""A fault at every single call that a driver makes to the world: the same end each time.

A sample of all points in every run of the tests, every one by `make faults`.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.real_git import run_git
from tests.walks.mortal import WRITES
from tests.walks.story import FATES, ROUNDS_AT_MOST, Story, told
from tests.walks.town import Town
from tests.walks.townsman import Townsman

SAMPLE = 97
"""Every so many points in the gate."""
PARTS = 8


def swept(made: Path, folder: Path, share: tuple[float, float], step: int) -> list[dict[str, Any]]:
    """Sweep a share of the points in a process of its own, which forks freely."""
    shares = (*map(str, share), str(step))
    ended = subprocess.run(
        [sys.executable, "-m", "tests.walks.sweep", str(made), str(folder), *shares],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.fault
@pytest.mark.timeout(3600)
def test_a_fault_at_every_call(
    made: Path, hermetic: Path, pytestconfig: pytest.Config, record_property: Callable[[str, object], None]
) -> None:
    """R-59, V-33, G-25, S-05, S-11 (local): death, full disk, error, lost reply: the same end, reports included."""
    is_whole = pytestconfig.option.markexpr == "fault"
    step, parts = (1, PARTS) if is_whole else (SAMPLE, 1)
    shares = [(part / parts, (part + 1) / parts) for part in range(parts)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        swept_parts = pool.map(lambda share: swept(made, hermetic / f"from{share[0]}", share, step), shares)
        found = [point for part in swept_parts for point in part]
    wrong = {f"{point['point']}": point["wrong"] for point in found if point["wrong"] is not None}
    assert not wrong, wrong
    kinds = Counter(point["point"][3] for point in found)
    joined = sum(point["joined"] for point in found)
    every = "every" if step == 1 else f"every {step}th"
    told_of = f"swept {every} point: {len(found)}, all with the same end, {joined} by joining a known world"
    record_property("told", f"{told_of}: {dict(sorted(kinds.items()))}")


class Onlooker:
    """Sees which calls change the world; one call may be made inside another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = _files(folder)
        self._open: list[str] = []

    def begins(self, name: str) -> None:
        self._look()
        self._open.append(name)

    def ends(self, name: str) -> None:
        self._look()
        assert self._open.pop() == name

    def _look(self) -> None:
        now = _files(self._folder)
        changed = sorted(set(now.items()) ^ set(self._seen.items()))[:4]
        assert now == self._seen or WRITES.intersection(self._open), f"{self._open} has changed {changed}"
        self._seen = now


@pytest.mark.fault
@pytest.mark.timeout(3600)
def test_reads_change_nothing(made: Path, hermetic: Path, pytestconfig: pytest.Config) -> None:
    """What the sweep leaves out are deaths at calls that change nothing: those that may are named."""
    story = Story(made, hermetic / "story")
    for _ in range(ROUNDS_AT_MOST if pytestconfig.option.markexpr == "fault" else 1):
        driver, onlooker = story.town.living()[0], Onlooker(hermetic)
        driver.fate.on_call, driver.fate.on_answer = onlooker.begins, onlooker.ends
        if not story.round():
            break


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for place, folders, names in os.walk(folder):
        if place.endswith(".git"):
            folders[:] = [name for name in folders if name != "objects"]
        if place.endswith(".git/gitsched"):
            folders[:] = [name for name in folders if name not in ("locking", "cache")]
        for name in names:
            stat = (Path(place) / name).lstat()
            found[f"{place}/{name}"] = (stat.st_mtime_ns, stat.st_size)
    return found


def collect(town: Town) -> None:
    """Collect all garbage and pack all refs, as a person or git itself may at any time."""
    run_git(town.repo, "gc", "--quiet", "--prune=now")
    run_git(town.repo, "pack-refs", "--all", "--prune")


def tick_again(town: Town) -> None:
    """Tick twice more than anybody asked for, the second time by a driver that comes and goes."""
    town.living()[0].tick()
    passer = Townsman(town)
    passer.tick()
    passer.leave()


@pytest.mark.timeout(300)
def test_ticks_more_or_less_change_nothing(made: Path, hermetic: Path) -> None:
    """Property 9: ticks that are doubled, or made by another driver, come to the same end."""
    wanted = told(made, hermetic / "undisturbed")
    end = told(made, hermetic / "doubled", tick_again)
    assert end == wanted


def without_the_forge(town: Town) -> None:
    """Tick while the forge cannot be asked, and see that nothing was ended, given up or started on that."""
    driver, seen = town.living()[0], len(town.properties.names())
    driver.fate.forge_is_away = True
    driver.tick()
    driver.fate.forge_is_away = False
    town.look()
    told = set(town.properties.names()[seen:])
    assert not told & {"member-evicted", "entry-failed", "batch-blocked", "batch-dissolving", "stalled", "stop-sent"}
    assert not told & {"spawned", "assigned"}


@pytest.mark.timeout(300)
def test_nothing_is_decided_while_the_forge_cannot_be_asked(made: Path, hermetic: Path) -> None:
    """Property 8: between all ticks the forge goes away and comes back: the same end, and nothing is given up."""
    wanted = told(made, hermetic / "undisturbed")
    end = told(made, hermetic / "away", without_the_forge)
    assert end == wanted


@pytest.mark.timeout(300)
def test_s_19_garbage_is_collected_at_any_time(made: Path, hermetic: Path) -> None:
    """S-19: after every tick all garbage is collected and all refs are packed: nothing is lost, and the run goes on."""
    wanted = told(made, hermetic / "undisturbed")
    end = told(made, hermetic / "collected", collect)
    assert end == wanted
    repo = hermetic / "collected" / "repo"
    run_git(repo, "fsck", "--connectivity-only")
    state = Town.state_of(repo)
    kept = [m.head for m in state.members.values() if m.head] + [m.landed for m in state.members.values() if m.landed]
    assert len(kept) > len(FATES)
    for commit in kept:
        run_git(repo, "cat-file", "-e", commit)
    assert run_git(repo, "ls-tree", "-r", "--name-only", "refs/gitsched/evidence/b1")
    assert run_git(repo, "notes", "--ref=gitsched/landings", "list")
