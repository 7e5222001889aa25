"""The machine goes down: what was told as done is done."""

from pathlib import Path

import pytest

from gitsched.adapters.store import redo
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import STATE_REF
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, RefMove
from gitsched.errors import RefusedError
from tests.real_git import Git
from tests.store.verbs import Heard, applied, begun, enqueue, git_fsck, opened, raise_priority

MAIN = "refs/heads/main"


@pytest.fixture
def durable(repo: Path, monkeypatch: pytest.MonkeyPatch) -> GitStore:
    """Give a store that logs, on a machine that will go down."""
    monkeypatch.setattr(redo, "_boot_id", lambda: "first")
    return begun(repo, fsync=True)


def go_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redo, "_boot_id", lambda: "second")


def lose_objects(repo: Path, git: Git, since: str) -> None:
    """Leave the newest objects as a file system without a journal may: empty, or not there at all."""
    names = git(repo, "rev-list", "--objects", "--no-object-names", f"{since}..{STATE_REF}").splitlines()
    for number, name in enumerate(names):
        file = repo / ".git/objects" / name[:2] / name[2:]
        file.unlink()
        if number % 2:
            file.write_bytes(b"")


def test_lost_objects_and_a_torn_ref_come_back(
    durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable.apply(enqueue(1))
    since = str(durable.tip)
    for _ in range(3):
        applied(durable.apply(raise_priority(1)))
    lose_objects(repo, git, since)
    (repo / ".git" / STATE_REF).write_text("")
    go_down(monkeypatch)
    with pytest.raises(RefusedError, match="gitsched tick"):
        opened(repo).read()

    heard = Heard()
    store = opened(repo, fsync=True, tell=heard)
    applied(store.apply(raise_priority(1)))
    assert store.read().entries[1].priority == 4
    assert "went down" in heard.told[0]
    git_fsck(repo)
    assert opened(repo, fsync=True, tell=heard).read() == store.read()
    assert len(heard.told) == 1


def test_a_ref_that_fell_back_moves_on_with_its_branch(
    durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable.apply(enqueue(1))
    before, head = str(durable.tip), git(repo, "rev-parse", "HEAD")
    new = git(repo, "commit-tree", "-p", head, "-m", "landed", "HEAD^{tree}")

    def ship(draft: Draft) -> None:
        raise_priority(1)(draft)
        draft.moves.append(RefMove(MAIN, head, new))

    after = applied(durable.apply(ship)).commit
    git(repo, "update-ref", STATE_REF, before)
    git(repo, "update-ref", MAIN, head)
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    store.apply(lambda _: None)
    assert (git(repo, "rev-parse", STATE_REF), git(repo, "rev-parse", MAIN)) == (after, new)


def test_a_branch_that_somebody_moved_back_stays_there(
    durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable.apply(enqueue(1))
    head = git(repo, "rev-parse", "HEAD")
    new = git(repo, "commit-tree", "-p", head, "-m", "landed", "HEAD^{tree}")

    def ship(draft: Draft) -> None:
        raise_priority(1)(draft)
        draft.moves.append(RefMove(MAIN, head, new))

    applied(durable.apply(ship))
    git(repo, "update-ref", MAIN, head)
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    applied(store.apply(raise_priority(1)))
    assert git(repo, "rev-parse", MAIN) == head


def test_what_was_refused_is_not_redone(
    durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable.apply(enqueue(1))
    head, before = git(repo, "rev-parse", "HEAD"), durable.tip
    branch = "refs/heads/gitsched/b1/integration"

    def cut(draft: Draft) -> None:
        raise_priority(1)(draft)
        draft.moves.append(RefMove(branch, None, head))
        git(repo, "update-ref", branch, head)

    # The branch appears after the first look: the refusal comes from under the locks, when all is logged already.
    monkeypatch.setattr(
        "gitsched.adapters.store.transaction.read_ref",
        lambda place, name: None if name == branch else read_ref(place, name),
    )
    assert isinstance(durable.apply(cut), RefMoved)
    monkeypatch.undo()
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    store.apply(lambda _: None)
    assert store.read().entries[1].priority == 0
    assert store.tip == before


def test_the_log_begins_anew_when_it_is_full(durable: GitStore, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redo, "_LIMIT_BYTES", 12_000)
    durable.apply(enqueue(1))
    first = redo._HEADER.unpack((repo / ".git/gitsched/redo").read_bytes()[: redo._HEADER.size])[2]
    for _ in range(20):
        applied(durable.apply(raise_priority(1)))
    _, _, last, at = redo._HEADER.unpack((repo / ".git/gitsched/redo").read_bytes()[: redo._HEADER.size])
    assert last > first
    assert at <= 12_000
    (repo / ".git" / STATE_REF).write_text("")
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    applied(store.apply(raise_priority(1)))
    assert store.read().entries[1].priority == 21


def test_a_torn_record_ends_the_log(durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    durable.apply(enqueue(1))
    applied(durable.apply(raise_priority(1)))
    kept = durable.tip
    at = redo._HEADER.unpack((repo / ".git/gitsched/redo").read_bytes()[: redo._HEADER.size])[3]
    applied(durable.apply(raise_priority(1)))
    file = repo / ".git/gitsched/redo"
    torn = bytearray(file.read_bytes())
    torn[at + 60] ^= 0xFF
    file.write_bytes(torn)
    git(repo, "update-ref", STATE_REF, f"{kept}~1")
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    store.apply(lambda _: None)
    assert store.read().entries[1].priority == 1


def test_a_large_transaction_is_durable_without_the_log(
    durable: GitStore, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redo, "_LARGEST_BYTES", 3_000)
    before = (repo / ".git/gitsched/redo").read_bytes()
    applied(durable.apply(enqueue(*range(1, 40))))
    assert (repo / ".git/gitsched/redo").read_bytes() == before
    go_down(monkeypatch)
    assert len(opened(repo, fsync=True).read().entries) == 39


def test_setting_up_again_after_a_crash_finds_the_store(
    durable: GitStore, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    durable.apply(enqueue(1))
    own = durable.read().format.store
    (repo / ".git" / STATE_REF).write_text("")
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    store.initialise(Control())
    assert (store.read().format.store, sorted(store.read().entries)) == (own, [1])


def test_a_log_that_was_removed_under_a_writer_is_begun_where_others_find_it(
    durable: GitStore, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it held is got to the disk first; what comes after is redone."""
    other = opened(repo, fsync=True)
    for store in (durable, other):
        applied(store.apply(enqueue(1) if store is durable else raise_priority(1)))
    (repo / ".git/gitsched/redo").unlink()
    for store in (durable, other, durable):
        applied(store.apply(raise_priority(1)))
        assert durable.read() == other.read() == opened(repo).read()
    (repo / ".git" / STATE_REF).write_text("")
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    applied(store.apply(raise_priority(1)))
    assert store.read().entries[1].priority == 5


@pytest.mark.parametrize("at", [0, 5, 13, 21, 27, 4096, 4100, 4125, 4200], ids=str)
@pytest.mark.parametrize("length", [1, 8, 300])
def test_a_log_that_somebody_wrote_into_misleads_nobody(durable: GitStore, repo: Path, at: int, length: int) -> None:
    other = opened(repo, fsync=True)
    applied(durable.apply(enqueue(1)))
    other.apply(raise_priority(1))
    for store in (durable, other, durable, other):
        with (repo / ".git/gitsched/redo").open("r+b") as log:
            log.seek(at)
            log.write(b"\xff" * length)
        applied(store.apply(raise_priority(1)))
        assert durable.read() == other.read() == opened(repo).read()
    assert durable.read().entries[1].priority == 5


def test_a_record_that_was_changed_tells_nothing(durable: GitStore, repo: Path) -> None:
    """One digit of the path of what changed: the record would be put in another's place."""
    other = opened(repo, fsync=True)
    applied(other.apply(enqueue(1, 2)))
    durable.read()
    applied(other.apply(raise_priority(1)))
    file = repo / ".git/gitsched/redo"
    before, at, after = file.read_bytes().rpartition(b"queue/01/1")
    assert at
    with file.open("r+b") as log:
        log.write(before + b"queue/01/2" + after)
    assert durable.read() == opened(repo).read()


def test_what_lies_behind_a_log_without_a_header_is_not_redone(
    durable: GitStore, repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Transactions are alike in length: an older round's next one stands right behind the newest of this."""
    durable.apply(enqueue(1))
    for count in (6, 1):
        with (repo / ".git/gitsched/redo").open("r+b") as log:
            log.write(bytes(redo._HEADER.size))
        for _ in range(count):
            applied(durable.apply(raise_priority(1)))
    newest = durable.tip
    go_down(monkeypatch)
    store = opened(repo, fsync=True, tell=Heard())
    store.apply(lambda _: None)
    assert git(repo, "rev-parse", STATE_REF) == newest
