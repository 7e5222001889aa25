"""Milestones posted from inside a run, and who may post them."""

from pathlib import Path

import pytest

from gitsched.domain.runs import Milestone, RunOrder
from gitsched.domain.words import MilestoneStatus
from gitsched.errors import RefusedError, SupersededError, UnknownUnitError, UsageError
from tests.runner.desk import Desk

LONG = "x" * 4_001


def milestone(phase: str = "review", status: str = "done", *, gen: int = 0, **keys: str) -> Milestone:
    return Milestone(phase=phase, status=MilestoneStatus(status), gen=gen, at="2026-01-02T03:04:05.000Z", keys=keys)


def test_posts_are_appended_in_order_and_wake_the_drivers(desk: Desk) -> None:
    order = desk.sh("sleep 300")
    desk.agent_of(order)
    desk.waker.wait(0.0)
    desk.posts.relay("b1", "3", milestone("plan", "progress"))
    assert desk.waker.wait(0.0)
    record = desk.posts.relay("b1", "3", milestone("review", "done", head="abc"))
    assert [(m.phase, m.status) for m in record.milestones] == [("plan", "progress"), ("review", "done")]
    assert record.phase == "plan", "the phase in flight is what a run last said it is working on"
    assert record.milestones[-1] == milestone("review", "done", head="abc")
    assert desk.look(order).record == record


def test_posts_survive_the_end_of_the_run(desk: Desk) -> None:
    order = desk.start("cat", stdin=b"")
    desk.end_of(order)
    desk.posts.relay("b1", "3", milestone())
    record = desk.look(order).record
    assert record is not None
    assert record.end is not None
    assert len(record.milestones) == 1


def test_an_older_generation_is_refused_and_asks_in_vain(desk: Desk) -> None:
    """R-54 (post and check): gen 0 wakes up after the takeover: both are refused, and nothing counts."""
    _, token = voiced(desk, "3")
    assert desk.posts.check("b1", "3", 0, token)
    desk.runner.fence("b1", "3", 1)
    assert not desk.posts.check("b1", "3", 0, token)
    with pytest.raises(SupersededError, match="Generation 1 has taken over") as refused:
        desk.posts.post("b1", "3", milestone(), token)
    assert refused.value.exit_code == 4
    again = desk.sh("sleep 300", gen=1)
    desk.agent_of(again)
    record = desk.posts.relay("b1", "3", milestone("implement", "progress", gen=1))
    assert [m.gen for m in record.milestones] == [1]
    with pytest.raises(SupersededError):
        desk.posts.relay("b1", "3", milestone())


@pytest.mark.parametrize(
    ("phase", "status", "keys", "against"),
    [
        ("review", "blocked", {}, "Its status 'blocked' needs a reason."),
        ("review", "partial", {"reason": "  "}, "Its status 'partial' needs a reason."),
        ("review", "done", {"note": "one\ntwo"}, "The value of 'note' has more than one line."),
        ("review", "done", {"note": LONG}, "The value of 'note' has 4001 characters, more than 4000."),
    ],
)
def test_a_post_that_breaks_the_rules_is_refused_and_nothing_is_recorded(
    desk: Desk, phase: str, status: str, keys: dict[str, str], against: str
) -> None:
    """R-39: exit 2 with what is missing, and nothing is recorded."""
    order = desk.sh("true")
    desk.end_of(order)
    with pytest.raises(UsageError) as refused:
        desk.posts.relay("b1", "3", milestone(phase, status, gen=0, **keys))
    assert (refused.value.exit_code, refused.value.against) == (2, against)
    record = desk.look(order).record
    assert record is not None
    assert record.milestones == ()


def test_there_is_nothing_to_post_to_outside_a_run(desk: Desk) -> None:
    with pytest.raises(UnknownUnitError):
        desk.posts.relay("b1", "77", milestone())
    assert not desk.posts.check("b1", "77", 0, "")


def test_a_run_speaks_for_itself_alone(desk: Desk) -> None:
    """Batch, issue and generation are no secret; what a sibling says under these names is refused, and not recorded."""
    (mine, own), (_, foreign) = voiced(desk, "3"), voiced(desk, "4")
    for token in (foreign, "", own[:-1]):
        with pytest.raises(RefusedError, match="The caller is not that run") as refused:
            desk.posts.post("b1", "3", milestone(), token)
        assert refused.value.exit_code == 1
        with pytest.raises(RefusedError, match="The caller is not that run"):
            desk.posts.check("b1", "3", 0, token)
    record = desk.posts.post("b1", "3", milestone("plan", "done"), own)
    assert [one.phase for one in record.milestones] == ["plan"]
    assert desk.posts.check("b1", "3", 0, own)
    desk.runner.stop("b1", "3", 0, kill=True)
    desk.end_of(mine)
    kept = b"".join(path.read_bytes() for path in Path(mine.folder).iterdir())
    assert own.encode() not in kept, "it stands in no order, log or record"
    assert own not in repr(desk.look(mine).record)
    assert b"it is ***\n" in desk.log(mine)


def voiced(desk: Desk, name: str) -> tuple[RunOrder, str]:
    """Start a run that tells us its token, and its own output as well."""
    order = desk.sh(f"echo it is $GITSCHED_POST_TOKEN; echo $GITSCHED_POST_TOKEN > token-{name}; sleep 300", name=name)
    file = desk.repo / f"token-{name}"
    desk.until(lambda: file.exists() and file.read_text().endswith("\n"))
    token = file.read_text().strip()
    assert len(token) == 64
    return order, token
