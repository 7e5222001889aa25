"""The played runner keeps the promises of its port, beside the real one, as far as no process is needed for it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitsched.domain.ids import run_folder
from gitsched.domain.runs import RunEnd, RunLook, RunOrder
from gitsched.domain.words import Liveness
from gitsched.ports.runner import Runner
from gitsched.wiring.clone import Clone
from tests.engine.drive import until
from tests.walks.host import PlayedProcesses, PlayedRunner


class Place:
    """A runner, and how its runs come to their end."""

    def __init__(self, repo: Path, runner: Runner, end: Callable[[], None]) -> None:
        self.repo = repo
        self.runner = runner
        self.end = end

    def start(self, gen: int = 0, by: str = "one") -> RunOrder:
        folder = run_folder(str(self.repo / ".git"), "b1", "3", gen)
        order = RunOrder(
            batch="b1",
            name="3",
            gen=gen,
            token=by,
            argv=("sh", "-c", f"while [ ! -f {self.repo}/.git/end ]; do sleep 0.02; done"),
            cwd=str(self.repo),
            folder=folder,
            repository=str(self.repo / ".git"),
            log_file=f"{folder}/log",
            timeout_s=60.0,
            output_bytes=1000,
            kill_grace_s=1.0,
        )
        self.runner.start(order, dict(os.environ), b"")
        return order

    def look(self, gen: int = 0) -> RunLook:
        return self.runner.look("b1", "3", gen)

    def until(self, is_so: Callable[[RunLook], bool], gen: int = 0) -> RunLook:
        until(self.repo, lambda: is_so(self.look(gen)))
        return self.look(gen)


@pytest.fixture(params=["local", "played"])
def place(request: pytest.FixtureRequest, repo: Path) -> Iterator[Place]:
    clone = Clone(repo)
    if request.param == "local":
        yield Place(repo, clone.runner, (repo / ".git" / "end").touch)
        (repo / ".git" / "end").touch()
        return
    played = PlayedRunner(repo / ".git", clone.run_refs, clone.clock, PlayedProcesses())

    def end() -> None:
        for key in list(played.live):
            played.end(key, RunEnd(code=0, at=clone.clock.now()))

    yield Place(repo, played, end)


def test_nobody_started_it(place: Place) -> None:
    assert (place.look().record, place.look().worker) == (None, Liveness.GONE)
    assert place.runner.runs() == {}


def test_it_lives_until_it_ends(place: Place) -> None:
    place.start()
    seen = place.until(lambda look: look.record is not None and look.record.agent is not None)
    assert (seen.worker, seen.agent) == (Liveness.ALIVE, Liveness.ALIVE)
    place.end()
    seen = place.until(lambda look: look.worker is Liveness.GONE)
    assert seen.record is not None
    assert seen.record.end is not None
    assert seen.record.end.code == 0


def test_a_generation_is_claimed_once(place: Place) -> None:
    place.start()
    place.until(lambda look: look.record is not None)
    place.start(by="another")
    place.end()
    seen = place.until(lambda look: look.record is not None and look.record.end is not None)
    assert seen.record is not None
    assert seen.record.token == "one"


def test_a_fence_bars_older_generations_and_no_newer_one(place: Place) -> None:
    place.runner.fence("b1", "3", 1)
    place.start(gen=1)
    place.until(lambda look: look.record is not None, gen=1)
    assert place.look(0).record is None
    place.end()
    place.until(lambda look: look.worker is Liveness.GONE, gen=1)


def test_what_is_stopped_ends_as_stopped(place: Place) -> None:
    place.start()
    place.until(lambda look: look.record is not None and look.record.agent is not None)
    place.runner.stop("b1", "3", 0, kill=False)
    seen = place.until(lambda look: look.record is not None and look.record.end is not None)
    assert seen.record is not None
    assert seen.record.end is not None
    assert seen.record.end.stopped
    place.until(lambda look: look.worker is Liveness.GONE)


def test_forgetting_leaves_a_newer_generation_alone(place: Place) -> None:
    place.start(gen=1)
    place.until(lambda look: look.record is not None, gen=1)
    place.runner.forget("b1", "3", 0)
    assert place.runner.runs() == {("b1", "3"): 1}
    place.end()
    place.until(lambda look: look.worker is Liveness.GONE, gen=1)
    place.runner.forget("b1", "3", 1)
    assert place.runner.runs() == {}
