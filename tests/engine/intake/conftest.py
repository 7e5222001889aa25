"""An office per test, on a copy of one repository whose forge has nine issues."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import IssueDraft
from tests.engine.intake.office import ACTOR, Office


@pytest.fixture(scope="session")
def nine_issues(worlds: Path, repo_template: Path) -> Path:
    folder = Path(shutil.copytree(repo_template, mkdtemp(dir=worlds), symlinks=True, dirs_exist_ok=True))
    tracker = Tracker(folder, SystemClock(), ACTOR, fsync=False)
    for number in range(1, 10):
        tracker.new_issue(IssueDraft(title=f"Work {number}"))
    return folder


@pytest.fixture
def office(tmp_path: Path, nine_issues: Path) -> Office:
    return Office(Path(shutil.copytree(nine_issues, tmp_path / "repo", symlinks=True)))
