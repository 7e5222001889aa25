"""Locks that are taken outside of the store's queue, and processes that die while they hold them."""

import subprocess
import sys
from pathlib import Path

import pytest

from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.git.lock_notes import LockNotes
from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.ref_moves import GitRefs
from gitsched.domain.state import RefMove
from tests.golden import ROOT
from tests.real_git import run_git

RUN, BRANCH, FORGE = "refs/gitsched/runs/b1/3", "refs/heads/gitsched/b1/integration", "refs/gitsched/forge"
DIES = """\
import os, signal, sys
from pathlib import Path
from gitsched.adapters.git.lock_notes import LockNotes
from gitsched.adapters.git.place import find_place
place = find_place(Path(sys.argv[1]))
with LockNotes(place).noted(*sys.argv[2:]):
    for ref in sys.argv[2:]:
        place.lock_of(ref).parent.mkdir(parents=True, exist_ok=True)
        place.lock_of(ref).touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def died(repo: Path) -> Path:
    """Give a repository in which a process died while it held three locks."""
    subprocess.run([sys.executable, "-c", DIES, repo, RUN, BRANCH, FORGE], cwd=ROOT, check=False)
    assert len(list((repo / ".git" / "refs").rglob("*.lock"))) == 3
    return repo


def locks(repo: Path) -> list[Path]:
    return list((repo / ".git" / "refs").rglob("*.lock"))


def test_s_02_the_locks_of_the_dead_are_moved_aside_at_once(died: Path) -> None:
    """S-02, S-30: whoever begins after it waits for nothing, and its note is gone."""
    GitRefs(find_place(died)).heal()
    assert not locks(died)
    assert not list((died / ".git" / "gitsched" / "locking").glob("*"))


def test_s_02_a_run_ref_is_written_although_its_last_writer_died(died: Path) -> None:
    blobs = LoadedBlobRefs(open_repository(died / ".git"))
    assert blobs.swap(RUN, None, b"a") is not None
    assert blobs.swap(RUN, None, b"a") is None


def test_s_02_a_branch_moves_although_its_last_mover_died(died: Path) -> None:
    head = run_git(died, "rev-parse", "HEAD")
    assert GitRefs(find_place(died)).move([RefMove(BRANCH, None, head)]) is None
    assert run_git(died, "rev-parse", BRANCH) == head


def test_s_04_the_lock_of_the_living_is_never_removed(repo: Path) -> None:
    place = find_place(repo)
    holder = LockNotes(place)
    with holder.noted(FORGE):
        place.lock_of(FORGE).parent.mkdir(parents=True, exist_ok=True)
        place.lock_of(FORGE).touch()
        LockNotes(place).heal()
        assert place.lock_of(FORGE).exists()


def test_a_note_that_was_taken_back_says_nothing(repo: Path) -> None:
    place = find_place(repo)
    notes = LockNotes(place)
    with notes.noted(FORGE):
        pass
    place.lock_of(FORGE).parent.mkdir(parents=True, exist_ok=True)
    place.lock_of(FORGE).touch()
    del notes
    LockNotes(place).heal()
    assert place.lock_of(FORGE).exists()
