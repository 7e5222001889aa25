"""Transactions of clones that share a remote: it is the authority, and a clone is never ahead of it."""

from pathlib import Path

import pytest

from gitsched.adapters.git.remote import Remote
from gitsched.domain.ids import KEEP_REF, LANDING_NOTES, STATE_REF
from gitsched.domain.outcomes import RefMoved, Unchanged, Unreachable
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.errors import ConfigError, RaceLostError, RemoteAwayError, RemoteRefusedError
from tests.real_git import Git, run_git
from tests.store.remotes import (
    Forgetful,
    check_raced,
    clone_of,
    hook,
    joined,
    large_files_go,
    race_of_clones,
    shared,
    tip,
)
from tests.store.rivals import race
from tests.store.verbs import applied, enqueue, git_fsck, raise_priority

pytestmark = pytest.mark.usefixtures("sound")


@pytest.mark.parametrize("strange", ["line\u2028separator", "next\x85line", "caf\u00e9", "0000"])
def test_a_strange_name_among_the_refs_stops_nobody(repo: Path, remote: Path, other: Path, strange: str) -> None:
    """Somebody who may push branches makes one below ours whose name ends a line for Python, though not for git."""
    shared(repo).apply(enqueue(1))
    branch = f"refs/heads/gitsched/b9/{strange}"
    run_git(remote, "update-ref", branch, "refs/heads/main")
    there, here = joined(other), joined(repo)
    assert there.catch_up() is None
    applied(there.apply(enqueue(2)))
    run_git(other, "update-ref", f"{branch}-here", "HEAD")
    applied(there.apply(enqueue(3)))
    here.catch_up()
    assert sorted(here.read().entries) == [1, 2, 3]
    assert tip(remote, branch) == tip(remote, "refs/heads/main")


def test_what_one_clone_writes_another_reads(repo: Path, remote: Path, other: Path) -> None:
    shared(repo).apply(enqueue(1))
    there = joined(other)
    assert there.catch_up() is None
    assert sorted(there.read().entries) == [1]
    applied(there.apply(enqueue(2)))
    assert tip(remote, STATE_REF) == tip(other, STATE_REF)
    here = joined(repo)
    here.catch_up()
    assert sorted(here.read().entries) == [1, 2]


def test_two_that_set_one_remote_up_at_once_have_one_store(repo: Path, remote: Path, other: Path) -> None:
    """The one that was slower finds what the other made, and goes on from it."""
    here, there = joined(repo), joined(other)
    assert (here.catch_up(), there.catch_up()) == (None, None)
    applied(here.initialise(Control()))
    assert there.initialise(Control()) == Unchanged()
    assert there.read().format == here.read().format
    applied(there.apply(enqueue(1)))
    assert tip(remote, STATE_REF) == tip(other, STATE_REF)


def test_a_landing_and_its_record_are_one_push(repo: Path, remote: Path, git: Git) -> None:
    """State, keep, branch and notes move together on the remote, or none of them does."""
    log = repo.parent / "pushes"
    hook(remote, "post-receive", f"cat >> {log}; echo >> {log}")
    store = shared(repo)
    head = git(repo, "commit-tree", "-m", "landed", "HEAD^{tree}")
    branch = "refs/heads/gitsched/b1/integration"

    def land(draft: Draft) -> None:
        enqueue(7)(draft)
        draft.moves.append(RefMove(branch, None, head))
        draft.keeps.append(head)
        draft.notes.append(Note(LANDING_NOTES, head, "landed"))

    log.write_text("")
    applied(store.apply(land))
    pushes = [push for push in log.read_text().split("\n\n") if push]
    assert len(pushes) == 1
    assert {line.split()[2] for line in pushes[0].splitlines()} == {STATE_REF, KEEP_REF, branch, LANDING_NOTES}
    assert {tip(remote, ref) == tip(repo, ref) for ref in (STATE_REF, KEEP_REF, branch, LANDING_NOTES)} == {True}
    git_fsck(remote)


def test_a_remote_that_is_away_changes_nothing(repo: Path, remote: Path) -> None:
    """S-08: exit 75, the local state ref stays, and a later call succeeds."""
    shared(repo).apply(enqueue(1))
    before = tip(repo, STATE_REF)
    away = remote.rename(remote.with_name("away.git"))
    with pytest.raises(RemoteAwayError) as refused:
        joined(repo).apply(enqueue(3))
    assert refused.value.exit_code == 75
    assert isinstance(joined(repo).catch_up(), Unreachable)
    assert tip(repo, STATE_REF) == before
    away.rename(remote)
    applied(joined(repo).apply(enqueue(3)))
    assert sorted(joined(repo).read().entries) == [1, 3]


def test_a_remote_that_goes_away_between_read_and_push(repo: Path, remote: Path) -> None:
    """S-08: what was asked for and not answered is void once the remote tells that it never came."""
    store = shared(repo)
    store.catch_up()
    away = remote.rename(remote.with_name("away.git"))
    with pytest.raises(RemoteAwayError):
        store.apply(enqueue(3))
    assert not joined(repo).read().entries
    away.rename(remote)
    assert joined(repo).catch_up() is None
    assert not joined(repo).read().entries
    applied(store.apply(enqueue(3)))
    assert sorted(joined(repo).read().entries) == [3]


def test_no_branch_goes_where_its_large_files_did_not(
    repo: Path, remote: Path, tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L-29 (the push): they could not be sent: nothing moves; the state alone waits for none of them."""
    log = tmp_path / "sent"
    large_files_go(tmp_path, monkeypatch, remote, log, code=2)
    (repo / ".git/lfs/objects").mkdir(parents=True)
    store = shared(repo)
    head, branch = git(repo, "commit-tree", "-m", "landed", "HEAD^{tree}"), "refs/heads/gitsched/b1/integration"

    def land(draft: Draft) -> None:
        enqueue(7)(draft)
        draft.moves.append(RefMove(branch, None, head))

    with pytest.raises(RemoteRefusedError, match="no room for a film"):
        store.apply(land)
    assert set(log.read_text().split()) == {f"{head}:"}
    assert tip(remote, branch) is None
    applied(joined(repo).apply(enqueue(8)))
    assert sorted(joined(repo).read().entries) == [8]


def test_a_refusal_has_the_words_of_the_remote(repo: Path, remote: Path) -> None:
    """S-09: a hook that says `policy: no` is told, nothing is repeated, and nothing has moved."""
    store = shared(repo)
    before = tip(repo, STATE_REF)
    count = repo.parent / "asked"
    hook(remote, "update", f'echo x >> {count}; [ "$1" = {STATE_REF} ] && echo "policy: no" && exit 1; exit 0')
    with pytest.raises(RemoteRefusedError, match="policy: no") as refused:
        store.apply(enqueue(3))
    assert refused.value.exit_code == 1
    assert count.read_text() == "x\n"
    assert (tip(repo, STATE_REF), tip(remote, STATE_REF)) == (before, before)


def test_a_lost_race_is_decided_again(repo: Path, other: Path) -> None:
    """S-10: the clone's lease is stale: it reads again, decides again, and nothing of the other's is undone."""
    first, second = shared(repo), joined(other)
    second.catch_up()
    applied(first.apply(enqueue(1)))
    applied(second.apply(enqueue(1, 2)))
    assert [entry.events[0].issue for entry in second.history()][:2] == [2, 1]


@pytest.mark.parametrize("overtaken", [False, True], ids=["alone", "overtaken"])
def test_a_lost_answer_is_settled_by_looking(repo: Path, remote: Path, other: Path, *, overtaken: bool) -> None:
    """S-11, S-33: a push that arrived counts once, though nobody was told, and though another came on top."""

    class Overtaken(Forgetful):
        def push(self, moves):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            answer = super().push(moves)
            if overtaken and self.lost_count == 0:
                self.lost_count = -1
                applied(joined(other, "d2").apply(enqueue(9)))
            return answer

    shared(repo).apply(enqueue(1))
    store = joined(repo, remote=Overtaken(repo / ".git", "origin", "main"))
    applied(store.apply(raise_priority(1)))
    assert store.read().entries[1].priority == 1
    told = [str(event.name) for entry in joined(repo).history() for event in entry.events]
    assert told.count("reprioritized") == 1
    assert tip(repo, STATE_REF) == tip(remote, STATE_REF)


@pytest.mark.parametrize("goes_on", [False, True], ids=["alone", "overtaken"])
def test_a_lost_answer_about_the_target_is_settled_by_looking(
    repo: Path, remote: Path, other: Path, git: Git, *, goes_on: bool
) -> None:
    """S-11 (target): the target alone was pushed, the answer lost: it is where it was to go, or further."""
    shared(repo)
    head = git(repo, "commit-tree", "-p", "HEAD", "-m", "Merged", "HEAD^{tree}")

    class Overtaken(Forgetful):
        def push(self, moves):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            answer = super().push(moves)
            if goes_on:
                git(other, "pull", "-q", "--ff-only", "origin", "main")
                git(other, "commit", "-q", "--allow-empty", "-m", "More")
                git(other, "push", "-q", "origin", "main")
            return answer

    store = joined(repo, remote=Overtaken(repo / ".git", "origin", "main"))
    assert store.publish([RefMove("refs/heads/main", tip(repo, "HEAD"), head)])
    assert git(remote, "merge-base", "--is-ancestor", head, "main") == ""
    assert tip(repo, "refs/gitsched-remote/heads/main") == tip(remote, "refs/heads/main")
    mine = git(repo, "commit-tree", "-p", "HEAD", "-m", "Too late", "HEAD^{tree}")
    assert not store.publish([RefMove("refs/heads/main", tip(repo, "HEAD"), mine)]), "that one did not arrive"


def test_clones_that_race_lose_nothing(repo: Path, remote: Path, tmp_path: Path) -> None:
    """S-12 (store): every update of every clone is there once, and the history has no fork."""
    shared(repo).apply(enqueue(1))
    clones = [clone_of(remote, tmp_path / f"clone{number}") for number in range(3)]
    race_of_clones(clones, each_count=5)
    check_raced(repo, remote, 30)


def test_what_one_tick_decides_is_one_push(repo: Path, remote: Path) -> None:
    log = repo.parent / "pushes"
    hook(remote, "post-receive", f"echo push >> {log}")
    store = shared(repo)
    log.write_text("")
    with store.together():
        for issue in (1, 2, 3):
            applied(store.apply(enqueue(issue)))
        assert sorted(store.read().entries) == [1, 2, 3]
        assert not joined(repo).read().entries
    assert sorted(joined(repo).read().entries) == [1, 2, 3]
    assert log.read_text() == "push\n"


def test_what_waited_is_void_when_another_was_quicker(repo: Path, other: Path) -> None:
    store, rival = shared(repo), joined(other)

    def decide() -> None:
        with store.together():
            store.apply(enqueue(1))
            applied(rival.apply(enqueue(2)))

    with pytest.raises(RaceLostError):
        decide()
    assert sorted(store.read().entries) == [2]


def test_a_ref_that_others_hold_elsewhere_is_told_of(repo: Path, other: Path, git: Git) -> None:
    store, rival = shared(repo), joined(other)
    head, branch = git(repo, "rev-parse", "HEAD"), "refs/heads/gitsched/b1/integration"
    mine = git(repo, "commit-tree", "-m", "mine", "HEAD^{tree}")
    applied(rival.apply(lambda draft: draft.moves.append(RefMove(branch, None, head))))
    outcome = store.apply(lambda draft: draft.moves.append(RefMove(branch, None, mine)))
    assert outcome == RefMoved(name=branch, expected=None, found=head)
    assert isinstance(store.apply(lambda _: None), Unchanged)


def test_evidence_of_two_clones_is_joined(repo: Path, other: Path) -> None:
    store, rival = shared(repo), joined(other)
    rival.catch_up()
    store.keep_evidence("b1", {"one/log": b"1"}, "Keep one")
    rival.keep_evidence("b1", {"two/log": b"2"}, "Keep two")
    applied(store.apply(enqueue(1)))
    applied(rival.apply(enqueue(2)))
    store.catch_up()
    assert sorted(store.evidence("b1")) == ["manifest.json", "one/log", "two/log"]


def test_a_remote_that_git_does_not_know(repo: Path) -> None:
    with pytest.raises(ConfigError, match="no remote of that name"):
        joined(repo, remote=Remote(repo / ".git", "upstream", "main")).catch_up()


def test_writers_of_a_clone_share_their_pushes(repo: Path, remote: Path) -> None:
    """P8: what was written while a push was on its way goes with the next one, and is told of by the book."""
    shared(repo)
    log = repo.parent / "pushes"
    hook(remote, "pre-receive", f"sleep 0.1; echo push >> {log}")

    def write(number: int) -> int:
        store = joined(repo, f"w{number}")
        return len([applied(store.apply(enqueue(1 + number * 5 + issue))) for issue in range(5)])

    assert race(6, write) == [5] * 6
    assert len(joined(repo).read().entries) == 30
    assert len(log.read_text().splitlines()) <= 20
