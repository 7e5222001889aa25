"""Batches end to end on GitHub: the real adapter and engine against the fake."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.domain.words import BatchStatus, EntryStatus
from tests.github.fixtures import OwnHub
from tests.github.hub_world import HubWorld, make_world
from tests.walks.properties import check_properties


@pytest.fixture
def world(own_hub: OwnHub, repo: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubWorld]:
    """Give the test a world on GitHub; what lives on after it fails it."""
    file = hermetic / "clock"
    hub = own_hub(follows=SystemClock(str(file)).now)
    file.write_text("2026-01-02T04:00:00.000Z")
    made = make_world(hub, repo, hermetic, monkeypatch)
    yield made
    made.expect_clean()
    check_properties(made.repo, made.clone.clock)


def test_a_batch_ships_by_direct_merge(world: HubWorld) -> None:
    world.configure('[ship]\nmerge = "direct"\n')
    for issue in (3, 4):
        world.issue(issue)
    world.agents(3, 4)
    world.enqueue(3, 4, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [world.entry(n).status for n in (3, 4)] == [EntryStatus.DONE] * 2
    assert {"file3.txt", "file4.txt"} <= world.forge_paths()
    assert not world.forge_issue(3).is_open
    assert [len(world.told_on(n)) for n in (3, 4)] == [1, 1]
    assert len(world.remote.pulls()) == 1
