"""What walks found, each as the case that it was."""

from gitsched.engine.intake.ending import StopRequest, stop
from tests.walks.town import ISSUES, Town, Townsman

SIX = ISSUES[:6]
CALLS = range(1, 14)


def overtake(town: Town, call: int | str) -> None:
    """Let one driver tick, and another one a whole tick in the middle of it, before that call to the world."""
    one, other = town.living()[0], Townsman(town)
    one.fate.interlude_at = one.fate.calls + call if isinstance(call, int) else call
    one.fate.interlude = other.tick
    one.tick()
    one.fate.interlude = None
    other.leave()


def test_two_drivers_end_the_runs_of_a_stopped_batch(town: Town) -> None:
    """The lease is gone when the first driver comes to stop its agent: that is no error."""
    for number, call in enumerate(CALLS, 1):
        town.enqueue(1, 2, 3, batch=f"b{number:02}")
        town.living()[0].tick()
        town.asked(lambda: stop(town.clone.store, StopRequest(max(town.state.batches)), "ada"))
        overtake(town, call)
        town.look()
    town.come_to_rest()


def test_a_gate_that_another_driver_has_settled_is_not_counted_again(town: Town) -> None:
    """The first driver comes with the first result when the second run of the gate is under way, or over."""
    for issue in SIX:
        town.enqueue(issue, solo=True)
    town.living()[0].tick()
    for _ in SIX:
        for key in town.agents():
            town.end_agent(key, "bad")
        town.living()[0].tick()
        for key in town.jobs():
            town.end_job(key)
        overtake(town, "archive")
        town.look()
    town.come_to_rest("bad")
    told = {(member.gates["unit"].verdict, member.gates["unit"].runs) for member in town.state.members.values()}
    assert told == {("failed", 2)}
