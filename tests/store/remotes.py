"""A remote that is a folder, clones of it, and stores on them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitsched.adapters.git.push_report import PushAnswer, Unanswered
from gitsched.adapters.git.remote import Remote
from gitsched.adapters.store.shared import SharedStore
from gitsched.domain.ids import STATE_REF
from gitsched.domain.outcomes import Applied
from gitsched.domain.records import Control
from gitsched.domain.state import RefMove
from tests.real_git import run_git
from tests.store.rivals import race
from tests.store.verbs import TickingClock, git_fsck, raise_priority


def make_remote(folder: Path, repo: Path) -> Path:
    """Make a bare repository with the branches of `repo`, and let that know it as origin."""
    run_git(folder, "clone", "-q", "--bare", str(repo), "remote.git")
    remote = folder / "remote.git"
    run_git(repo, "remote", "add", "origin", str(remote))
    return remote


def clone_of(remote: Path | str, place: Path) -> Path:
    """Clone a remote as a person does."""
    run_git(place.parent, "clone", "-q", str(remote), place.name)
    return place


def joined(clone: Path, driver: str = "d1", remote: Remote | None = None, **options: Any) -> SharedStore:
    """Open the store of a clone whose origin is the authority."""
    there = remote or Remote(clone / ".git", "origin", "main")
    return SharedStore(clone, TickingClock(), there, driver, **{"fsync": False, **options})


def shared(clone: Path, **options: Any) -> SharedStore:
    """Open the store of a clone and set it up."""
    store = joined(clone, **options)
    store.initialise(Control())
    return store


def hook(remote: Path, name: str, script: str) -> Path:
    """Let the server run a script at a push."""
    file = remote / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def tip(repository: Path, ref: str) -> str | None:
    """Name what a ref is at; None when it is not there."""
    found = subprocess.run(
        ["git", "-C", repository, "rev-parse", "--verify", "-q", ref], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or None


class Forgetful(Remote):
    """A remote whose next answers are lost: each push arrives, and nobody is told."""

    lost_count = 1

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        """Push, and lose the answer as often as was asked."""
        answer = super().push(moves)
        if self.lost_count:
            self.lost_count -= 1
            return Unanswered("the connection was cut")
        return answer


def large_files_go(place: Path, monkeypatch: pytest.MonkeyPatch, remote: Path, log: Path, code: int = 0) -> None:
    """Put a git-lfs on PATH that ends so, and notes for each commit which branches of the remote held it before."""
    standin = place / "bin" / "git-lfs"
    standin.parent.mkdir()
    held = f"git --git-dir {remote} for-each-ref --format='%(refname)' --contains $head 2> /dev/null"
    lines = [
        "#!/bin/sh",
        "shift 2",
        f'for head in "$@"; do echo "$head:"$({held}) >> {log}; done',
        f"echo no room for a film >&2; exit {code}",
    ]
    standin.write_text("\n".join(lines) + "\n")
    standin.chmod(0o755)
    monkeypatch.setenv("PATH", f"{standin.parent}:{os.environ['PATH']}")


def race_of_clones(clones: Sequence[Path], each_count: int) -> None:
    """Let two writers of each clone raise issue 1's priority so many times, all beginning together."""

    def act(number: int) -> int:
        store = joined(clones[number // 2], f"d{number}")
        return sum(isinstance(store.apply(raise_priority(1)), Applied) for _ in range(each_count))

    assert set(race(2 * len(clones), act)) == {each_count}


def check_raced(repo: Path, remote: Path, count: int) -> None:
    """Check that every one of those updates is there once, and that the history has no fork."""
    last = joined(repo)
    last.catch_up()
    assert last.read().entries[1].priority == count
    assert run_git(remote, "rev-list", "--min-parents=2", STATE_REF) == ""
    git_fsck(remote)
