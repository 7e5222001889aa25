"""The desk, for every test of running commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.desk import Desk


@pytest.fixture
def desk(repo: Path) -> Iterator[Desk]:
    """Give the test a desk and leave no worker behind."""
    desk = Desk(repo)
    yield desk
    desk.close()
