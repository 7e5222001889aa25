"""Who is told of what happened, on the whole engine."""

import json
from typing import Any

from gitsched.engine.driver import Until
from gitsched.wiring.clone import Clone
from tests.engine.world import World


def told(world: World) -> list[dict[str, Any]]:
    """Read what the command was given, oldest first."""
    return [json.loads(line) for line in world.lines("notices")]


def notify(world: World, script: str = "", more: str = "") -> None:
    """Configure a command that keeps what it is given, after a script of the test's."""
    kept = world.scripts / "notices"
    (world.scripts / "notify").write_text(f'read -r notice || true\n{script}\necho "$notice" >> {kept}\n')
    world.configure(f'[notify]\ncommand = ["sh", "{world.scripts}/notify"]\n{more}')


def test_i_12_a_notice_is_sent_until_it_arrives_and_names_the_same_event(world: World) -> None:
    """I-12: the command fails the first time: the notice comes after the write, with the id it had at first."""
    tried = world.scripts / "tried"
    notify(world, f'echo "$notice" >> {tried}; [ "$(wc -l < {tried})" -gt 1 ] || exit 3')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    ending = world.run()
    assert not ending.went_wrong
    (notice,) = told(world)
    assert (notice["event"], notice["batch"], notice["name"]) == ("finished", "b1", "teardown-done")
    assert {json.loads(line)["id"] for line in world.lines("tried")} == {notice["id"]}
    assert len(world.lines("tried")) == 2
    (failed,) = world.told("notify-failed")
    assert failed.fields["detail"] == "sh ended with 3"
    world.tick()
    assert len(told(world)) == 1


def test_i_12_a_lasting_condition_notifies_once(world: World) -> None:
    """I-12: a batch stays blocked through many ticks of many drivers: one notice, with the next command."""
    notify(world)
    (world.repo / "suite.sh").write_text("exit 64\n")
    world.commit("Break the suite")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    for _ in range(5):
        world.tick()
    (notice,) = told(world)
    assert (notice["event"], notice["name"]) == ("needs-you", "batch-blocked")
    assert notice["reason"] == world.batch().reason
    assert notice["next"].startswith("gitsched ")
    world.resume("b1")
    world.run()
    assert [one["name"] for one in told(world)] == ["batch-blocked", "batch-blocked"]
    assert len({one["id"] for one in told(world)}) == 2


def test_what_nobody_asked_for_and_what_was_before_is_not_told(world: World) -> None:
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, batch="b1")
    world.run()
    notify(world, more='events = ["failed"]')
    world.agent(2, "true", ends="exit 0")
    world.enqueue(2, batch="b2")
    world.run()
    assert [(one["event"], one["issue"]) for one in told(world)] == [("failed", 2), ("failed", None)]
    world.pause()
    world.tick()
    assert len(told(world)) == 2


def test_a_notice_that_a_killed_driver_left_is_sent_by_the_next(world: World) -> None:
    notify(world, "exit 1")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert told(world) == []
    notify(world)
    Clone(world.repo).driver(lambda step: step()).run(Until.ONCE)
    assert [one["event"] for one in told(world)] == ["finished"]


def test_an_open_request_that_only_a_person_merges_needs_one(world: World) -> None:
    notify(world, more='[ship]\nmerge = "manual"')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    (notice,) = told(world)
    assert (notice["event"], notice["next"]) == ("needs-you", f"gitsched pr merge {world.request().number}")
