"""A service over one configured repository of the local forge, called without a socket."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import IssueDraft
from gitsched.wiring.clone import Clone
from tests.real_git import run_git
from tests.webhook.post import SECRET, headers, payload
from webhook.app import Service, create_app
from webhook.serving import service_of

CONFIG = """
[project]
remote = ""
[suite]
run = "none"
[github]
repository = "octo/repo"
webhook_secrets_env = ["SECRET_NEW", "SECRET_OLD", "SECRETS_FILE"]
{more}
[store]
fsync = false
"""


class House:
    """A repository that is served."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.configure()
        self.tracker = Tracker(repo, SystemClock(), "ada", fsync=False)
        for number in range(1, 4):
            self.tracker.new_issue(IssueDraft(title=f"Work {number}"))
        self._service: Service | None = None

    def configure(self, more: str = "") -> None:
        """Write the configuration into the target branch."""
        (self.repo / "gitsched.toml").write_text(CONFIG.format(more=more))
        run_git(self.repo, "add", "-A")
        run_git(self.repo, "commit", "-q", "--allow-empty", "-m", "Configure")

    @property
    def clone(self) -> Clone:
        return Clone(self.repo)

    @property
    def service(self) -> Service:
        if self._service is None:
            self._service = service_of(self.clone)
        return self._service

    @property
    def client(self) -> FlaskClient:
        return create_app(self.service).test_client()

    def post(self, body: bytes | None = None, /, **more: str) -> tuple[int, str]:
        """Post a delivery: the status and the reason that is told."""
        content = payload() if body is None else body
        answer = self.client.post("/webhook", data=content, headers=headers(content, **more))
        told = answer.get_json(silent=True) or {}
        return answer.status_code, told.get("reason", "")

    def waiting(self) -> list[str]:
        return [delivery.id for delivery in self.service.tenants.all[0].inbox.waiting()]

    def comment(self, number: int, body: str) -> bytes:
        """Let a person comment, and give the delivery that tells it."""
        comment = self.tracker.comment(number, body)
        return payload("created", issue={"number": number}, comment={"id": comment})


@pytest.fixture
def house(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setenv("SECRET_NEW", SECRET)
    made = House(repo)
    yield made
    if made._service is not None:
        made._service.worker.stop(5.0)
