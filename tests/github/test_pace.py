"""One budget for all who ask one GitHub by one credential, and a run that is held to a small one."""

import os
from pathlib import Path
from typing import Final

import pytest

from gitsched.adapters.forge.github import pace as paces
from gitsched.adapters.forge.github.answers import Limited, decoded, limit_of
from gitsched.adapters.forge.github.pace import Bounds, Kind, Pace
from gitsched.adapters.forge.github.tally import Tally, tally_file
from gitsched.domain.words import BatchStatus
from tests.engine.patience import ticks_until
from tests.github.hub_world import HubWorld

FEW: Final = Bounds(rest_points=200, graphql_points=60, writes_a_minute=4, writes_an_hour=400)


def two(file: Path) -> tuple[Pace, Pace, list[float]]:
    """Make the paces of two processes."""
    now_s = [1000.0]
    first, second = (Pace(lambda: now_s[0], FEW, Tally(file)) for _ in range(2))
    return first, second, now_s


def test_processes_count_together(tmp_path: Path) -> None:
    """G-31 (over all processes): four writes a minute are four, whoever sends them; a limit told to one stops both."""
    first, second, now_s = two(tmp_path / "github" / "tally")
    assert [one.wait_s(Kind.WRITE) for one in (first, second, first, second)] == [0.0] * 4
    assert first.wait_s(Kind.WRITE) == second.wait_s(Kind.WRITE) == 60.0
    now_s[0] += 60.0
    assert first.wait_s(Kind.WRITE) == 0.0
    first.close("rest", 30.0)
    assert second.wait_s(Kind.READ) == 30.0
    assert second.wait_s(Kind.QUERY) == 0.0


def test_a_clock_that_was_set_back_stops_nobody(tmp_path: Path) -> None:
    first, second, now_s = two(tmp_path / "tally")
    for _ in range(4):
        first.wait_s(Kind.WRITE)
    first.close("", 30.0)
    now_s[0] -= 86_400.0
    assert second.wait_s(Kind.WRITE) == 0.0


def test_a_tally_that_is_not_whole_or_not_there_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "tally"
    file.write_bytes(b"\x93torn")
    assert Pace(lambda: 1.0, FEW, Tally(file)).wait_s(Kind.WRITE) == 0.0
    (tmp_path / "file").write_text("")
    alone = Pace(lambda: 1.0, FEW, Tally(tmp_path / "file" / "tally"))
    assert [alone.wait_s(Kind.WRITE) for _ in range(5)] == [0.0] * 4 + [60.0]


def test_a_tally_that_takes_nothing_is_no_obstacle(tmp_path: Path) -> None:
    """A full disk, and what is no file: each process counts for itself, and shares its count when there is room."""
    os.mkfifo(tmp_path / "pipe")
    for file in (Path("/dev/full"), tmp_path / "pipe"):
        alone = Pace(lambda: 1.0, FEW, Tally(file))
        assert [alone.wait_s(Kind.WRITE) for _ in range(5)] == [0.0] * 4 + [60.0]
    (place := tmp_path / "tally").symlink_to("/dev/full")
    first, second, _ = two(place)
    assert first.wait_s(Kind.WRITE) == 0.0
    place.unlink()
    assert [first.wait_s(Kind.WRITE) for _ in range(3)] == [0.0] * 3
    assert second.wait_s(Kind.WRITE) == 60.0


@pytest.mark.parametrize("told", ["Wed, 21 Oct 2026 07:28:00 GMT", "nan", "inf", "", "soon"])
def test_a_pause_that_cannot_be_read_is_a_pause(told: str) -> None:
    assert limit_of(decoded(403, {"Retry-After": told}, "{}"), 1.0) == Limited("", None)


def test_a_reset_that_cannot_be_read_is_a_limit() -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "nan"}
    assert limit_of(decoded(403, headers, "{}"), 1.0) == Limited("rest", None)


def test_the_name_of_a_tally_tells_no_secret() -> None:
    file = tally_file("https://api.github.com", "ghp_secret")
    assert "ghp_secret" not in str(file)
    assert file != tally_file("https://api.github.com", "ghp_other")


@pytest.mark.timeout(300)
def test_show_2_a_run_under_a_strict_limit_never_exceeds_it(world: HubWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """G-31 (show 2): four writes a minute: none is refused, local work waits for none, edits are merged."""
    monkeypatch.setattr(paces, "Bounds", lambda: FEW)
    world.hub.limits.writes_per_minute = FEW.writes_a_minute
    world.is_patient = True
    world.configure('[ship]\nmerge = "direct"\n')
    for issue in range(1, 6):
        world.issue(issue)
        world.agent(issue)
    world.enqueue(*range(1, 6), batch="b1")
    ticks_until(world, lambda state: bool(state.batches["b1"].suite))
    world.expect_landed(*range(1, 6))
    assert world.hub.limits.most_writes_in_a_minute <= FEW.writes_a_minute
    for _ in range(100):
        world.time.advance(20)
        world.tick()
        if world.batch().status is BatchStatus.DONE:
            break
    assert world.batch().status is BatchStatus.DONE
    assert world.hub.limits.refused_count == 0
    assert 0 < world.hub.limits.most_writes_in_a_minute <= FEW.writes_a_minute
    assert [len(world.told_on(issue)) for issue in range(1, 6)] == [1] * 5
    changes = [event for entry in world.journal("b1") for event in entry.events]
    edits = world.hub.audit.requests("PATCH", "/issues/comments/")
    assert len(edits) < len(changes) / 3
