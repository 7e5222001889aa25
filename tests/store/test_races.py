"""Many writers, one state: nothing is lost, nothing is doubled."""

import subprocess
from pathlib import Path

import pytest

from gitsched.adapters.store.bounds import Bounds
from gitsched.domain.ids import STATE_REF, VERDICT_NOTES
from gitsched.domain.outcomes import Applied, RefMoved
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, Note, RefMove
from tests.real_git import Git
from tests.store.remotes import clone_of, joined, make_remote, shared
from tests.store.rivals import race
from tests.store.verbs import applied, begun, enqueue, fan_out, git_fsck, opened, raise_priority

pytestmark = pytest.mark.usefixtures("sound")

CROWD = 24


def test_a_crowd_enqueues_at_once(repo: Path, git: Git) -> None:
    """S-01 (store): each issue is there once, and the history has no fork."""
    begun(repo)

    def act(number: int) -> bool:
        return isinstance(opened(repo, f"d{number}").apply(enqueue(number + 1)), Applied)

    assert all(race(CROWD, act))
    assert sorted(opened(repo).read().entries) == list(range(1, CROWD + 1))
    assert git(repo, "rev-list", "--count", STATE_REF) == str(CROWD + 1)
    assert git(repo, "rev-list", "--min-parents=2", STATE_REF) == ""
    told = [event.issue for entry in opened(repo).history() for event in entry.events if event.issue]
    assert sorted(told) == list(range(1, CROWD + 1))


def test_an_intent_that_reads_what_a_rival_did_meanwhile_is_made_again(repo: Path) -> None:
    """Its turn was taken for stuck: what it drafted stands on the state before the rival, whatever it has read."""
    begun(repo).apply(enqueue(1))
    slow, rival = opened(repo, "slow"), opened(repo, "rival", bounds=Bounds(queue_s=0.05))
    made: list[int] = []

    def intent(draft: Draft) -> None:
        if not made:
            applied(rival.apply(raise_priority(1)))
        slow.read()
        made.append(draft.state.entries[1].priority)
        raise_priority(1)(draft)

    applied(slow.apply(intent))
    assert (made, opened(repo).read().entries[1].priority) == ([0, 1], 2)


def test_an_intent_may_read_while_others_of_its_clone_wait_for_a_push(repo: Path, tmp_path: Path) -> None:
    """It stands on what waits; what it reads itself is what is true already, and moves no ground under it."""
    make_remote(tmp_path, repo)
    one, other = shared(repo), joined(repo, "d2")

    def intent(draft: Draft) -> None:
        assert sorted(other.read().entries) == []
        enqueue(2)(draft)

    with one.together():
        applied(one.apply(enqueue(1)))
        applied(other.apply(intent))
        one.settle()
    assert sorted(joined(repo).read().entries) == [1, 2]


def test_no_update_is_lost_while_refs_are_packed(repo: Path, git: Git) -> None:
    begun(repo).apply(enqueue(1))

    def act(number: int) -> int:
        if number == 0:
            for _ in range(30):
                subprocess.run(["git", "-C", repo, "pack-refs", "--all"], check=False, capture_output=True)
            return 0
        store = opened(repo, f"d{number}")
        return sum(isinstance(store.apply(raise_priority(1)), Applied) for _ in range(25))

    done = sum(race(5, act))
    assert (opened(repo).read().entries[1].priority, done) == (100, 100)
    git_fsck(repo)


def test_of_all_who_create_a_name_one_wins(repo: Path, git: Git) -> None:
    """S-29: 8 processes, 50 names: each name has one winner, and 7 losers who know it."""
    begun(repo)
    heads = [git(repo, "commit-tree", "-m", f"by {number}", "HEAD^{tree}") for number in range(8)]

    def act(number: int) -> list[bool]:
        store, won = opened(repo, f"d{number}"), []
        for name in range(50):
            move = RefMove(f"refs/heads/gitsched/new-{name}", None, heads[number])
            outcome = store.apply(lambda draft, move=move: draft.moves.append(move))  # type: ignore[misc]
            assert isinstance(outcome, Applied | RefMoved), outcome
            won.append(isinstance(outcome, Applied))
        return won

    answers = race(8, act)
    assert [sum(column) for column in zip(*answers, strict=True)] == [1] * 50
    for name, column in enumerate(zip(*answers, strict=True)):
        assert git(repo, "rev-parse", f"refs/heads/gitsched/new-{name}") == heads[column.index(True)]


def test_notes_written_at_the_same_moment_are_all_there(repo: Path, git: Git) -> None:
    """S-26 (many): writers of verdicts for different objects do not lose one another's."""
    begun(repo)
    targets = [git(repo, "hash-object", "-w", "--stdin", stdin=str(number)) for number in range(40)]
    git(repo, "notes", "--ref=gitsched/verdicts", "add", "-m", "by hand", "HEAD")

    def act(number: int) -> bool:
        store = opened(repo, f"d{number}")
        for target in targets[number::4]:

            def note(draft: Draft, target: str = target) -> None:
                draft.notes.append(Note(VERDICT_NOTES, target, f"pass {target}"))

            assert isinstance(store.apply(note), Applied)
        return True

    assert all(race(4, act))
    assert len(git(repo, "notes", "--ref=gitsched/verdicts", "list").splitlines()) == 41
    assert git(repo, "notes", "--ref=gitsched/verdicts", "show", targets[17]) == f"pass {targets[17]}"
    git_fsck(repo)


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("has_remote", [False, True], ids=["one-clone", "two-clones"])
def test_verdicts_written_at_the_same_moment(
    repo: Path, tmp_path: Path, git: Git, depth: int, *, has_remote: bool
) -> None:
    """S-26: two drivers, two trees, a notes tree of any fan-out: both are there, whatever git's notes are set to."""
    others = [git(repo, "hash-object", "-w", "--stdin", stdin=f"other {number}") for number in range(20)]
    trees = [git(repo, "mktree", stdin=f"100644 blob {other}\tx\n") for other in others[:2]]
    fan_out(repo, others, depth)
    places = [repo, repo]
    if has_remote:
        remote = make_remote(tmp_path, repo)
        git(repo, "push", "-q", "origin", VERDICT_NOTES)
        places = [repo, clone_of(remote, tmp_path / "other")]
    open_store = joined if has_remote else opened
    open_store(repo).initialise(Control())
    for place in places:
        git(place, "config", "notes.rewriteRef", "refs/notes/none")
        git(place, "config", "notes.mergeStrategy", "theirs")

    def act(number: int) -> bool:
        def note(draft: Draft) -> None:
            enqueue(number + 1)(draft)
            draft.notes.append(Note(VERDICT_NOTES, trees[number], f"pass {number}"))

        return isinstance(open_store(places[number], f"d{number}").apply(note), Applied)

    assert all(race(2, act))
    for place in places:
        open_store(place).catch_up()
        for number, tree in enumerate(trees):
            assert git(place, "notes", "--ref=gitsched/verdicts", "show", tree) == f"pass {number}"
        assert len(git(place, "notes", "--ref=gitsched/verdicts", "list").splitlines()) == 22


def test_evidence_of_rivals_is_joined(repo: Path) -> None:
    begun(repo)

    def act(number: int) -> str:
        return opened(repo, f"d{number}").keep_evidence("b1", {f"{number}/log": b"x"}, f"Kept log {number}.")

    assert len(set(race(6, act))) == 6
    assert sorted(opened(repo).evidence("b1")) == [*(f"{number}/log" for number in range(6)), "manifest.json"]
