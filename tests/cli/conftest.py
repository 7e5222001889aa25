"""A project that is configured and holds nothing yet."""

from pathlib import Path

import pytest

from tests.cli.calling import Project


@pytest.fixture
def project(repo: Path, tmp_path: Path) -> Project:
    home = tmp_path / "beside"
    home.mkdir()
    return Project(repo, home)
