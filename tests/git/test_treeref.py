"""A small tree under one ref: every change is one commit, lost races decide anew, and nothing is half done."""

import os
import threading
from pathlib import Path

import pytest

from gitsched.adapters.git.objects import Objects, open_repository
from gitsched.adapters.git.treeref import ATTEMPTS, Edit, Signed, Snapshot, TreeRef, tip_of
from gitsched.errors import BusyError, InternalError, StorageFullError
from tests.real_git import Git, run_git

REF = "refs/gitsched/forge"
ADA = Signed("Ada", 1_700_000_000)


def a_treeref(repo: Path) -> TreeRef:
    return TreeRef(Objects(open_repository(repo)), REF, chance=lambda: 0.1)


def write(tree: TreeRef, **files: bytes | None) -> None:
    paths = {name.replace("__", "/"): content for name, content in files.items()}
    tree.change(lambda _: (Edit(paths, "Write", ADA), None))


def listed(repo: Path) -> list[str]:
    return run_git(repo, "ls-tree", "-r", "--name-only", REF).splitlines()


def test_files_are_written_read_and_removed(repo: Path, git: Git) -> None:
    tree = a_treeref(repo)
    assert tree.tip() is None
    assert tree.snapshot().file("a") is None
    assert tree.snapshot().names("d") == {}
    write(tree, a=b"1", d__b=b"2", d__e__f=b"3")
    write(tree, d__e__f=None, a=b"4")
    assert listed(repo) == ["a", "d/b"]
    seen = tree.snapshot()
    assert (seen.file("a"), seen.file("d/b"), seen.file("d/x"), seen.file("x/y")) == (b"4", b"2", None, None)
    assert list(seen.names("d")) == ["b"]
    assert seen.names("a") == {}
    assert seen.oid("d") == git(repo, "rev-parse", f"{REF}:d")
    assert git(repo, "log", "--format=%an %at %s", REF) == "Ada 1700000000 Write\nAda 1700000000 Write"
    git(repo, "fsck", "--strict")


def test_the_last_file_leaves_an_empty_tree(repo: Path) -> None:
    tree = a_treeref(repo)
    write(tree, d__b=b"2")
    write(tree, d__b=None)
    assert listed(repo) == []
    write(tree, d__b=None)
    write(tree, nothing=None)
    assert run_git(repo, "rev-list", "--count", REF) == "2"


def test_what_changes_nothing_writes_nothing(repo: Path) -> None:
    tree = a_treeref(repo)
    write(tree, a=b"1")
    before = tree.tip()
    write(tree, a=b"1")
    assert tree.change(lambda seen: (None, seen.file("a"))) == b"1"
    assert tree.tip() == before


def test_a_lost_race_decides_anew(repo: Path) -> None:
    tree, rival = a_treeref(repo), a_treeref(repo)
    seen: list[bytes | None] = []

    def decide(before: Snapshot) -> tuple[Edit | None, int]:
        seen.append(before.file("a"))
        if len(seen) < 3:
            write(rival, a=b"rival %d" % len(seen))
        return Edit({"b": b"mine"}, "Mine", ADA), len(seen)

    assert tree.change(decide) == 3
    assert seen == [None, b"rival 1", b"rival 2"]
    assert listed(repo) == ["a", "b"]


def test_creation_is_exclusive(repo: Path) -> None:
    """Eight writers create the ref at once: one wins, the others build on it."""
    barrier = threading.Barrier(8)

    def work(name: str) -> None:
        tree = TreeRef(Objects(open_repository(repo)), REF)
        barrier.wait(30)
        tree.change(lambda _: (Edit({name: b""}, name, ADA), None))

    rivals = [threading.Thread(target=work, args=(f"w{index}",)) for index in range(8)]
    for rival in rivals:
        rival.start()
    for rival in rivals:
        rival.join(60)
    assert listed(repo) == [f"w{index}" for index in range(8)]
    assert run_git(repo, "rev-list", "--count", REF) == "8"


def test_a_held_lock_ends_in_busy_with_nothing_changed(repo: Path) -> None:
    tree = a_treeref(repo)
    write(tree, a=b"1")
    before, asked = tree.tip(), 0
    (repo / ".git" / f"{REF}.lock").touch()

    def decide(_: Snapshot) -> tuple[Edit | None, None]:
        nonlocal asked
        asked += 1
        return Edit({"a": b"2"}, "Write 2", ADA), None

    hasty = TreeRef(tree.objects, REF, fsync=False, chance=lambda: 0.0)
    with pytest.raises(BusyError, match=rf"'{REF}' was to be changed: Write 2\. {ATTEMPTS} attempts were lost"):
        hasty.change(decide)
    assert (tree.tip(), asked) == (before, ATTEMPTS)
    (repo / ".git" / f"{REF}.lock").unlink()
    assert hasty.change(lambda _: (Edit({"a": b"2"}, "Write 2", ADA), "done")) == "done"


def test_packed_refs_count(repo: Path, git: Git) -> None:
    tree = a_treeref(repo)
    write(tree, a=b"1")
    git(repo, "pack-refs", "--all", "--prune")
    write(tree, a=b"2")
    assert tree.snapshot().file("a") == b"2"


def test_objects_that_cannot_be_written_are_told(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = a_treeref(repo)
    write(tree, a=b"1")
    before = tree.tip()
    for number in range(256):
        folder = repo / ".git/objects" / f"{number:02x}"
        if not folder.exists():
            folder.touch()
    many = {f"f{number}": b"%d" % number for number in range(50)}
    with pytest.raises(InternalError, match="could not be written"):
        write(tree, **many)
    room = os.statvfs(repo)
    full = os.statvfs_result((*room[:3], 0, 0, *room[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(StorageFullError, match="no room"):
        write(tree, **many)
    assert tree.tip() == before


@pytest.mark.parametrize(("name", "written"), [("Ada\nEve <x>", "Ada Eve  x"), (" <>. ", "gitsched"), ("", "gitsched")])
def test_names_that_git_refuses_are_mended(name: str, written: str) -> None:
    assert Signed(name, 5).encoded() == f"{written} <gitsched@localhost> 5 +0000".encode()


def test_a_symbolic_ref_is_followed(repo: Path, git: Git) -> None:
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    assert tip_of(a_treeref(repo).objects, "refs/heads/alias") == git(repo, "rev-parse", "main")
