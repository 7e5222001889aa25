"""A place at the fake GitHub for tests of the adapter alone."""

from pathlib import Path

import pytest

from tests.forge.hub_place import HubPlace
from tests.github.fixtures import OwnHub


@pytest.fixture
def place(own_hub: OwnHub, tmp_path: Path) -> HubPlace:
    """Give the test a repository on the fake and the adapter in a clone of it."""
    return HubPlace(own_hub(), tmp_path / "clone")
