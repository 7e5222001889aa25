"""A fleet: drivers on clones of one remote over smart HTTP, one of which is killed every few seconds throughout.

Small here; `make fleet` runs it whole: eight drivers, forty members.
"""

import os
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from threading import Event

import pytest

from gitsched.domain.words import BatchStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving
from tests.engine.far import FarWorld
from tests.real_git import run_git
from tests.remotes.serving import Tally, smart_http
from tests.store.verbs import git_fsck

DRIVERS, MEMBERS = map(int, os.environ.get("GITSCHED_FLEET", "3x6").split("x"))
KILL_EVERY_S = float(os.environ.get("GITSCHED_KILL_EVERY_S", "3"))
BOUND_S = 60.0 + 20.0 * MEMBERS


@pytest.fixture
def tally() -> Tally:
    """Count what the server is asked for."""
    return Tally()


@pytest.fixture
def fleet(repo: Path, tmp_path: Path, tally: Tally) -> Iterator[list[FarWorld]]:
    """Give clones of one remote that is served over smart HTTP."""
    first = FarWorld.begin(repo, tmp_path)
    with smart_http(first.remote.parent, tally) as served:
        run_git(repo, "remote", "set-url", "origin", f"{served}{first.remote.name}")
        first.configure("[batch]\nmax_members = 64\n")
        yield [first, *(first.beside(tmp_path / f"clone{number}") for number in range(1, DRIVERS))]


@pytest.mark.long
@pytest.mark.timeout(int(BOUND_S) + 200)
def test_show_1_drivers_that_are_killed_throughout(
    fleet: list[FarWorld], tally: Tally, record_property: Callable[[str, object], None]
) -> None:
    """S-12, R-62: each run is started once per generation, all land in order, and no update is lost.

    Told: how often the server was asked for each member that shipped.
    """
    issues, first = range(1, MEMBERS + 1), fleet[0]
    first.issues(*issues)
    first.agents(*issues)
    first.enqueue(*issues)
    drivers, killed_count = [Driving(world.repo) for world in fleet], 0
    tally.push_count = tally.fetch_count = 0
    until_s = time.monotonic() + BOUND_S
    try:
        for turn in cycle(range(DRIVERS)):
            Event().wait(KILL_EVERY_S)
            tally.fetch_count -= 1  # our own look
            if first.news().batch().status is BatchStatus.DONE:
                break
            landed_count = len(first.told("member-landed"))
            assert time.monotonic() < until_s, f"in {BOUND_S:g} s {landed_count} of {MEMBERS} members landed"
            drivers[turn].kill()
            killed_count += 1
            drivers[turn] = Driving(fleet[turn].repo)
        for driver in drivers:
            assert driver.end() == 0
    finally:
        for driver in drivers:
            driver.kill()
    record_property("told", _told(tally, killed_count))
    first.news().expect_landed(*issues)
    started = first.started()
    assert len(started) == len(set(started))
    landed = [event.issue for event in first.told("member-landed")]
    assert landed == list(issues)
    assert run_git(first.remote, "rev-list", "--min-parents=2", "refs/gitsched/state") == ""
    git_fsck(first.remote)
    for world in fleet:
        assert world.news().state == first.state
        world.expect_clean()
        git_fsck(world.repo)
        assert findings_of(Clone(world.repo).premises()) == ()


def _told(tally: Tally, killed_count: int) -> str:
    pushes, fetches = tally.push_count / MEMBERS, tally.fetch_count / MEMBERS
    fleet = f"a fleet of {DRIVERS} drivers, one killed every {KILL_EVERY_S:g} s ({killed_count} in all)"
    return f"{fleet}: {pushes:.1f} pushes and {fetches:.1f} fetches for each of {MEMBERS} shipped members"
