"""The sticky comment that says how a batch stands."""

from gitsched.domain.words import BatchStatus
from tests.github.hub_world import HubWorld

MARK = "<!-- gitsched:status:b1 -->"


def told(world: HubWorld) -> list[str]:
    number = world.remote.pulls()[0].number
    return [comment.body or "" for comment in world.remote.comments(number) if MARK in (comment.body or "")]


def test_g_28_one_comment_is_edited_in_place(world: HubWorld) -> None:
    """G-28 (anchor = "pr"): through many ticks and restarts there is one, and at the end it says what became of it."""
    world.remote.protect(contexts=("ci",))
    world.shipped(3, 4, merge="direct")
    assert len(told(world)) == 1
    assert "awaiting-merge" in told(world)[0]
    assert "check '{0}'" not in told(world)[0]
    assert "ci" in told(world)[0]
    world.hub.audit.clear()
    for _ in range(10):
        world.tick()
    assert not world.hub.audit.writes()
    world.remote.check(world.head())
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert len(told(world)) == 1
    assert "**`done`**" in told(world)[0]


def test_a_batch_may_be_told_of_nowhere(world: HubWorld) -> None:
    world.configure('[ship]\nmerge = "manual"\n')
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[project]", '[project]\nanchor = "none"', 1))
    world.issue(3)
    world.agents(3)
    world.enqueue(3, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert told(world) == []


def test_g_28_a_batch_has_an_issue_of_its_own_where_that_is_asked_for(world: HubWorld) -> None:
    """G-28 (anchor = "issue"): one issue and one comment in it, through restarts; closed when every member shipped."""
    world.configure('[ship]\nmerge = "direct"\n')
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[project]", '[project]\nanchor = "issue"', 1))
    for number in (3, 4):
        world.issue(number)
    world.agents(3, 4)
    world.enqueue(3, 4, batch="b1")
    for _ in range(5):
        world.tick()
    world.run()
    assert world.batch().status is BatchStatus.DONE
    place = int(world.batch().anchor or "0")
    repository = world.remote.model
    ours = [issue for issue in repository.issues.values() if "<!-- gitsched:anchor:b1 -->" in (issue.body or "")]
    assert [(issue.number, issue.state) for issue in ours] == [(place, "closed")]
    assert len([c for c in world.remote.comments(place) if MARK in (c.body or "")]) == 1
    assert told(world) == []
