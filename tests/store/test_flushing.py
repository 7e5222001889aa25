"""What a transaction names is on the disk before a ref names it."""

import os
from pathlib import Path

import pytest

from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.place import find_place
from gitsched.adapters.store import flushing, redo
from gitsched.adapters.store.flushing import WRITTEN_BACK_S, Flusher
from gitsched.domain.state import Draft
from tests.real_git import Git
from tests.store.verbs import applied, begun, enqueue, git_fsck, opened


class Disk:
    """Notes what is waited for."""

    def __init__(self, repo: Path, patch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self.synced: list[str] = []
        self.whole_count = 0
        patch.setattr(flushing, "_sync", lambda file: self.synced.append("".join(Path(file).parts[-2:])))
        self.flusher = Flusher(find_place(repo), open_repository(repo), self.sync_all)

    def sync_all(self) -> None:
        self.whole_count += 1

    def age(self, *names: str) -> None:
        """Let objects be older than the kernel keeps any from the disk."""
        for name in names:
            file = self.repo / ".git/objects" / name[:2] / name[2:]
            seconds = file.stat().st_mtime - WRITTEN_BACK_S - 60
            os.utime(file, (seconds, seconds))

    def flush(self, *commits: str) -> set[str]:
        self.synced.clear()
        written = (f"{name[:2]}/{name[2:]}" for name in commits)
        logged = self.flusher.flush(commits, written)
        self.flusher.logged(logged)
        return {*self.synced, *(file.replace("/", "") for file in logged)}


@pytest.fixture
def disk(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(repo, monkeypatch)


def committed(repo: Path, git: Git, file: str) -> str:
    (repo / file).parent.mkdir(exist_ok=True)
    (repo / file).write_text(f"{file}\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", file)
    return git(repo, "rev-parse", "HEAD")


def objects_of(repo: Path, git: Git, *revisions: str) -> set[str]:
    return set(git(repo, "rev-list", "--objects", "--no-object-names", *revisions).split())


def test_a_fresh_commit_is_flushed_with_all_that_is_new_in_it(disk: Disk, repo: Path, git: Git) -> None:
    before = git(repo, "rev-parse", "HEAD")
    disk.age(*objects_of(repo, git, before))
    commit = committed(repo, git, "folder/new")
    flushed = disk.flush(commit)
    assert objects_of(repo, git, commit, f"^{before}") <= flushed
    assert before not in flushed


def test_nothing_is_waited_for_twice(disk: Disk, repo: Path, git: Git) -> None:
    commit = committed(repo, git, "new")
    assert commit in disk.flush(commit)
    assert disk.flush(commit) == set()


def test_packs_were_waited_for_by_whoever_made_them(disk: Disk, repo: Path, git: Git) -> None:
    commit = committed(repo, git, "new")
    git(repo, "gc", "-q")
    assert disk.flush(commit) == set()


def test_many_are_waited_for_together(disk: Disk, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flushing, "_MANY", 2)
    commit = committed(repo, git, "new")
    assert disk.flush(commit) == set()
    assert disk.whole_count == 1


def test_without_a_time_of_its_own_everything_counts_as_new(disk: Disk, repo: Path, git: Git) -> None:
    commit = git(repo, "rev-parse", "HEAD")
    disk.age(*objects_of(repo, git, commit))
    logged = disk.flusher.flush([commit], [])
    assert {file.replace("/", "") for file in logged} == objects_of(repo, git, commit)


def test_what_is_small_is_logged_as_it_stands_and_the_rest_waited_for(
    disk: Disk, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = committed(repo, git, "new")
    file = repo / ".git/objects" / commit[:2] / commit[2:]
    assert disk.flusher.flush([commit], [])[f"{commit[:2]}/{commit[2:]}"] == file.read_bytes()
    assert disk.synced == []
    monkeypatch.setattr(flushing, "_SMALL_BYTES", 0)
    assert disk.flusher.flush([commit], []) == {}
    assert commit in disk.synced


def test_the_log_brings_back_what_others_wrote(repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent's commit that a record keeps is whole after the machine went down with none of it on the disk."""
    monkeypatch.setattr(redo, "_boot_id", lambda: "first")
    store = begun(repo, fsync=True)
    commit = committed(repo, git, "work")

    def keep(draft: Draft) -> None:
        enqueue(1)(draft)
        draft.keeps.append(commit)

    applied(store.apply(keep))
    for name in objects_of(repo, git, commit, f"^{commit}~1"):
        (repo / ".git/objects" / name[:2] / name[2:]).unlink()
    monkeypatch.setattr(redo, "_boot_id", lambda: "second")
    applied(opened(repo, fsync=True).apply(enqueue(2)))
    assert git(repo, "show", f"{commit}:work") == "work"
    git_fsck(repo)
