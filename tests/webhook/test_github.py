"""The service with GitHub behind it: a comment there, its delivery here, the answer there."""

from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.wiring.clone import Clone
from tests.github.fixtures import OwnHub, own_hub
from tests.real_git import run_git
from tests.webhook.post import SECRET, headers, payload
from webhook.app import create_app
from webhook.serving import service_of

__all__ = ["own_hub"]

CONFIG = """
[project]
forge = "github"
remote = ""
[suite]
run = "none"
[github]
repository = "acme/shop"
api_url = "{api}"
token_env = "HUB_TOKEN"
webhook_secrets_env = ["SECRET_NEW"]
[store]
fsync = false
"""


def test_a_command_on_github_runs_once_and_is_answered_there(
    repo: Path, own_hub: OwnHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W-23, W-24: by its delivery, by the same one again, and by the poll; the right is looked up by the number."""
    hub = own_hub(follows=SystemClock().now)
    shop = hub.repository("acme/shop")
    monkeypatch.setenv("SECRET_NEW", SECRET)
    monkeypatch.setenv("HUB_TOKEN", hub.app.token(lifetime_s=10_000_000))
    (repo / "gitsched.toml").write_text(CONFIG.format(api=hub.api_url))
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "Configure")
    number = shop.issue(title="Add login").number
    shop.role("ada", "write")
    service = service_of(Clone(repo))
    client = create_app(service).test_client()
    said = shop.comment(number, "/gitsched enqueue priority=4\n/gitsched why", by="ada")
    denied = shop.comment(number, "/gitsched stop", by="eve")
    for name, comment in (("a", said), ("a", said), ("b", denied)):
        body = payload("created", full_name="acme/shop", issue={"number": number}, comment={"id": comment.id})
        answer = client.post("/webhook", data=body, headers=headers(body, name, "issue_comment"))
        assert answer.status_code == 202
    monkeypatch.setattr(service.worker._drivers, "want", lambda _repository: None)
    for _ in range(2):
        service.worker.round()
    service.worker.stop(5.0)
    entry = Clone(repo).store.read().entries[number]
    assert (entry.status, entry.priority) == ("queued", 4)
    assert [reaction.content for reaction in said.reactions] == ["eyes", "+1"]
    assert [reaction.content for reaction in denied.reactions] == ["eyes", "confused"]
    answers = [found.body or "" for found in shop.comments(number) if found.id not in (said.id, denied.id)]
    assert len(answers) == 2
    assert f"{number} is queued" in answers[0]
    assert "takes the role write" in answers[1]
