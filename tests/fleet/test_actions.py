"""The back-end `actions`: the member workflow's own step on a stand-in fleet, over smart HTTP."""

import pytest

from tests.engine.drive import Driving, until
from tests.fleet.away import ActionsWorld


def test_show_5_a_batch_of_six_is_worked_by_actions(fleet: ActionsWorld) -> None:
    """Each member is dispatched once, worked by the workflow's own step, and lands in order."""
    issues = range(1, 7)
    fleet.issues(*issues)
    fleet.agents(*issues)
    fleet.agent(1, "env > env1.txt")
    fleet.enqueue(*issues)
    fleet.run()
    fleet.expect_landed(*issues)
    assert sorted(fleet.started()) == [f"{issue} 0" for issue in issues]
    assert sorted(fleet.machines.asked()) == [f"b1/{issue}/0" for issue in issues]
    seen = fleet.show("env1.txt", "refs/gitsched-remote/heads/main")
    assert "GITHUB_RUN_ID=" in seen
    assert "GITHUB_TOKEN" not in seen
    assert "CREDENTIAL" not in seen
    assert "GITHUB_ENV" not in seen


@pytest.mark.long
def test_show_5_jobs_that_never_start_die_silently_or_are_cancelled(fleet: ActionsWorld) -> None:
    """Each goes on with its next generation, once, although the driver is killed in between as well."""
    fleet.configure(start_timeout="15s")
    gate = fleet.barrier("gate")
    fleet.issues(1, 2, 3, 4)
    fleet.agents(1, 2, 3)
    fleet.machines.lost.add("b1/1/0")
    for issue in (2, 3, 4):
        fleet.agent(issue, f"echo {issue} > file{issue}.txt; read -r _ < {gate}", gen=0)
    fleet.enqueue(1, 2, 3, 4)
    driving = Driving(fleet.repo)
    until(fleet.repo, lambda: len(fleet.started()) == 3)
    fleet.machines.kill("b1/2/0")
    fleet.machines.cancel_named("b1/3/0")
    driving.kill()
    fleet.machines.await_end("b1/3/0")
    gate.open()
    fleet.run()
    fleet.expect_landed(1, 2, 3, 4)
    assert sorted(fleet.started()) == ["1 1", "2 0", "2 1", "3 0", "3 1", "4 0"]
    reasons = {event.issue: event.fields["reason"] for event in fleet.told("redispatched")}
    assert reasons == {1: "worker-lost", 2: "worker-lost", 3: "interrupted"}


def test_an_answer_that_was_lost_dispatches_nothing_twice(fleet: ActionsWorld) -> None:
    """The job is found by the name that its workflow gives it."""
    fleet.hub.lose_reply(method="POST", path="/dispatches")
    fleet.issue(1)
    fleet.agents(1)
    fleet.enqueue(1)
    fleet.run()
    assert fleet.machines.asked() == ["i1/1/0"]
    assert fleet.started() == ["1 0"]
