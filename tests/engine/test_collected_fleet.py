"""git's garbage collection at random moments, in every clone and in the remote, while drivers work."""

import subprocess
import threading
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving, all_end
from tests.engine.far import FarWorld
from tests.real_git import run_git
from tests.store.verbs import git_fsck

WORK = """\
base=$(git rev-parse HEAD)
echo {issue} > file{issue}.txt
until git add -A && git commit -q -m "Work on {issue}" && git rev-list --objects HEAD > /dev/null
do rm -f "$(git rev-parse --git-dir)/index"; git update-ref HEAD "$base"; done
"""
"""git itself may collect what a commit is just being made of: whoever commits looks, and commits again."""


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Tell the collectors when it is over."""
    event = threading.Event()
    yield event
    event.set()


def collect_everywhere(places: list[Path], over: threading.Event, counts: list[int]) -> None:
    """Collect everything that nothing leads to, anywhere, as long as there is work."""
    for place in cycle(places):
        for words in (("gc", "-q", "--prune=now"), ("pack-refs", "--all")):
            done = subprocess.run(["git", "-C", place, *words], check=False, capture_output=True)
            counts.append(done.returncode)
        if over.wait(0.05):
            return


@pytest.mark.long
@pytest.mark.parametrize("members", [3, 12])
@pytest.mark.timeout(400)
def test_show_4_collected_in_every_clone_and_the_remote(
    repo: Path, tmp_path: Path, over: threading.Event, members: int
) -> None:
    """S-19 (fleet): state, landed, evicted and parked work, notes and evidence are all there, and the run goes on."""
    first = FarWorld.begin(repo, tmp_path)
    run_git(first.remote, "config", "receive.unpackLimit", "1")  # as a server has to that collects while it receives
    gate = '[[gates]]\nname = "unit"\nrun = ["sh", "-c", "test ! -e broken"]\nevidence = "exit"\n'
    first.configure(f"[batch]\nmax_members = 64\n{gate}")
    other = first.beside(tmp_path / "other")
    issues, bad = range(1, members + 1), 2
    first.issues(*issues)
    for issue in issues:
        first.agent(issue, WORK.format(issue=issue) if issue != bad else "touch broken")
    first.enqueue(*issues)
    counts: list[int] = []
    collector = threading.Thread(target=collect_everywhere, args=([repo, other.repo, first.remote], over, counts))
    collector.start()
    drivers = [Driving(world.repo) for world in (first, other)]
    try:
        assert all_end(drivers)
    finally:
        for driver in drivers:
            driver.kill()
        over.set()
        collector.join()
    assert counts.count(0) > 3, "some of them went through"
    first.news().expect_landed(*(issue for issue in issues if issue != bad))
    assert first.entry(bad).status is EntryStatus.PARKED
    assert first.batch().status is BatchStatus.DONE, [event.fields for event in first.told("batch-blocked")]
    for place in (repo, other.repo, first.remote):
        run_git(place, "gc", "-q", "--prune=now")
        git_fsck(place)
    for world in (first, other):
        assert world.news().state == first.state
        world.expect_clean()
        assert findings_of(Clone(world.repo).premises()) == ()
