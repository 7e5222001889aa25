"""The local forge beyond the contract: checkouts, kills, rivals, and what it keeps."""

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import IssueDraft, Merged, MergeRefused, TargetCheckedOut, TargetMoved
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import PullRequestState
from gitsched.errors import FormatError, RecordUnreadableError, RefusedError
from tests.forge.places import MARKER, SOURCE, Place, TickingClock
from tests.real_git import run_git


def test_a_checked_out_target_follows_with_its_files(place: Place) -> None:
    """G-14: git's own fast-forward is used in that worktree and its files follow."""
    place.git("switch", "--quiet", "main")
    pull = place.ready()
    (place.repo / "notes.txt").write_text("mine\n")
    assert isinstance(place.forge.merge(pull.number, pull.head), Merged)
    assert place.tip("HEAD") == pull.head
    assert (place.repo / "app.py").read_text() == "new\n"
    assert place.git("status", "--porcelain") == "?? notes.txt"


def test_local_changes_in_the_way_make_it_wait(place: Place) -> None:
    """G-14: when git refuses, nothing local is lost or stashed away, and it merges after the command."""
    place.git("switch", "--quiet", "main")
    place.git("config", "merge.autoStash", "true")
    place.git("config", "branch.main.mergeOptions", "--no-ff --squash")
    pull = place.ready()
    before = place.tip("main")
    (place.repo / "app.py").write_text("mine\n")
    (place.repo / "README.md").write_text("changed too\n")
    answer = place.forge.merge(pull.number, pull.head)
    assert isinstance(answer, TargetCheckedOut)
    assert (answer.path, answer.command) == (str(place.repo), f"gitsched pr merge {pull.number}")
    assert "app.py" in answer.detail
    assert place.tip("main") == before
    assert (place.repo / "app.py").read_text() == "mine\n"
    assert (place.repo / "README.md").read_text() == "changed too\n"
    assert place.git("stash", "list") == ""
    (place.repo / "app.py").unlink()
    assert isinstance(place.forge.merge(pull.number, pull.head), Merged)
    assert (place.repo / "README.md").read_text() == "changed too\n"
    assert place.tip("main") == pull.head


def test_a_linked_worktree_is_found_also_from_another_one(place: Place, tmp_path: Path) -> None:
    pull = place.ready()
    place.git("worktree", "add", "--quiet", tmp_path / "a b", "main")
    place.git("worktree", "add", "--quiet", "--detach", tmp_path / "c")
    forge = LocalForge(tmp_path / "c", place.clock)
    assert isinstance(forge.merge(pull.number, pull.head), Merged)
    assert (tmp_path / "a b" / "app.py").exists()
    assert not (tmp_path / "c" / "app.py").exists()


def test_a_worktree_that_is_gone_stops_nothing_but_a_locked_one_does(place: Place, tmp_path: Path) -> None:
    pull = place.ready()
    place.git("worktree", "add", "--quiet", tmp_path / "gone", "main")
    place.git("worktree", "lock", tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    answer = place.forge.merge(pull.number, pull.head)
    assert isinstance(answer, TargetCheckedOut)
    assert "cannot be reached" in answer.detail
    place.git("worktree", "unlock", tmp_path / "gone")
    assert isinstance(place.forge.merge(pull.number, pull.head), Merged)


def test_a_target_that_is_being_rebased_is_left_alone(place: Place, tmp_path: Path) -> None:
    pull = place.ready()
    before = place.tip("main")
    tree = tmp_path / "rebasing"
    place.git("worktree", "add", "--quiet", tree, "main")
    (tree / ".git").read_text()
    state = Path(run_git(tree, "rev-parse", "--git-path", "rebase-merge"))
    run_git(tree, "switch", "--quiet", "--detach")
    state.mkdir()
    (state / "head-name").write_text("refs/heads/main\n")
    answer = place.forge.merge(pull.number, pull.head)
    assert isinstance(answer, TargetCheckedOut)
    assert "rebase" in answer.detail
    assert place.tip("main") == before == run_git(tree, "rev-parse", "HEAD")


def test_a_bare_repository_merges_by_its_ref(repo: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "--quiet", "--bare", repo, tmp_path / "bare")
    place = Place(tmp_path / "bare")
    pull = place.ready()
    assert isinstance(place.forge.merge(pull.number, pull.head), Merged)
    assert place.tip("main") == pull.head


def test_a_branch_that_is_missing_is_a_refusal(place: Place) -> None:
    pull = place.ready()
    with pytest.raises(RefusedError, match="no branch 'gone'"):
        place.forge.open_pull_request(place.request(target="gone"), "other")
    with pytest.raises(RefusedError, match="no branch 'nowhere'"):
        place.forge.open_pull_request(place.request(source="nowhere"), "other")
    with pytest.raises(RefusedError, match="holds"):
        place.forge.open_pull_request(place.request(head=place.tip("main")), "other")
    place.git("branch", "-D", "main")
    assert place.forge.merge(pull.number, pull.head) == MergeRefused(detail="there is no branch 'main'")


def test_a_head_that_is_not_here_is_a_refusal(place: Place) -> None:
    pull = place.ready()
    unknown = "1" * 40
    place.forge.open_pull_request(place.request(head=unknown), MARKER)
    place.git("update-ref", "-d", f"refs/heads/{SOURCE}")
    answer = place.forge.merge(pull.number, unknown)
    assert answer == MergeRefused(detail=f"the commit {unknown} is not in this repository")


def test_a_locked_target_can_be_tried_again(place: Place) -> None:
    """Whoever holds the lock is told of in git's words; that is no refusal."""
    pull = place.ready()
    (place.repo / ".git/refs/heads/main.lock").touch()
    answer = place.forge.merge(pull.number, pull.head)
    assert isinstance(answer, Unreachable)
    assert "main.lock" in answer.detail
    (place.repo / ".git/refs/heads/main.lock").unlink()
    assert isinstance(place.forge.merge(pull.number, pull.head), Merged)


@pytest.mark.parametrize("look", ["merge", "pull_request", "pull_request_for", "open", "list"])
def test_a_kill_between_the_move_and_its_record_is_settled_by_the_next_look(place: Place, look: str) -> None:
    pull = place.ready()
    place.git("update-ref", "refs/heads/main", pull.head)
    forge = LocalForge(place.repo, place.clock)
    looks: dict[str, Callable[[], object]] = {
        "merge": lambda: forge.merge(pull.number, pull.head),
        "pull_request": lambda: forge.pull_request(pull.number),
        "pull_request_for": lambda: forge.pull_request_for(SOURCE, MARKER),
        "open": lambda: forge.open_pull_request(place.request(), MARKER),
        "list": lambda: forge.pull_requests()[0],
    }
    found = looks[look]()
    seen = forge.pull_request(pull.number)
    assert seen is not None
    assert (seen.state, seen.merge_commit) == (PullRequestState.MERGED, pull.head)
    assert found == (Merged(commit=pull.head, at=seen.merged_at or "") if look == "merge" else seen)
    assert place.subjects()[-1] == f"Merge pull request {pull.number} into main"


def test_the_head_is_recorded_before_the_target_moves(place: Place) -> None:
    """A rebased head that was merged by a driver which died at once is recognised, too."""
    pull = place.ready()
    head = place.commit(SOURCE, "more.py")
    (place.repo / ".git/refs/heads/main.lock").touch()
    place.forge.merge(pull.number, head)
    (place.repo / ".git/refs/heads/main.lock").unlink()
    assert place.subjects()[-1] == f"See the new head of pull request {pull.number}"
    place.git("update-ref", "refs/heads/main", head)
    seen = place.forge.pull_request(pull.number)
    assert seen is not None
    assert (seen.state, seen.head) == (PullRequestState.MERGED, head)


def test_a_merged_request_stays_merged_when_its_branch_goes_on(place: Place) -> None:
    pull = place.ready()
    place.forge.merge(pull.number, pull.head)
    place.commit(SOURCE, "later.py")
    seen = place.forge.pull_request(pull.number)
    assert seen is not None
    assert (seen.state, seen.head) == (PullRequestState.MERGED, pull.head)
    assert place.forge.open_pull_request(place.request(), MARKER) == seen


def test_rivals_lose_no_issue_and_share_no_number(place: Place) -> None:
    """Four writers at once: each act is there once, numbers are one series, history is linear."""
    numbers: list[int] = []

    def work(name: str) -> None:
        tracker = Tracker(place.repo, TickingClock(), name)
        numbers.extend(tracker.new_issue(IssueDraft(title=f"{name} {count}")) for count in range(10))

    rivals = [threading.Thread(target=work, args=(f"w{index}",)) for index in range(4)]
    for rival in rivals:
        rival.start()
    for rival in rivals:
        rival.join(60)
    assert sorted(numbers) == list(range(1, 41))
    found = place.forge.issues()
    assert sorted(issue.title for issue in found.values()) == sorted(f"w{i} {n}" for i in range(4) for n in range(10))
    assert place.git("rev-list", "--count", "--min-parents=2", "refs/gitsched/forge") == "0"
    assert place.git("rev-list", "--count", "refs/gitsched/forge") == "40"


def test_the_forge_is_a_tree_anyone_can_read(place: Place) -> None:
    number = place.issue("Käse \x1b[31m\n".strip())
    place.tracker.comment(number, "hello")
    place.ready()
    listed = place.git("ls-tree", "-r", "--name-only", "refs/gitsched/forge").splitlines()
    assert listed == ["format", f"issues/{number}/comments/1", f"issues/{number}/issue", "next", "pulls/2/pull"]
    raw = place.git("show", f"refs/gitsched/forge:issues/{number}/issue")
    assert list(json.loads(raw)) == sorted(json.loads(raw))
    assert place.subjects() == ["Open issue 1: Käse", "Comment on 1", "Open pull request 2: Batch b1"]
    assert place.git("log", "-1", "--format=%an|%ae", "refs/gitsched/forge") == "gitsched|gitsched@localhost"
    assert place.git("log", "--format=%an", "--skip=2", "refs/gitsched/forge") == "ada"


def test_a_record_that_does_not_decode_stops_only_itself(place: Place) -> None:
    first, second = place.issue(), place.issue()
    broken = run_git(place.repo, "hash-object", "-w", "--stdin", stdin="{")
    rewrite(place, {f"issues/{first}/issue": broken})
    assert list(place.forge.issues()) == [second]
    assert list(place.forge.issues([first, second])) == [second]
    wrong = place.forge.unreadable()
    assert [(found.path, found.oid) for found in wrong] == [(f"issues/{first}/issue", broken)]
    with pytest.raises(RecordUnreadableError):
        place.tracker.issue(first)


@pytest.mark.parametrize("path", ["format", "next"])
def test_broken_bookkeeping_is_named(place: Place, path: str) -> None:
    place.issue()
    rewrite(place, {path: run_git(place.repo, "hash-object", "-w", "--stdin", stdin="[]")})
    with pytest.raises(RecordUnreadableError, match=path):
        place.issue()


def test_a_newer_format_is_not_touched(place: Place) -> None:
    place.issue()
    rewrite(place, {"format": run_git(place.repo, "hash-object", "-w", "--stdin", stdin='{"format":2}')})
    with pytest.raises(FormatError):
        place.forge.issues()
    with pytest.raises(FormatError):
        place.issue()


def test_fields_of_a_later_version_survive(place: Place) -> None:
    number = place.issue()
    fields = json.loads(place.git("show", f"refs/gitsched/forge:issues/{number}/issue"))
    blob = run_git(place.repo, "hash-object", "-w", "--stdin", stdin=json.dumps({**fields, "weight": 3}))
    rewrite(place, {f"issues/{number}/issue": blob})
    place.forge.close_issue(number)
    raw = json.loads(place.git("show", f"refs/gitsched/forge:issues/{number}/issue"))
    assert (raw["weight"], raw["is_open"]) == (3, False)


def rewrite(place: Place, blobs: dict[str, str]) -> None:
    """Put other blobs into the forge's tree, as a careless hand would."""
    index = {"GIT_INDEX_FILE": str(place.repo / ".git/rewrite-index")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(*next(iter(index.items())))
        place.git("read-tree", "refs/gitsched/forge")
        for path, blob in blobs.items():
            place.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        tree = place.git("write-tree")
    made = place.git("commit-tree", tree, "-p", "refs/gitsched/forge", "-m", "By hand")
    place.git("update-ref", "refs/gitsched/forge", made)


def test_an_open_request_shows_what_is_pushed_and_the_cursor_tells(place: Place) -> None:
    pull = place.ready()
    cursor = place.forge.cursor
    pushed = place.commit(SOURCE, "foreign.py")
    assert place.forge.pull_request(pull.number) == replace(pull, head=pushed)
    moved = place.forge.cursor
    assert moved != cursor
    place.commit("main", "other.py")
    assert place.forge.cursor != moved
    moved = place.forge.cursor
    place.issue()
    assert place.forge.cursor != moved


def test_g_11_a_target_that_moved_is_left_as_it_is(place: Place) -> None:
    """G-11: when the target moved in the meantime this is refused, and nothing of the target is lost."""
    pull = place.ready()
    moved = place.commit("main", "other.py")
    assert place.forge.merge(pull.number, pull.head) == TargetMoved(found=moved)
    assert place.tip("main") == moved
    seen = place.forge.pull_request(pull.number)
    assert seen is not None
    assert seen.state is PullRequestState.OPEN


def test_two_requests_of_one_branch_stand_beside_each_other(place: Place) -> None:
    first = place.ready()
    second = place.forge.open_pull_request(place.request(title="Another"), "another")
    assert place.forge.pull_requests_from(SOURCE) == (first, second)
