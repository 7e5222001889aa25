"""The world fixture: every engine test ends with a look at what it left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.world import World


@pytest.fixture
def world(repo: Path, hermetic: Path) -> Iterator[World]:
    """Give the test a world; what lives on after it fails it."""
    made = World(repo, hermetic)
    yield made
    made.expect_clean()
