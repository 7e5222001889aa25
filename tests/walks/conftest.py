"""A town per test, on a copy of one repository whose forge has nine issues."""

from pathlib import Path

import pytest

from tests.walks.manners import Manners
from tests.walks.town import Town, template


@pytest.fixture
def made(repo: Path) -> Path:
    template(repo)
    return repo


@pytest.fixture
def town(made: Path, hermetic: Path) -> Town:
    return Town(made, hermetic, Manners())
