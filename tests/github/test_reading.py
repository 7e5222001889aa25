"""Reading GitHub: in few calls, to the last page, through renames, and whatever an issue has become."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from gitsched.adapters.forge.github.answers import decoded
from gitsched.domain.forge import Issue, PullRequestView
from gitsched.domain.outcomes import Unreachable
from tests.forge.hub_place import LOOKS, HubPlace
from tests.forge.places import SOURCE
from tests.github.fake.faults import Fault


def issues(place: HubPlace, *numbers: int) -> Mapping[int, Issue]:
    found = place.forge.issues(numbers)
    assert isinstance(found, Mapping), found
    return found


def test_g_36_whatever_an_issue_has_become_is_a_reason_on_itself(place: HubPlace) -> None:
    """G-36: deleted, transferred, without a body, without an author: each is read, and none hinders another."""
    other = place.hub.repository("acme/other")
    place.repository.issue(1, title="Deleted")
    place.repository.issue(2, title="Transferred")
    place.repository.issue(3, title="Empty", body=None)
    place.repository.issue(4, title="Of a ghost", by="bob")
    place.repository.issue(5, title="Plain")
    assert all(issue.gone is None for issue in issues(place, 1, 2, 3, 4, 5).values())
    place.repository.delete_issue(1)
    place.repository.transfer_issue(2, other)
    place.hub.delete_user("bob")
    found = place.connected().issues([1, 2, 3, 4, 5])
    assert isinstance(found, Mapping)
    fresh = HubPlace(place.hub, place.clone.parent / "fresh")
    seen = issues(fresh, 1, 2, 3, 4, 5)
    assert [seen[n].gone for n in (1, 2, 3, 4, 5)] == ["deleted", "transferred", None, None, None]
    assert (seen[3].body, seen[4].author) == ("", "ghost")


def test_g_36_what_has_gone_is_noticed_of_known_issues_too(place: HubPlace) -> None:
    """G-36: a list shows nothing of what was deleted, so that known issues are looked at again from time to time."""
    place.looks = replace(LOOKS, issues_s=1.0)
    place.forge = place.connected()
    place.repository.issue(1, title="Deleted")
    assert issues(place, 1)[1].gone is None
    place.repository.delete_issue(1)
    place.clock.at = "2026-01-02T05:00:00.000Z"
    assert place.forge.cursor
    assert issues(place, 1)[1].gone == "deleted"
    assert issues(place, 1)[1].title == "Deleted"


def test_g_36_a_request_whose_fork_is_gone_is_read(place: HubPlace) -> None:
    """G-36: the head repository of a request was deleted: it is shown all the same."""
    place.commit("topic", "app.py")
    fork = place.repository.fork("bob")
    pull = place.repository.pull("topic", fork=fork)
    place.hub.repository("bob/shop").delete()
    seen = place.forge.pull_request(pull.number)
    assert isinstance(seen, PullRequestView)
    assert (seen.number, seen.is_from_fork) == (pull.number, True)
    (listed,) = place.forge.pull_requests() or ()  # type: ignore[misc]
    assert listed.is_from_fork


def test_w_29_native_dependencies_and_those_of_the_text_are_one(place: HubPlace) -> None:
    """W-29: blocked by 3, `Depends on #4` in a line, and `#5` inside a code block: 3 and 4."""
    for number in (3, 4, 5):
        place.repository.issue(number)
    place.repository.issue(6, body="Depends on #4\n\n```\nDepends on #5\n```\n")
    place.repository.block(6, by=3)
    assert issues(place, 6)[6].deps == (3, 4)


def test_g_37_none_beyond_the_first_page_is_missed(place: HubPlace) -> None:
    """G-37: 150 issues and 250 comments are all read, by a few calls."""
    for number in range(1, 151):
        place.repository.issue(number)
    for count in range(250):
        place.repository.comment(7, f"comment {count}")
    place.hub.audit.clear()
    assert len(issues(place, *range(1, 151))) == 150
    told = place.forge.comments(7)
    assert isinstance(told, tuple)
    assert [comment.body for comment in told] == [f"comment {count}" for count in range(250)]
    assert sum(place.hub.audit.calls().values()) <= 1 + 2 + 3


def test_g_35_a_repository_is_followed_by_its_id(place: HubPlace) -> None:
    """G-35: renamed, then given to another owner: it is followed, and what is known stays whole."""
    number = place.issue("One")
    assert issues(place, number)[number].title == "One"
    first = place.forge.comment(number, "Status", "gitsched:status:b1")
    place.repository.rename("store")
    assert place.forge.comment(number, "Status, newer", "gitsched:status:b1") == first
    place.repository.transfer("umbrella")
    second = place.issue("Two")
    assert issues(place, number, second)[second].title == "Two"
    assert place.forge.target("main") == place.tip("main")
    assert place.connected().comment(number, "Status, newest", "gitsched:status:b1") == first
    assert len(place.repository.comments(number)) == 1


def test_an_idle_look_costs_one_call_that_counts_for_nothing(place: HubPlace) -> None:
    """P10: what has not changed answers 304, and within its interval nothing is asked at all."""
    place.looks = replace(LOOKS, issues_s=100.0)
    place.forge = place.connected()
    place.issue("One")
    issues(place, 1)
    place.clock.at = "2026-01-02T03:10:00.000Z"
    assert place.forge.cursor
    place.clock.at = "2026-01-02T03:20:00.000Z"
    place.hub.audit.clear()
    before = place.forge.cursor
    assert place.hub.audit.calls() == {"GET /repos/{owner}/{repo}/issues": 1}
    assert issues(place, 1)[1].title == "One"
    assert place.forge.cursor == before
    assert sum(place.hub.audit.calls().values()) == 1
    assert [heard.status for heard in place.hub.audit.requests("GET", "/issues")] == [304]


def test_g_23_the_next_look_is_due_when_it_was_before_a_restart(place: HubPlace) -> None:
    """G-23: a new process goes on from what the last one saw; somebody who knows of news is heard at once."""
    place.looks = replace(LOOKS, requests_s=150.0)
    place.forge = place.connected()
    pull = place.ready()
    place.forge.foresee([pull.number])
    place.clock.at = "2026-01-02T03:05:00.000Z"
    again = place.connected()
    place.hub.audit.clear()
    again.foresee([pull.number])
    assert isinstance(again.pull_request(pull.number), PullRequestView)
    assert not place.hub.audit.calls()
    place.clock.at = "2026-01-02T03:08:00.000Z"
    again.foresee([pull.number])
    assert sum(place.hub.audit.calls().values()) >= 1
    place.repository.merge_by_person(pull.number)
    again.foresee([pull.number])
    assert place.repository.tip("main") == place.repository.tip("main")
    from gitsched.adapters.forge.github.memory import Memory

    Memory(place.clone / ".git").poke()
    assert again.cursor
    again.foresee([pull.number])
    seen = again.pull_request(pull.number)
    assert isinstance(seen, PullRequestView)
    assert seen.state == "merged"


def test_g_32_what_is_down_is_asked_more_and_more_seldom(place: HubPlace) -> None:
    """G-32 (the forge's part): 503 is unreachable, not empty; after a failure it is left alone for a while."""
    place.looks = replace(LOOKS, issues_s=1.0)
    place.forge = place.connected()
    place.issue("One")
    issues(place, 1)
    down = place.hub.down()
    place.clock.at = "2026-01-02T04:00:00.000Z"
    for _ in range(40):
        assert place.forge.cursor
        assert isinstance(place.forge.issues([1]), Unreachable)
    assert down.came_count <= 4
    down.stop()
    place.clock.at = "2026-01-02T05:00:00.000Z"
    assert place.forge.cursor
    assert issues(place, 1)[1].title == "One"


def test_answers_that_no_github_gives_are_read_all_the_same() -> None:
    """Nested too deeply, numbers too long, halves of characters: no answer makes the one who asked fail."""
    assert decoded(200, {}, "[" * 200_000).body is None
    assert decoded(200, {}, "1" * 5_000).body is None
    text = '{"a": "x\\ud800y", "b": ["\\uDC00"], "c": "\\ud83d\\ude00"}'
    assert decoded(200, {}, text).body == {"a": "x?y", "b": ["?"], "c": "\U0001f600"}


@pytest.mark.parametrize("date", ["", "soon", "Wed, 21 Oct 99999 07:28:00 GMT"])
def test_a_date_that_is_none_is_not_looked_at(place: HubPlace, date: str) -> None:
    place.issue("One")
    place.hub.faults.plan(Fault("answer", status=404, message="Not Found", headers={"Date": date}, times=1))
    wire = place.forge.wire
    assert wire.get("/repositories/1").status == 404
    assert abs(wire.skew_s) < 10 * 365 * 86_400


def test_halves_of_characters_are_not_sent(place: HubPlace) -> None:
    """A commit's subject in another encoding reaches a body as halves; GitHub takes none."""
    number = place.forge.open_issue("a \udce9", "b \ud800", "marker")
    issue = issues(place, number)[number]
    assert (issue.title, "b ?" in issue.body) == ("a ?", True)


def test_requests_from_the_foreign_branch_are_none(place: HubPlace) -> None:
    assert place.forge.pull_requests_from(SOURCE) == ()


def test_whether_a_repository_is_public_is_known(place: HubPlace) -> None:
    assert place.forge.repository.identity.is_public is True
    place.repository.model.is_private = True
    assert place.forge.repository.reopen().is_public is False


def test_a_repository_that_is_made_public_is_noticed_within_the_hour(place: HubPlace) -> None:
    """What is kept back from the public is, from then on; and where GitHub gives no such answer."""
    place.looks = replace(LOOKS, issues_s=1.0)
    place.forge = place.connected()
    place.repository.model.is_private = True
    place.issue("One")
    issues(place, 1)
    memory = place.forge.repository.memory
    assert place.forge.repository.identity.is_public is False
    place.repository.model.is_private = False
    place.clock.at = "2026-01-02T06:00:00.000Z"
    assert place.forge.cursor
    identity = memory.load().identity
    assert identity is not None
    assert identity.is_public is True
    place.hub.answer(404, "Not Found", path="/graphql")
    place.forge.repository.recheck()
    identity = memory.load().identity
    assert identity is not None
    assert identity.is_public is None
