"""A generation that has been fenced off while its processes still live."""

from gitsched.domain.words import Liveness
from tests.runner.desk import Desk, lives


def test_the_agent_of_a_fenced_generation_is_seen_and_ended(desk: Desk) -> None:
    """R-49 (the runner's part): the fence comes first, and the old agent is still found, ended and seen gone."""
    order = desk.sh("trap 'exit 9' TERM; while :; do sleep 0.1; done")
    agent = desk.agent_of(order)
    desk.runner.fence("b1", "3", 1)
    fenced = desk.look(order)
    assert (fenced.record, fenced.worker, fenced.agent) == (None, Liveness.ALIVE, Liveness.ALIVE)
    desk.runner.stop("b1", "3", 0, kill=False)
    desk.until(lambda: desk.look(order).worker is Liveness.GONE)
    assert desk.look(order).agent is Liveness.GONE
    assert not lives(agent.pid)
    ref = desk.refs.read("b1", "3")
    assert ref is not None
    assert (ref.gen, ref.end) == (1, None), "what it came to is nobody's concern any more"
