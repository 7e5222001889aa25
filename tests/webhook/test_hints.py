"""Deliveries about a batch on GitHub: each is a hint where to look, and what GitHub itself says is the fact."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.wiring.clone import Clone
from tests.github.fixtures import own_hub
from tests.github.fixtures_world import world
from tests.github.hub_world import NAME, HubWorld
from tests.webhook.post import SECRET, headers, payload
from webhook.app import Service, create_app
from webhook.serving import service_of

__all__ = ["own_hub", "world"]


class Door:
    """The service of a world, without drivers of its own."""

    def __init__(self, world: HubWorld, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("SECRET_NEW", SECRET)
        file = world.repo / "gitsched.toml"
        file.write_text(file.read_text().replace("[github]", '[github]\nwebhook_secrets_env = ["SECRET_NEW"]', 1))
        self._world, self._count = world, 0
        self.service: Service = service_of(Clone(world.repo))
        patch.setattr(self.service.worker._drivers, "want", lambda _repository: None)
        self._client: FlaskClient = create_app(self.service).test_client()

    def tell(self, event: str, action: str, *, full_name: str = NAME, **more: Any) -> None:
        """Have a delivery come in, and be worked off."""
        self._count += 1
        number = self._world.remote.model.id
        body = payload(action, repository=number, full_name=full_name, **more)
        answer = self._client.post("/webhook", data=body, headers=headers(body, f"d{self._count}", event))
        assert (answer.status_code, answer.get_json()["reason"]) == (202, "stored")
        self.service.worker._look_again_at_s.clear()
        self.service.worker.round()
        (tenant,) = self.service.tenants.all
        assert tenant.inbox.waiting() == ()
        assert self.service.worker.troubles == {}


def merged_payload(number: int) -> dict[str, Any]:
    """Say that a pull request has merged, with everything that GitHub's payload would say so by."""
    told = {"number": number, "state": "closed", "merged": True, "merged_at": "2026-01-02T04:00:00Z"}
    return {"number": number, "pull_request": {**told, "merge_commit_sha": "a" * 40}}


def test_w_07_what_a_delivery_says_is_no_fact(world: HubWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-07: a delivery says merged, GitHub says open: nothing is shipped, by the worker or by a driver."""
    world.shipped(3)
    door, number = Door(world, monkeypatch), world.request().number
    door.tell("pull_request", "closed", **merged_payload(number))
    world.run()
    assert (world.batch().status, world.entry(3).status) == (BatchStatus.AWAITING_MERGE, EntryStatus.ASSIGNED)
    assert not world.told("merge-accepted")
    assert world.forge_issue(3).is_open
    assert world.remote.model.issues[number].closed_at is None


def test_g_23_what_a_delivery_tells_of_is_looked_at_at_once(world: HubWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """G-23 (the webhook): it merged 60 s after the last look, which is not due for 90 s more; then a delivery comes."""
    world.extra = '[watch]\ninterval = "150s"\n[labels]\ninterval = "150s"\n'
    world.shipped(3)
    door, number = Door(world, monkeypatch), world.request().number
    world.remote.merge_by_person(number, "rebase")
    world.time.advance(60)
    world.run()
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    door.tell("pull_request", "closed", **merged_payload(number))
    world.run()
    assert world.batch().status is BatchStatus.DONE


def test_g_35_queue_and_ledger_stay_whole_through_a_rename_and_a_transfer(
    world: HubWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-35: a command is heard once, and a batch ships, although the repository changes its name, then its owner."""
    world.shipped(3, 4)
    world.issue(9)
    world.remote.role("ada", "write")
    door, number = Door(world, monkeypatch), world.request().number
    world.time.advance(5)
    said = world.remote.comment(9, "/gitsched enqueue priority=3\n/gitsched hold", by="ada")
    about: dict[str, Any] = {"issue": {"number": 9}, "comment": {"id": said.id}}
    door.tell("issue_comment", "created", **about)
    assert (world.entry(9).priority, world.entry(9).hold) == (3, "operator")
    heard = world.state.heard
    for name in ("acme/store", "umbrella/store"):
        world.remote.rename("store") if name.startswith("acme") else world.remote.transfer("umbrella")
        door.tell("repository", "renamed", full_name=name)
        door.tell("issue_comment", "created", full_name=name, **about)
        world.run()
        assert world.state.heard == heard
        assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, None)
        assert [world.entry(n).status for n in (3, 4, 9)] == [EntryStatus.ASSIGNED] * 2 + [EntryStatus.QUEUED]
    world.remote.merge_by_person(number, "rebase")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [world.forge_issue(n).is_open for n in (3, 4)] == [False] * 2
    assert [len(world.told_on(n)) for n in (3, 4)] == [1] * 2
