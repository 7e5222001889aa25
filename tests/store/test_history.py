"""The history as a story, as facts to be replayed, and as states to go back to."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import STATE_REF
from gitsched.domain.records import Control
from gitsched.domain.replay import claimed_by, replay, statuses_of
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.errors import UnknownUnitError
from tests.real_git import Git
from tests.store.verbs import applied, begun, enqueue, form, opened, raise_priority


def evict(batch: str, issue: int) -> Any:
    def intent(draft: Draft) -> None:
        member = replace(draft.state.members[batch, issue], status=MemberStatus.EVICTED, reason="suite")
        entry = replace(draft.state.entries[issue], status=EntryStatus.PARKED, batch=None)
        draft.note(
            EventName.MEMBER_EVICTED, f"Evicted {issue}.", member, entry, batch=batch, issue=issue, reason="suite"
        )

    return intent


def seal(batch: str) -> Any:
    def intent(draft: Draft) -> None:
        sealed = replace(draft.state.batches[batch], status=BatchStatus.READY)
        draft.note(EventName.SEALED, f"Sealed {batch}.", sealed, batch=batch)

    return intent


def test_git_log_tells_a_batchs_story(store: GitStore, repo: Path, git: Git) -> None:
    """S-15: one sentence as subject, the events as trailers, author and committer as they should be."""
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 1, 2), actor="ada")
    store.apply(raise_priority(2))
    store.apply(seal("b1"))
    store.apply(evict("b1", 2))
    told = git(repo, "log", "--format=%s|%an|%cn <%ce>", STATE_REF, "--", "batches/b1").splitlines()
    ours = "gitsched <d1@gitsched>"
    assert told == [f"Evicted 2.|gitsched|{ours}", f"Sealed b1.|gitsched|{ours}", f"Formed b1.|ada|{ours}"]
    trailers = git(repo, "log", "-1", "--format=%(trailers:key=Event,valueonly)", STATE_REF)
    assert '"event":"member-evicted"' in trailers
    assert '"reason":"suite"' in trailers


def test_the_journal_is_the_same_by_us(store: GitStore) -> None:
    store.apply(enqueue(1, 2))
    formed = applied(store.apply(form("b1", 1), actor="ada")).commit
    store.apply(raise_priority(2))
    sealed = applied(store.apply(seal("b1"))).commit
    entries = list(store.history("batches/b1"))
    assert [(entry.commit, entry.actor) for entry in entries] == [(sealed, "gitsched"), (formed, "ada")]
    assert [event.name for event in entries[1].events] == [EventName.BATCH_FORMED, EventName.MEMBER_JOINED]
    assert entries[0].at == entries[0].events[0].at
    assert [entry.commit for entry in store.history("batches/b1/batch", since=formed)] == [sealed]
    assert len(list(store.history())) == 5
    assert list(store.history(since=store.tip)) == []
    assert [entry.commit for entry in store.history("queue/02/2")][-1:] != [formed]


def test_any_past_state_can_be_read(store: GitStore, repo: Path, git: Git) -> None:
    """S-17: the state before and after an eviction, read while the live one goes on."""
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 1, 2))
    after = applied(store.apply(evict("b1", 2))).commit
    live = applied(store.apply(raise_priority(1))).commit
    before = git(repo, "rev-parse", f"{after}~1")
    for reader in (store, opened(repo)):
        assert reader.read_at(before).members["b1", 2].status is MemberStatus.WAITING
        assert reader.read_at(after).members["b1", 2].status is MemberStatus.EVICTED
    assert store.read().entries[1].priority == 1
    assert (store.tip, git(repo, "rev-parse", STATE_REF)) == (live, live)
    with pytest.raises(UnknownUnitError):
        store.read_at("1" * 40)


def test_replay_gives_the_statuses_of_the_tree(store: GitStore, repo: Path, git: Git) -> None:
    """S-16: the events of the history claim every changed path, and folding them gives the statuses of the tree."""
    store.apply(enqueue(1, 2, 3))
    store.apply(form("b1", 1, 2))
    store.apply(seal("b1"))
    store.apply(evict("b1", 2))
    history = list(store.history())
    events = [event for entry in reversed(history) for event in entry.events]
    assert replay(events) == statuses_of(store.read())
    for entry in history[:-1]:
        changed = git(repo, "diff-tree", "-r", "--name-only", f"{entry.commit}^", entry.commit).splitlines()
        assert set(changed) <= claimed_by(entry.events)

    by_hand = git(repo, "show", f"{STATE_REF}:queue/01/1").replace("assigned", "failed")
    blob = git(repo, "hash-object", "-w", "--stdin", stdin=by_hand + "\n")
    tree = _with_blob(repo, git, "queue/01/1", blob)
    git(repo, "update-ref", STATE_REF, git(repo, "commit-tree", "-p", STATE_REF, "-m", "By hand", tree))
    assert replay(event for entry in reversed(list(store.history())) for event in entry.events) != statuses_of(
        store.read()
    )


def _with_blob(repo: Path, git: Git, path: str, blob: str) -> str:
    """Put a blob into the state's tree as a person with git would."""
    stream = f"commit refs/scratch\ncommitter a <a@b> 0 +0000\ndata 0\nfrom {STATE_REF}\nM 100644 {blob} {path}\n"
    git(repo, "fast-import", "--quiet", "--force", stdin=stream)
    tree = git(repo, "rev-parse", "refs/scratch^{tree}")
    git(repo, "update-ref", "-d", "refs/scratch")
    return tree


verbs = st.lists(
    st.one_of(
        st.tuples(st.just("enqueue"), st.integers(1, 6)),
        st.tuples(st.just("form"), st.integers(1, 6)),
        st.tuples(st.just("seal"), st.integers(1, 6)),
        st.tuples(st.just("evict"), st.integers(1, 6)),
        st.tuples(st.just("raise"), st.integers(1, 6)),
    ),
    max_size=14,
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(told=verbs)
def test_replay_equals_the_tree_after_any_sequence(told: list[tuple[str, int]], tmp_path_factory: Any) -> None:
    """S-16 (any run): also a reader that starts cold, and one that follows, read what the writer holds."""
    import subprocess

    place = tmp_path_factory.mktemp("any") / "repository"
    subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    store = begun(place)
    follower = opened(place)
    for verb, issue in told:
        store.apply(lambda draft, verb=verb, issue=issue: _act(draft, verb, issue))  # type: ignore[misc]
        follower.read()
    events = [event for entry in reversed(list(store.history())) for event in entry.events]
    assert replay(events) == statuses_of(store.read())
    assert store.read() == follower.read() == opened(place).read()
    assert store.read().control == Control()


def _act(draft: Draft, verb: str, issue: int) -> None:
    """Do the verb where the state allows it."""
    entry, batch = draft.state.entries.get(issue), f"b{issue}"
    match verb:
        case "enqueue":
            enqueue(issue)(draft)
        case "raise" if entry is not None:
            raise_priority(issue)(draft)
        case "form" if entry is not None and entry.status is EntryStatus.QUEUED and batch not in draft.state.batches:
            form(batch, issue)(draft)
        case "seal" if batch in draft.state.batches and draft.state.batches[batch].status is BatchStatus.FORMING:
            seal(batch)(draft)
        case "evict" if draft.state.member_of_issue(issue) is not None:
            evict(batch, issue)(draft)
        case _:
            return
