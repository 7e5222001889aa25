"""What every forge promises the engine. Another forge joins by a world of its own in `world`."""

import pytest
from msgspec.structs import replace

from gitsched.domain.forge import Merged, MergeRefused, TargetMoved
from gitsched.domain.words import PullRequestState
from gitsched.errors import UnknownUnitError
from gitsched.ports.forge import Forge
from tests.forge.places import MARKER, SOURCE, Place

World = Place


@pytest.fixture(params=["local"])
def world(request: pytest.FixtureRequest, place: Place) -> World:
    """Give the test a forge of each kind."""
    forge: Forge = place.forge
    assert forge is not None
    return place


def test_issues_are_read_by_number_and_a_number_that_is_none_is_left_out(world: World) -> None:
    first, second = world.issue("One", labels=("bug",), deps=(7,), files=("a/*",), milestone="v1"), world.issue("Two")
    found = world.forge.issues()
    assert [found[first].title, found[second].title] == ["One", "Two"]
    assert (found[first].labels, found[first].deps, found[first].files) == (("bug",), (7,), ("a/*",))
    assert (found[first].milestone, found[first].is_open, found[first].author) == ("v1", True, "ada")
    assert list(world.forge.issues([second, 99])) == [second]


def test_numbers_of_issues_and_requests_are_one_series(world: World) -> None:
    issue = world.issue()
    pull = world.ready()
    assert pull.number == issue + 1
    assert world.forge.issues([pull.number]) == {}
    assert world.forge.pull_request(issue) is None
    assert world.forge.pull_request(99) is None


def test_closing_a_closed_issue_changes_nothing(world: World) -> None:
    """G-24: an issue that the forge closed by itself is not closed a second time."""
    number = world.issue()
    world.forge.close_issue(number, as_not_planned=True)
    cursor = world.forge.cursor
    world.forge.close_issue(number)
    found = world.forge.issues([number])[number]
    assert (found.is_open, found.as_not_planned) == (False, True)
    assert world.forge.cursor == cursor
    with pytest.raises(UnknownUnitError):
        world.forge.close_issue(99)


def test_a_comment_is_posted_once_and_then_edited_in_place(world: World) -> None:
    """G-25: a report that was posted and not recorded is not posted again."""
    number = world.issue()
    first = world.forge.comment(number, "Report", "gitsched:member:b1:3")
    other = world.forge.comment(number, "Status", "gitsched:status:b1")
    assert world.forge.comment(number, "Report", "gitsched:member:b1:3") == first
    assert world.forge.comment(number, "Report, now longer", "gitsched:member:b1:3") == first
    found = world.forge.comments(number)
    assert [comment.id for comment in found] == [first, other]
    assert found[0].body.startswith("Report, now longer\n")
    assert found[0].updated_at > found[0].created_at
    with pytest.raises(UnknownUnitError):
        world.forge.comment(99, "Report", "m")
    assert world.forge.comments(99) == ()


def test_a_comment_of_somebody_else_is_never_edited(world: World) -> None:
    number = world.issue()
    spoofed = world.tracker.comment(number, "mine\n<!-- gitsched:status:b1 -->")
    posted = world.forge.comment(number, "Status", "gitsched:status:b1")
    assert posted != spoofed
    assert [comment.author for comment in world.forge.comments(number)] == ["ada", "gitsched"]


def test_a_request_is_opened_once_and_then_updated(world: World) -> None:
    """G-02: when the answer is lost the step is repeated, and there is never a second request."""
    pull = world.ready()
    again = world.forge.open_pull_request(world.request(), MARKER)
    assert again == pull
    head = world.commit(SOURCE, "more.py")
    updated = world.forge.open_pull_request(world.request(title="New", state=PullRequestState.DRAFT), MARKER)
    assert (updated.number, updated.title, updated.state) == (pull.number, "New", PullRequestState.DRAFT)
    assert (updated.head, updated.created_at) == (head, pull.created_at)
    assert world.forge.pull_request_for(SOURCE, MARKER) == updated
    assert world.forge.pull_request_for(SOURCE, "another") is None
    assert world.forge.pull_request_for("another", MARKER) is None


def test_requests_from_a_branch_are_all_found_whoever_opened_them(world: World) -> None:
    """R-58 (the forge's part): by number, with what became of each."""
    first = world.ready()
    assert world.forge.pull_requests_from(SOURCE) == (first,)
    second = world.forge.open_pull_request(world.request(title="Another"), "another")
    assert world.forge.pull_requests_from(SOURCE) == (first, second)
    assert world.forge.pull_requests_from("another") == ()
    world.tracker.close(first.number)
    found = world.forge.pull_requests_from(SOURCE)
    assert isinstance(found, tuple)
    assert [pull.state for pull in found] == [PullRequestState.CLOSED, PullRequestState.OPEN]


def test_a_request_can_be_commented(world: World) -> None:
    pull = world.ready()
    comment = world.forge.comment(pull.number, "Status", "m")
    assert [found.id for found in world.forge.comments(pull.number)] == [comment]


def test_an_open_request_shows_the_head_of_its_branch(world: World) -> None:
    pull = world.ready()
    cursor = world.forge.cursor
    pushed = world.commit(SOURCE, "foreign.py")
    assert world.forge.pull_request(pull.number) == replace(pull, head=pushed)
    assert world.forge.cursor != cursor


def test_merging_moves_the_target_to_the_head(world: World) -> None:
    """G-11: the target is fast-forwarded to a commit of the tree that was proven green."""
    pull = world.ready()
    answer = world.forge.merge(pull.number, pull.head)
    assert isinstance(answer, Merged)
    assert answer.commit == world.tip("main") == pull.head
    seen = world.forge.pull_request(pull.number)
    assert seen is not None
    assert (seen.state, seen.merge_commit, seen.merged_at) == (PullRequestState.MERGED, pull.head, answer.at)
    assert world.forge.merge(pull.number, pull.head) == answer


def test_a_target_that_moved_is_left_as_it_is(world: World) -> None:
    """G-11: when the target moved in the meantime this is refused, and nothing of the target is lost."""
    pull = world.ready()
    moved = world.commit("main", "other.py")
    assert world.forge.merge(pull.number, pull.head) == TargetMoved(found=moved)
    assert world.tip("main") == moved
    seen = world.forge.pull_request(pull.number)
    assert seen is not None
    assert seen.state is PullRequestState.OPEN


def test_a_head_that_moved_is_not_merged_unseen(world: World) -> None:
    pull = world.ready()
    world.commit(SOURCE, "foreign.py")
    before = world.tip("main")
    assert isinstance(world.forge.merge(pull.number, pull.head), MergeRefused)
    assert world.tip("main") == before


@pytest.mark.parametrize("state", [PullRequestState.DRAFT, PullRequestState.CLOSED])
def test_only_an_open_request_is_merged(world: World, state: PullRequestState) -> None:
    pull = world.ready()
    if state is PullRequestState.DRAFT:
        world.forge.open_pull_request(world.request(state=state), MARKER)
    else:
        world.tracker.close(pull.number)
    before = world.tip("main")
    assert isinstance(world.forge.merge(pull.number, pull.head), MergeRefused)
    assert isinstance(world.forge.merge(99, pull.head), MergeRefused)
    assert world.tip("main") == before


def test_a_closed_request_is_found_and_not_opened_behind_an_operators_back(world: World) -> None:
    """G-15: closed without merge it stays closed; reopened it merges, days later too."""
    pull = world.ready()
    world.tracker.close(pull.number)
    again = world.forge.open_pull_request(world.request(title="Again"), MARKER)
    assert (again.number, again.state, again.title) == (pull.number, PullRequestState.CLOSED, pull.title)
    world.tracker.reopen(pull.number)
    assert isinstance(world.forge.merge(pull.number, pull.head), Merged)


def test_an_unchanged_forge_keeps_its_cursor(world: World) -> None:
    assert world.forge.cursor == world.forge.cursor
    world.ready()
    before = world.forge.cursor
    assert world.forge.cursor == before
    world.commit("main", "other.py")
    moved = world.forge.cursor
    assert moved != before
    world.issue()
    assert world.forge.cursor != moved
