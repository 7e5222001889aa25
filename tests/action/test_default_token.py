"""The Action on GitHub with the workflow's own token, whose pushes start no workflows."""

import json
from pathlib import Path
from typing import Any

import pytest

from gitsched.action import entry
from gitsched.domain.words import BatchStatus
from tests.github.fixtures import own_hub
from tests.github.fixtures_world import world
from tests.github.hub_world import HubWorld

__all__ = ["own_hub", "world"]


class Step:
    """The Action's step in a world, one run after the other."""

    def __init__(self, world: HubWorld, home: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("GITSCHED_CREDENTIAL", "")  # so that what the step sets ends with the test
        patch.setenv("GITSCHED_CREDENTIAL_ORIGIN", "")
        self._world, self._home, self._count = world, home, 0

    def run(self, name: str = "schedule", payload: dict[str, Any] | None = None, **more: str) -> tuple[int, str]:
        """Run it, and give its exit code and its summary."""
        import os

        self._count += 1
        event, summary = self._home / f"event-{self._count}.json", self._home / f"summary-{self._count}"
        event.write_text(json.dumps({"repository": {"id": 1}, **(payload or {})}))
        given = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(event), "GITHUB_STEP_SUMMARY": str(summary)}
        code = entry.run(self._world.repo, {**os.environ, **given, **more})
        return code, summary.read_text() if summary.exists() else ""


def test_w_32_a_push_of_the_default_token_starts_no_checks_and_that_is_said(
    world: HubWorld, hermetic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """W-32: each run ends, names the check that is waited for, and says why it will not start and what changes that."""
    world.remote.protect(contexts=("ci",))
    world.configure('[ship]\nmerge = "direct"\n')
    world.issue(3)
    world.agents(3)
    world.enqueue(3, batch="b1")
    step = Step(world, hermetic, monkeypatch)
    for _ in range(2):
        code, summary = step.run(GITSCHED_DEFAULT_TOKEN="true")
        assert code == 0
        assert (world.batch().status, world.batch().reason) == (BatchStatus.AWAITING_MERGE, "check-pending:ci")
        assert "check-pending:ci" in summary or "'ci'" in summary
        assert "start no workflows" in summary
        told = capsys.readouterr().out
        assert "::notice title=Checks will not start by themselves::" in told
        assert "Give the Action an App" in told
    code, summary = step.run(GITSCHED_DEFAULT_TOKEN="false")
    assert code == 0
    assert "start no workflows" not in summary


def test_w_32_a_fork_s_request_uses_no_secret_and_starts_no_agent(
    world: HubWorld, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W-32: with work that waits and a token at hand, GitHub is not asked once and nobody is started."""
    world.issue(3)
    world.agents(3)
    world.enqueue(3, batch="b1")
    world.hub.audit.clear()
    step, before = Step(world, hermetic, monkeypatch), world.state
    request = {"number": 5, "head": {"repo": {"id": 2}}, "base": {"repo": {"id": 1}}}
    for event in ("pull_request", "pull_request_target", "pull_request_review"):
        code, _ = step.run(event, {"action": "opened", "pull_request": request}, INPUT_TOKEN="secret-of-the-job")
        assert code == 0
    assert world.state == before
    assert world.started() == []
    assert not world.hub.audit.calls()
