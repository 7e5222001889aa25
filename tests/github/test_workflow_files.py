"""Workflow files: who may push them is known before any push is tried, and a refusal is told once, in its words."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.forge.hub_place import HubPlace
from tests.github.hub_world import HubWorld
from tests.github.test_credentials import installation

CHANGE = "mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml"
SCOPES = ("repo", "read:org")


def as_whom(world: HubWorld, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    """Ask GitHub by another token from here on."""
    world.remote.role("ada", "admin")
    monkeypatch.setenv("GITHUB_TOKEN", token)


def test_l_30_a_token_that_may_not_push_workflows_lands_none(world: HubWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """L-30: it is evicted before any gate and any push, with the file and the right in its reason; the other lands.

    An operator may let it through all the same; then GitHub refuses the branch, and that is told once, not tried on.
    """
    as_whom(world, monkeypatch, world.hub.token("ada", scopes=SCOPES))
    world.configure('[ship]\nmerge = "manual"\n[[gates]]\nname = "unit"\nrun = ["true"]\n')
    for issue in (3, 4):
        world.issue(issue)
    world.agent(3, CHANGE)
    world.agents(4)
    world.enqueue(3, 4, batch="b1")
    world.run()
    world.expect_landed(4)
    member, exit_ = world.member(3), world.entry(3).evidence[-1]
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "hazard:workflow-file")
    assert exit_.detail is not None
    assert ".github/workflows/ci.yml" in exit_.detail
    assert "token" in exit_.detail
    assert member.gates == {}
    assert world.entry(3).status is EntryStatus.PARKED
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert not world.told("landing-failed")
    world.agent(3, "true")
    world.requeue(3, "hazard:workflow-file")
    world.run()
    world.expect_landed(3, batch="i3")
    assert world.batch("i3").status is BatchStatus.BLOCKED
    assert str(world.batch("i3").reason).startswith("landing-refused:")
    assert "workflow" in str(world.batch("i3").reason)
    before = len(world.journal())
    world.run()
    assert [entry for entry in world.journal()[before:] if any(e.batch == "i3" for e in entry.events)] == []


def test_l_30_who_may_is_told_by_the_app_by_github_or_by_a_push_alone(place: HubPlace) -> None:
    """L-30: an App by what it was granted, a person by the scopes that GitHub names, a workflow's own token never."""
    hub = place.hub
    assert place.forge.may_push_workflows(), "a plain token of an App does not tell"
    for login, scopes, may in (
        ("ada", None, True),
        ("ada", SCOPES, False),
        ("ada", (*SCOPES, "workflow"), True),
        ("github-actions[bot]", None, False),
    ):
        place.repository.role(login, "admin")
        place.token = hub.token(login, scopes=scopes)
        forge = place.connected()
        forge.repository.reopen()
        assert forge.may_push_workflows() is may, (login, scopes)
    place.token = hub.token("ada", scopes=SCOPES)
    place.connected().repository.reopen()
    assert not place.connected().may_push_workflows(), "asked for where nothing was asked yet"
    assert "workflows" not in installation(hub).renew().rights
    hub.app.grant(workflows="write")
    credential = installation(hub).credential(hub.now_s)
    assert credential.rights()["workflows"] == "write"
