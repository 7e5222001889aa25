"""What every forge promises the engine: the local one, and GitHub's adapter on the fake GitHub."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitsched.domain.forge import Merged, MergeRefused, PullRequestView
from gitsched.domain.words import PullRequestState
from gitsched.errors import UnknownUnitError
from gitsched.ports.forge import Forge
from tests.forge.hub_place import HubPlace, plain
from tests.forge.places import MARKER, SOURCE, Place
from tests.github.fixtures import OwnHub

World = Place | HubPlace


@pytest.fixture(params=["local", "github"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """Give the test a forge of each kind."""
    found: World
    if request.param == "local":
        found = request.getfixturevalue("place")
    else:
        own_hub: OwnHub = request.getfixturevalue("own_hub")
        found = HubPlace(own_hub(), tmp_path / "clone")
    forge: Forge = found.forge
    assert forge is not None
    return found


def test_issues_are_read_by_number_and_a_number_that_is_none_is_left_out(world: World) -> None:
    first, second = world.issue("One", labels=("bug",), deps=(7,), files=("a/*",), milestone="v1"), world.issue("Two")
    found = world.forge.issues()
    assert isinstance(found, Mapping)
    assert [found[first].title, found[second].title] == ["One", "Two"]
    assert (found[first].labels, found[first].deps) == (("bug",), (7,))
    assert found[first].files == (("a/*",) if world.keeps_files else ())
    assert (found[first].milestone, found[first].is_open, found[first].author) == ("v1", True, "ada")
    some = world.forge.issues([second, 99])
    assert isinstance(some, Mapping)
    assert list(some) == [second]


def test_numbers_of_issues_and_requests_are_one_series(world: World) -> None:
    issue = world.issue()
    pull = world.ready()
    assert pull.number == issue + 1
    assert world.forge.issues([pull.number]) == {}
    assert world.forge.pull_request(issue) is None
    assert world.forge.pull_request(99) is None


def test_a_pull_request_is_closed_once_and_never_after_its_merge(world: World) -> None:
    pull = world.ready()
    for _ in range(2):
        world.forge.close_pull_request(pull.number)
        seen = world.forge.pull_request(pull.number)
        assert isinstance(seen, PullRequestView)
        assert seen.state is PullRequestState.CLOSED
    world.forge.close_pull_request(999)


def test_closing_a_closed_issue_changes_nothing(world: World) -> None:
    """G-24: an issue that the forge closed by itself is not closed a second time."""
    number = world.issue()
    world.forge.close_issue(number, as_not_planned=True)
    cursor = world.forge.cursor
    world.forge.close_issue(number)
    seen = world.forge.issues([number])
    assert isinstance(seen, Mapping)
    found = seen[number]
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
    assert isinstance(found, tuple)
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
    found = world.forge.comments(number)
    assert isinstance(found, tuple)
    assert [comment.author for comment in found] == ["ada", world.author]


def test_a_request_is_opened_once_and_then_updated(world: World) -> None:
    """G-02: when the answer is lost the step is repeated, and there is never a second request."""
    pull = world.ready()
    again = world.forge.open_pull_request(world.request(), MARKER)
    assert again == pull
    head = world.commit(SOURCE, "more.py")
    updated = world.forge.open_pull_request(world.request(title="New", state=PullRequestState.DRAFT), MARKER)
    assert (updated.number, updated.title, updated.state) == (pull.number, "New", PullRequestState.DRAFT)
    assert (updated.head, updated.created_at) == (head, pull.created_at)
    found = world.forge.pull_request_for(SOURCE, MARKER)
    assert isinstance(found, PullRequestView)
    assert plain(found) == plain(updated)
    assert world.forge.pull_request_for(SOURCE, "another") is None
    assert world.forge.pull_request_for("another", MARKER) is None


def test_requests_from_a_branch_are_all_found_whoever_opened_them(world: World) -> None:
    """R-58 (the forge's part): by number, with what became of each."""
    first = world.ready()
    assert world.forge.pull_requests_from("another") == ()
    world.tracker.close(first.number)
    second = world.forge.open_pull_request(world.request(title="Another"), "another")
    found = world.forge.pull_requests_from(SOURCE)
    assert isinstance(found, tuple)
    assert [(pull.number, pull.state) for pull in found] == [
        (first.number, PullRequestState.CLOSED),
        (second.number, PullRequestState.OPEN),
    ]
    every = world.forge.pull_requests()
    assert isinstance(every, tuple)
    assert [pull.number for pull in every] == [first.number, second.number]


def test_a_request_can_be_commented(world: World) -> None:
    pull = world.ready()
    comment = world.forge.comment(pull.number, "Status", "m")
    found = world.forge.comments(pull.number)
    assert isinstance(found, tuple)
    assert [one.id for one in found] == [comment]


def test_an_open_request_shows_the_head_of_its_branch(world: World) -> None:
    pull = world.ready()
    pushed = world.commit(SOURCE, "foreign.py")
    seen = world.forge.pull_request(pull.number)
    assert isinstance(seen, PullRequestView)
    assert (seen.head, seen.state) == (pushed, PullRequestState.OPEN)


def test_merging_brings_the_tree_of_the_head_to_the_target(world: World) -> None:
    """G-11: the target gets a commit of the tree that was proven green."""
    pull = world.ready()
    answer = world.forge.merge(pull.number, pull.head)
    assert isinstance(answer, Merged)
    assert answer.commit == world.tip("main") == world.forge.target("main")
    assert world.tree(answer.commit) == world.tree(pull.head)
    seen = world.forge.pull_request(pull.number)
    assert isinstance(seen, PullRequestView)
    assert (seen.state, seen.merge_commit, seen.merged_at) == (PullRequestState.MERGED, answer.commit, answer.at)
    assert world.forge.merge(pull.number, pull.head) == answer


def test_a_target_is_named_or_is_not_there(world: World) -> None:
    assert world.forge.target("main") == world.tip("main")
    assert world.forge.target("nowhere") is None


def test_a_draft_is_made_ready_once(world: World) -> None:
    """G-05 (the forge's part): it becomes an open one, and stays one."""
    pull = world.ready()
    world.forge.open_pull_request(world.request(state=PullRequestState.DRAFT), MARKER)
    for _ in range(2):
        world.forge.make_ready(pull.number)
        seen = world.forge.pull_request(pull.number)
        assert isinstance(seen, PullRequestView)
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


def test_an_issue_of_ours_is_opened_once_while_it_is_open(world: World) -> None:
    first = world.forge.open_issue("Batch b1", "Followed here.", "gitsched:anchor:b1")
    assert world.forge.open_issue("Batch b1", "Followed here.", "gitsched:anchor:b1") == first
    assert world.forge.open_issue("Batch b2", "Followed here.", "gitsched:anchor:b2") != first
    found = world.forge.issues([first])
    assert isinstance(found, Mapping)
    assert (found[first].title, found[first].labels) == ("Batch b1", ())
    labelled = world.forge.open_issue("Draft", "Text.", "gitsched:follow-up:b1:3", ("draft",))
    again = world.forge.issues([labelled])
    assert isinstance(again, Mapping)
    assert again[labelled].labels == ("draft",)
