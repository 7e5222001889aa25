"""A world whose agents work in repositories apart, over smart HTTP, with only the environment that is declared."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.fleet.away import ActionsWorld, AwayWorld
from tests.github.fixtures import OwnHub, own_hub
from tests.remotes.serving import smart_http
from tests.store.verbs import git_fsck


@pytest.fixture
def away(repo: Path, tmp_path: Path) -> Iterator[AwayWorld]:
    """Give the world; what it leaves behind fails the test."""
    made = AwayWorld.begin(repo, tmp_path)
    with smart_http(made.remote.parent) as served:
        made.served_at(f"{served}{made.remote.name}")
        yield made
        made.news().expect_clean()
        assert findings_of(Clone(made.repo).premises()) == ()
        git_fsck(made.repo)
        git_fsck(made.remote)
        assert made.left_there() == []


@pytest.fixture
def fleet(own_hub: OwnHub, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ActionsWorld]:
    """Give a world whose agents GitHub Actions works; what it leaves behind fails the test."""
    hub = own_hub(follows=SystemClock(None).now)
    monkeypatch.setenv("GITHUB_TOKEN", hub.app.token(lifetime_s=86_400 * 365, contents="read", actions="write"))
    made = ActionsWorld.on(hub, repo, tmp_path)
    yield made
    made.machines.join()
    made.news().expect_clean()
    assert findings_of(Clone(made.repo).premises()) == ()
    git_fsck(made.repo)
    assert made.left_there() == []


__all__ = ["own_hub"]
