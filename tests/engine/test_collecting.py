"""git's own garbage collection in the middle of a real run, again and again."""

import subprocess
import threading
from pathlib import Path

from gitsched.domain.words import EntryStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.engine.hygiene.gc import collect
from gitsched.wiring.clone import Clone
from tests.engine.world import World


def test_collection_in_a_loop_beside_a_run_loses_nothing(world: World) -> None:
    """S-19 (run): landed, evicted, parked and archived work is all there, and the run goes on as without it."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "-c", "test ! -e broken"]\nevidence = "exit"\n')
    world.issues(1, 2, 3, 4)
    world.agents(1, 3)
    world.agent(2, "echo no > broken")
    world.enqueue(4)
    world.stop("4")
    clone = Clone(world.repo)
    collect(clone.premises(), clone.settings, clone.clock.now(), "ada")
    world.enqueue(1, 2, 3)
    over = threading.Event()
    collector = threading.Thread(target=collect_until, args=(world.repo, over))
    collector.start()
    try:
        world.run()
    finally:
        over.set()
        collector.join()
    world.expect_landed(1, 3)
    assert world.entry(2).status is EntryStatus.PARKED
    subprocess.run(["git", "-C", world.repo, "gc", "-q", "--prune=now"], check=True)
    assert findings_of(Clone(world.repo).premises()) == ()


def collect_until(repo: Path, over: threading.Event) -> None:
    """Collect and pack as often as it goes; git gives up by itself where it meets a lock."""
    while not over.is_set():
        for words in (("gc", "-q"), ("pack-refs", "--all"), ("prune", "--expire=2.weeks.ago")):
            subprocess.run(["git", "-C", repo, *words], check=False, capture_output=True)
