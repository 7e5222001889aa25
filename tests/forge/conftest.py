"""What the tests of forges share."""

from pathlib import Path

import pytest

from tests.forge.places import Place
from tests.github.fixtures import hub, own_hub

__all__ = ["hub", "own_hub"]


@pytest.fixture
def place(repo: Path) -> Place:
    """Give the test a repository with a local forge; its main checkout is away from `main`."""
    here = Place(repo)
    here.git("switch", "--quiet", "--detach")
    return here
