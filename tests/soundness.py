"""A look at every repository of a test once it is over: git and `gitsched fsck` find it whole."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import STATE_REF
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.store.remotes import tip
from tests.store.verbs import TickingClock, git_fsck, told_truly


def repositories(*roots: Path) -> set[Path]:
    """Find every repository below some folders, bare or not; linked worktrees are none of their own."""
    found = set()
    for root in roots:
        for folder, folders, _ in os.walk(root):
            place = Path(folder)
            inner = place / ".git" if (place / ".git").is_dir() else place
            if (inner / "objects").is_dir() and (inner / "HEAD").is_file():
                found.add(place)
                folders[:] = []
    return found


def expect_sound(place: Path) -> None:
    """Fail unless git finds a repository whole, and we find its state, or at least its journal, in order."""
    git_fsck(place)
    if tip(place, STATE_REF) is None:
        return
    if (place / "gitsched.toml").exists():
        clone = Clone(place)
        clone.catch_up()
        assert findings_of(clone.premises()) == (), place
    else:
        assert told_truly(GitStore(place, TickingClock(), "fsck", fsync=False)) == [], place


@pytest.fixture
def sound(hermetic: Path, repo: Path, tmp_path: Path) -> Iterator[None]:
    """Look, when a test has ended, at its clones and its remotes."""
    yield
    for place in sorted(repositories(hermetic, repo, tmp_path)):
        expect_sound(place)
