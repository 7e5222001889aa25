"""What a cold reading found in jobs and run refs, each as the story that showed it."""

from typing import Any

import pytest

from gitsched.domain.ids import run_ref
from gitsched.domain.words import BatchStatus
from gitsched.engine.driver import Until
from tests.engine.relay import Killed, Relay, killed_after, killed_before
from tests.engine.world import World


def test_a_suite_that_is_waived_while_it_is_due_is_skipped(world: World) -> None:
    """A blocked suite, reloaded to `none`: the batch goes on and says that no suite is declared."""
    (world.repo / "suite.sh").write_text("exit 127\n")
    world.commit("Break the suite")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert world.batch().reason == "suite-broken"
    world.configure(suite='\n[suite]\nrun = "none"\n')
    world.resume("b1", reload=True)
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.events("suite-skipped")


def test_a_run_ref_that_an_agent_overwrote_ends_no_driver(world: World) -> None:
    """Garbage in a run ref is no record: the run counts as lost once its worker is gone, and others go on."""
    world.issues(1, 2)
    world.agents(2)
    ref = run_ref("b1", "1")
    junk = f'git -C {world.repo} update-ref {ref} "$(echo junk | git -C {world.repo} hash-object -w --stdin)"'
    world.agent(1, f"echo 1 > file1.txt; {junk}")
    world.agent(1, gen=1)
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert world.member(1).gen == 1


@pytest.mark.parametrize("dies", [killed_before, killed_after])
def test_a_driver_killed_while_the_suites_tree_goes_back_loses_no_verdict(world: World, dies: Any) -> None:
    """The verdict is on record before the tree goes; the next driver gives the tree back, and runs no suite again."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")

    def let_go(real: Any, *words: Any) -> Any:
        is_suite = any("suite" in owner for owner in words[1])
        return dying(real, *words) if is_suite else real(*words)

    dying = dies(1)
    with pytest.raises(Killed):
        world.driver_with(trees=Relay(world.clone.trees, release=let_go)).run(Until.IDLE)
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [run.verdict for run in world.batch().suite] == ["passed"]
