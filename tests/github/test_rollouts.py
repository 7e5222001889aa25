"""A merged batch that waits for what GitHub says of its deployment."""

from gitsched.domain.forge import Rollout
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.forge.hub_place import HubPlace
from tests.github.hub_world import HubWorld

DEPLOY = '[deploy]\nenvironment = "production"\ntimeout = "10m"\n'


def merged(world: HubWorld) -> str:
    """Let a batch of two merge, and give the target's commit."""
    world.configure(f'[ship]\nmerge = "direct"\n{DEPLOY}')
    for issue in (3, 4):
        world.issue(issue)
    world.agents(3, 4)
    world.enqueue(3, 4, batch="b1")
    world.run()
    return world.remote.tip("main") or ""


def test_g_29_a_deployment_that_github_tells_of(world: HubWorld) -> None:
    """G-29: waited for; one of a commit before or to elsewhere does not count; one of a commit behind it does."""
    before = world.remote.tip("main") or ""
    tip = merged(world)
    world.remote.deploy(before)
    world.remote.deploy(tip, environment="staging")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.MERGED, "deploying:production")
    assert "It has merged, and waits for its deployment to 'production'." in world.why_batch().sentences
    assert not world.forge_issue(3).is_open
    later = world.remote.commit("main", {"news.txt": "news\n"})
    world.remote.deploy(later, "in_progress")
    world.run()
    assert world.batch().status is BatchStatus.MERGED
    assert len([event for event in world.told("progress") if event.fields.get("reason") == "deploying:production"]) == 1
    world.remote.deploy(later)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DONE, None)
    assert [event.sentence for event in world.told("deployed")] == ["b1 is deployed to production"]


def test_g_29_a_deployment_that_fails_or_never_comes(world: HubWorld) -> None:
    """G-29: `deploy-failed:failure`, then `deploy-timed-out`; nothing is put back, and resume looks again."""
    tip = merged(world)
    world.remote.deploy(tip, "failure")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "deploy-failed:failure")
    assert {world.member(n).status for n in (3, 4)} == {MemberStatus.SHIPPED}
    assert {world.entry(n).status for n in (3, 4)} == {EntryStatus.SHIPPED}
    assert world.remote.tip("main") == tip
    world.remote.deploy(tip, "queued")
    world.resume("b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.MERGED, "deploying:production")
    world.time.advance(700)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "deploy-timed-out")
    assert "is queued" in str(world.told("batch-blocked")[-1].fields["detail"])
    world.remote.deploy(tip)
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_what_github_does_not_tell_decides_nothing(world: HubWorld) -> None:
    merged(world)
    world.is_patient = True
    down = world.hub.down()
    world.time.advance(1000)
    world.tick()
    assert world.batch().status is BatchStatus.MERGED
    down.stop()
    world.time.advance(600)
    world.tick()
    assert world.batch().reason == "deploy-timed-out"
    assert [event.fields["what"] for event in world.told("ground-truth-unreachable")] == ["deployment of b1"]


def test_deployments_are_looked_at_as_seldom_as_pull_requests(place: HubPlace) -> None:
    tip = place.repository.tip("main") or ""
    assert place.forge.rollout("production", tip, tip.__eq__) is None
    place.looks = type(place.looks)(requests_s=150.0)
    place.forge = place.connected()
    made = place.repository.deploy(tip)
    place.repository.deploy(tip, "inactive", "idle")
    place.hub.audit.clear()
    for _ in range(3):
        found = place.forge.rollout("production", tip, tip.__eq__)
        assert isinstance(found, Rollout)
        assert found.word == "success"
    assert sum(place.hub.audit.calls().values()) == 2
    idle = place.forge.rollout("idle", tip, tip.__eq__)
    assert isinstance(idle, Rollout)
    assert idle.word == "inactive"
    made.statuses.append(type(made.statuses[0])(10**9, "inactive", made.user_id, made.at))
    again = place.connected().rollout("production", tip, tip.__eq__)
    assert isinstance(again, Rollout)
    assert again.word == "success"
    made.statuses.clear()
    again = place.connected().rollout("production", tip, tip.__eq__)
    assert isinstance(again, Rollout)
    assert again.word == "pending"


def test_a_credential_without_that_right_is_told(place: HubPlace) -> None:
    place.hub.forbid(path="/deployments", times=None)
    found = place.forge.rollout("production", "x", "x".__eq__)
    assert isinstance(found, Rollout)
    assert (found.word, "deployments" in found.detail) == ("denied", True)


def test_a_right_that_is_never_given_is_not_waited_for_without_end(world: HubWorld) -> None:
    """The batch waits for as long as for a deployment, and then says what GitHub denied; `resume` asks again."""
    tip = merged(world)
    fault = world.hub.forbid(path="/deployments", times=None)
    world.time.advance(160)
    world.tick()
    assert world.batch().status is BatchStatus.MERGED
    world.time.advance(3600)
    world.tick()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "deploy-timed-out")
    assert "denied" in str(world.told("batch-blocked")[-1].fields["detail"])
    fault.stop()
    world.remote.deploy(tip)
    world.resume("b1")
    world.time.advance(160)
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_a_deployment_that_cannot_be_read_stops_nobody(world: HubWorld) -> None:
    """A right that is hidden as 404, and a page in its place: the batch waits, and the tick goes on."""
    tip = merged(world)
    world.is_patient = True
    for status in (404, 422):
        fault = world.hub.answer(status, "Not Found", path="/deployments")
        world.time.advance(160)
        world.run()
        assert fault.came_count > 0
        assert world.batch().status is BatchStatus.MERGED
        fault.stop()
    world.remote.deploy(tip)
    world.time.advance(160)
    world.run()
    assert world.batch().status is BatchStatus.DONE
