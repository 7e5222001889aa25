"""Refs that hold a blob, through libgit2 and through the git program: one contract."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pygit2
import pytest

from gitsched.adapters.git.blobref import BlobRefs, LoadedBlobRefs, SpawnedBlobRefs
from gitsched.adapters.git.process import engine_git
from tests.real_git import Git

REF = "refs/gitsched/runs/b1/3"
Opener = Callable[[Path], BlobRefs]


def loaded(common: Path) -> BlobRefs:
    return LoadedBlobRefs(pygit2.Repository(common))


def spawned(common: Path) -> BlobRefs:
    return SpawnedBlobRefs(engine_git(common))


@pytest.fixture(params=[loaded, spawned], ids=["libgit2", "git"])
def opener(request: pytest.FixtureRequest) -> Opener:
    found: Opener = request.param
    return found


@pytest.fixture
def refs(opener: Opener, repo: Path) -> BlobRefs:
    return opener(repo / ".git")


def test_a_ref_is_created_replaced_and_deleted_by_what_it_holds(refs: BlobRefs, git: Git, repo: Path) -> None:
    assert refs.read(REF) is None
    assert refs.swap(REF, None, b"one\n") is None
    first = refs.read(REF)
    assert first is not None
    assert first.data == b"one\n"
    assert git(repo, "rev-parse", REF) == first.oid
    assert refs.swap(REF, None, b"two") is not None, "it is there already"
    assert refs.swap(REF, first.oid, b"") is None
    second = refs.read(REF)
    assert second is not None
    assert second.data == b""
    assert refs.swap(REF, first.oid, b"three") is not None, "it holds something else"
    assert refs.swap(REF, first.oid, None) is not None
    assert refs.read(REF) == second
    assert refs.swap(REF, second.oid, None) is None
    assert refs.read(REF) is None
    assert refs.swap(REF, None, None) is None


def test_a_locked_ref_is_not_swapped(refs: BlobRefs, repo: Path) -> None:
    lock = repo / ".git" / f"{REF}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert refs.swap(REF, None, b"one") is not None
    lock.unlink()
    assert refs.swap(REF, None, b"one") is None


def test_packed_and_repacked_refs_are_read_and_swapped(refs: BlobRefs, git: Git, repo: Path) -> None:
    assert refs.swap(REF, None, b"one") is None
    git(repo, "pack-refs", "--all")
    git(repo, "gc", "-q", "--prune=now")
    held = refs.read(REF)
    assert held is not None
    assert held.data == b"one"
    assert refs.swap(REF, held.oid, b"two") is None
    git(repo, "pack-refs", "--all")
    last = refs.read(REF)
    assert last is not None
    assert refs.swap(REF, last.oid, None) is None
    assert refs.read(REF) is None
    assert git(repo, "fsck", "--strict", "--no-dangling") == ""


def create(common: Path, is_spawned: bool, data: bytes) -> bool:
    refs = spawned(common) if is_spawned else loaded(common)
    return refs.swap(REF, None, data) is None


def test_of_rivals_that_create_a_ref_one_wins(repo: Path) -> None:
    common, rounds = repo / ".git", 6
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        for turn in range(rounds):
            tries = [pool.submit(create, common, index % 2 == 0, b"%d %d" % (turn, index)) for index in range(4)]
            assert [attempt.result() for attempt in tries].count(True) == 1
            refs = loaded(common)
            held = refs.read(REF)
            assert held is not None
            assert refs.swap(REF, held.oid, None) is None


def test_no_swap_is_lost_between_the_two_ways(repo: Path) -> None:
    common, each = repo / ".git", 20

    def count_up(open_refs: Opener) -> None:
        refs, done = open_refs(common), 0
        while done < each:
            held = refs.read(REF)
            number = 1 if held is None else int(held.data) + 1
            done += refs.swap(REF, held.oid if held else None, b"%d" % number) is None

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(count_up, (loaded, spawned)))
    held = loaded(common).read(REF)
    assert held is not None
    assert int(held.data) == 2 * each
