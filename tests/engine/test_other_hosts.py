"""Runs of another host: left to it while it gives signs of life, by whatever clock; taken over when it is gone."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.domain.instants import after
from tests.engine.drive import Driving, kill_each, until, workers_of
from tests.engine.far import FarWorld
from tests.soundness import expect_sound

Drive = Callable[[Path], Driving]
TTL_S = 4.0


@pytest.mark.long
@pytest.mark.timeout(200)
def test_r_64_a_host_whose_clock_is_hours_ahead(
    repo: Path, tmp_path: Path, drive_at: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-64: alive while its sign changes, whatever time it tells; taken over a ttl of our own watch after the last."""
    here = FarWorld.begin(repo, tmp_path)
    here.configure(f'[dispatch]\nttl = "{TTL_S:.0f}s"\n')
    here.issues(1)
    here.agent(1, "sleep 300", gen=0)
    here.agent(1, gen=1)
    here.enqueue(1)
    there = here.beside(tmp_path / "there")
    ahead = tmp_path / "ahead"
    ahead.write_text(after(here.clone.clock.now(), 7200))
    with monkeypatch.context() as clock:
        clock.setenv("GITSCHED_TEST_CLOCK", str(ahead))
        other = drive_at(there.repo)
        until(there.repo, lambda: here.started() == ["1 0"])
    lease = here.news().state.leases["i1", 1]
    assert lease.acquired_at > after(here.clone.clock.now(), 3600)
    own = drive_at(here.repo)
    assert not own.ends_within(2 * TTL_S)
    assert here.started() == ["1 0"]
    assert here.news().state.leases["i1", 1] == here.state.leases["i1", 1]
    other.kill()
    workers = workers_of(there.repo)
    kill_each([child for worker in workers for child in worker.children(recursive=True)] + workers)
    gone_s = time.monotonic()
    until(here.repo, lambda: here.started() == ["1 0", "1 1"])
    assert time.monotonic() - gone_s >= TTL_S / 2, "its last sign may be a sixth of the ttl old, and was heard then"
    assert own.end() == 0
    here.news().expect_landed(1, batch="i1")
    assert [(event.gen, event.fields["reason"]) for event in here.told("redispatched")] == [(1, "driver-lost")]
    here.expect_clean()
    for place in (here.repo, here.remote):
        expect_sound(place)
