"""The world on GitHub as a fixture."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from tests.github.fixtures import OwnHub
from tests.github.hub_world import BEGIN, HubWorld, make_world
from tests.walks.properties import check_properties


@pytest.fixture
def world(own_hub: OwnHub, repo: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubWorld]:
    """Give the test a world on GitHub; what lives on after it fails it."""
    file = hermetic / "clock"
    file.write_text(BEGIN)
    hub = own_hub(follows=SystemClock(str(file)).now)
    made = make_world(hub, repo, hermetic, monkeypatch)
    yield made
    made.expect_clean()
    check_properties(made.repo, made.clone.clock)
