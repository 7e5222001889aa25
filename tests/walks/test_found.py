"""What walks found, each as the case that it was."""

from gitsched.engine.intake.ending import StopRequest, stop
from tests.walks.town import Town, Townsman

CALLS = range(1, 14)


def overtake(town: Town, call: int) -> None:
    """Let one driver tick, and another one a whole tick in the middle of it, before that call to the world."""
    one, other = town.living()[0], Townsman(town)
    one.fate.interlude_at = one.fate.calls + call
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
        town.properties.look()
    town.come_to_rest()
