"""Every real payload that GitHub's users have collected is posted: none crashes, none acts wrongly."""

import json
from typing import Any

import pytest

from gitsched.domain.state import State
from tests.golden import ROOT
from tests.webhook.conftest import House
from tests.webhook.post import headers
from webhook.app import create_app

FILE = ROOT / "build" / "descriptions" / "index.json"


@pytest.fixture
def examples() -> list[dict[str, Any]]:
    if not FILE.is_file():
        pytest.skip("the payloads are not here: `make descriptions` fetches them from the package registry")
    found: list[dict[str, Any]] = json.loads(FILE.read_text())
    return found


def test_every_payload_is_taken_and_none_acts_by_itself(house: House, examples: list[dict[str, Any]]) -> None:
    """W-09: payloads with everything that is missing or null in real ones; they name things that are not here."""
    client = create_app(house.service).test_client()
    house.post()
    count = 0
    for event in examples:
        for example in event["examples"]:
            count += 1
            about = {**example, "repository": {**(example.get("repository") or {}), "id": 77}}
            for name, payload in ((f"as-it-is-{count}", example), (f"ours-{count}", about)):
                body = json.dumps(payload).encode()
                answer = client.post("/webhook", data=body, headers=headers(body, name, event["name"]))
                assert answer.status_code == 202, (event["name"], answer.text)
    assert count > 300
    assert len(house.waiting()) >= count
    repository = house.service.tenants.all[0]
    drained = repository.drain(repository.inbox.waiting(), lambda: True)
    assert drained.failures == {}
    assert house.waiting() == []
    state = house.clone.store.read()
    assert state.entries == State().entries
    assert state.batches == State().batches
    assert set(state.heard) == set()
