"""Merging by itself on the local forge (`ship.merge = "direct"`), on the whole engine."""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus
from gitsched.engine.driver import Until
from tests.engine.relay import Call, Relay
from tests.engine.world import World
from tests.real_git import run_git


def test_g_11_direct_merges_nothing_that_it_has_not_judged(world: World) -> None:
    """G-11 (`direct`): the target moves at the moment of the merge: rebased, judged again, and merged by itself."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    moved: list[str] = []

    def merge(real: Call, *words: Any, **named: Any) -> Any:
        if not moved:
            (world.repo / "news.txt").write_text("news\n")
            moved.append(world.commit("Move the target"))
        return real(*words, **named)

    world.driver_with(forge=Relay(world.clone.forge, merge=merge)).run(Until.IDLE)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert run_git(world.repo, "merge-base", "main", moved[0]) == moved[0]
    assert (batch.suite[-1].verdict, batch.suite[-1].tree) == (
        "passed",
        run_git(world.repo, "rev-parse", "main^{tree}"),
    )
    assert len({run.tree for run in batch.suite}) == 2


def test_a_rebased_tree_that_is_known_to_be_green_is_not_judged_again(world: World) -> None:
    """From revalidating to shipping: the target moved by a commit without a change; the same request goes on."""
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    judged = world.batch().suite[-1].tree
    run_git(world.repo, "commit", "-q", "--allow-empty", "-m", "Move the target")
    world.merge()
    world.run()
    batch = world.batch()
    assert batch.status is BatchStatus.AWAITING_MERGE
    assert [(run.verdict, run.tree, run.cached) for run in batch.suite] == [
        ("passed", judged, False),
        ("passed", judged, True),
    ]
    assert len(world.told("revalidated")) == 1
    assert len(world.told("suite-passed")) == 1
    assert len(world.clone.forge.pull_requests()) == 1
    world.merge()
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_a_tree_that_was_judged_otherwise_meanwhile_is_not_taken_for_green(world: World) -> None:
    """Another batch's run of the same suite on the same tree fails after this one's pass was looked up."""
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    judged = world.batch().suite[-1].tree
    run_git(world.repo, "commit", "-q", "--allow-empty", "-m", "Move the target")
    world.merge()

    def fail(draft: Draft) -> None:
        known = draft.state.judged[judged]
        failed = {check: replace(one, verdict="failed") for check, one in known.verdicts.items()}
        draft.note(EventName.PROGRESS, "It fails now.", replace(known, verdicts=failed), batch="b1")

    def commits(real: Call, *words: Any, **named: Any) -> Any:
        batch = world.batch()
        if batch.status is BatchStatus.REVALIDATING and batch.integration.head is not None:
            world.clone.store.apply(fail)
        return real(*words, **named)

    world.driver_with(lander=Relay(world.clone.lander, commits=commits)).run(Until.IDLE)
    assert world.told("revalidated") == []
    assert [run.cached for run in world.batch().suite].count(True) == 0
