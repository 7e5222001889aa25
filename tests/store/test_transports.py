"""The same transactions over every transport that git has: a folder, git's daemon, and smart HTTP."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from gitsched.domain.ids import STATE_REF
from gitsched.domain.state import Draft, RefMove
from gitsched.errors import RemoteAwayError, RemoteRefusedError
from tests.real_git import Git
from tests.remotes.cutting import cutting
from tests.remotes.serving import Tally, git_daemon, smart_http
from tests.store.remotes import check_raced, clone_of, hook, joined, race_of_clones, shared, tip
from tests.store.verbs import applied, enqueue, raise_priority

pytestmark = pytest.mark.usefixtures("sound")


def folder(root: Path) -> AbstractContextManager[str]:
    """Serve the folder itself."""
    return nullcontext(f"{root}/")


SERVERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "folder": folder,
    "daemon": git_daemon,
    "http": smart_http,
}


@pytest.fixture(params=list(SERVERS))
def address(request: pytest.FixtureRequest, remote: Path, repo: Path, git: Git) -> Iterator[str]:
    """Serve it, and let `repo` know it by that address."""
    with SERVERS[request.param](remote.parent) as served:
        git(repo, "remote", "set-url", "origin", f"{served}{remote.name}")
        yield f"{served}{remote.name}"


def test_clones_that_race_lose_nothing(address: str, repo: Path, remote: Path, tmp_path: Path) -> None:
    """P8 in small: no update is lost over any transport, by combining writers or without."""
    shared(repo).apply(enqueue(1))
    clones = [clone_of(address, tmp_path / f"clone{number}") for number in range(2)]
    race_of_clones(clones, each_count=3)
    check_raced(repo, remote, 12)


def test_refused_and_lost_are_told_apart(address: str, repo: Path, remote: Path, git: Git) -> None:
    """S-09, S-10: a hook's words come through; a server-side lost race is none of them."""
    store = shared(repo)
    before, head = tip(remote, STATE_REF), git(repo, "rev-parse", "HEAD")
    hook(remote, "update", 'case "$1" in */integration) echo "frozen until monday"; exit 1;; esac; exit 0')

    def land(draft: Draft) -> None:
        enqueue(7)(draft)
        draft.moves.append(RefMove("refs/heads/gitsched/b1/integration", None, head))

    with pytest.raises(RemoteRefusedError, match="frozen until monday"):
        store.apply(land)
    assert tip(remote, STATE_REF) == before
    applied(store.apply(enqueue(8)))


@pytest.mark.timeout(300)
def test_show_3_answers_that_are_cut_off(repo: Path, remote: Path, git: Git) -> None:
    """S-11, S-33: the server took each push and every second answer was cut; nothing is lost or repeated."""
    tally = Tally()
    with smart_http(remote.parent, tally) as served, cutting(served) as proxy:
        git(repo, "remote", "set-url", "origin", f"{proxy.address}{remote.name}")
        store = shared(repo)
        applied(store.apply(enqueue(1)))
        tally.push_count = 0
        for number in range(10):
            proxy.to_cut = number % 2
            applied(store.apply(raise_priority(1)))
        assert (proxy.cut_count, tally.push_count) == (5, 10), "what was cut off is not pushed again"
        assert store.read().entries[1].priority == 10
        told = [str(event.name) for entry in store.history() for event in entry.events]
        assert told.count("reprioritized") == 10
        assert tip(repo, STATE_REF) == tip(remote, STATE_REF)


def test_a_server_that_is_down(repo: Path, remote: Path, git: Git) -> None:
    """S-08: no connection decides nothing."""
    with smart_http(remote.parent) as served:
        git(repo, "remote", "set-url", "origin", f"{served}{remote.name}")
        shared(repo)
    with pytest.raises(RemoteAwayError):
        joined(repo).apply(enqueue(1))
