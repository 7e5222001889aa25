"""Writing to GitHub: once, whatever becomes of the answer, and no faster than GitHub allows."""

from collections.abc import Callable
from typing import TypeVar

import pytest
from msgspec.structs import replace

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError
from gitsched.adapters.forge.github.pace import Bounds, Kind, Pace
from gitsched.domain.forge import PullRequestView
from gitsched.domain.instants import after
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import PullRequestState
from gitsched.errors import RefusedError
from tests.forge.hub_place import HubPlace
from tests.forge.places import MARKER, SOURCE

T = TypeVar("T")


def later(place: HubPlace, seconds: float) -> None:
    place.clock.at = after(place.clock.at, seconds)


def tried(place: HubPlace, call: Callable[[], T]) -> T:
    """Try again as long as there is no answer, a good while apart."""
    for _ in range(20):
        try:
            return call()
        except UnansweredError:
            later(place, 20)
    pytest.fail("there never was an answer")


def test_g_02_a_request_whose_answer_was_lost_is_found_again(place: HubPlace) -> None:
    """G-02: opened, and the answer was a 502: the step is repeated by another process, and there is one request."""
    place.commit(SOURCE, "app.py")
    place.hub.spoil(502, method="POST", path="/pulls$")
    with pytest.raises(UnansweredError):
        place.forge.open_pull_request(place.request(), MARKER)
    opened = place.connected().open_pull_request(place.request(), MARKER)
    assert [pull.number for pull in place.repository.pulls()] == [opened.number]


def test_g_02_a_list_that_lags_makes_no_second_request(place: HubPlace) -> None:
    """G-02: the list does not show it yet: GitHub itself refuses a second one, and it is waited for."""
    place.commit(SOURCE, "app.py")
    place.hub.lag(reads=3, path="/pulls$")
    place.hub.lose_reply(method="POST", path="/pulls$")
    opened = tried(place, lambda: place.forge.open_pull_request(place.request(), MARKER))
    assert [pull.number for pull in place.repository.pulls()] == [opened.number]


@pytest.mark.parametrize("how", ["lose_reply", "spoil", "double"])
def test_g_25_a_comment_whose_answer_was_lost_is_posted_once(place: HubPlace, how: str) -> None:
    """G-25: also where the list lags, and another process goes on: the try is on record, and looked for first."""
    number = place.issue()
    place.hub.lag(reads=2, path="/comments$")
    getattr(place.hub, how)(method="POST", path="/comments$")
    made = tried(place, lambda: place.connected().comment(number, "Report", "gitsched:member:b1:1"))
    told = place.repository.comments(number)
    assert len(told) == (2 if how == "double" else 1)
    assert made in {comment.id for comment in told}


def test_a_write_that_was_not_done_is_done_again_at_once(place: HubPlace) -> None:
    number = place.issue()
    place.hub.limit("secondary", 429, retry_after=30, method="POST", path="/comments$")
    with pytest.raises(UnansweredError):
        place.forge.comment(number, "Report", "m")
    with pytest.raises(UnansweredError):
        place.forge.comment(number, "Report", "m")
    assert not place.repository.comments(number)
    later(place, 31)
    place.forge.comment(number, "Report", "m")
    assert len(place.repository.comments(number)) == 1


@pytest.mark.parametrize(
    ("kind", "status", "retry_after"),
    [("primary", 403, None), ("secondary", 403, 30), ("secondary", 429, None), ("secondary", 403, None)],
)
def test_g_30_a_limit_is_waited_for_and_is_no_failure(
    place: HubPlace, kind: str, status: int, retry_after: int | None
) -> None:
    """G-30: 403 with nothing remaining, 403 with `retry-after`, 429: nothing is sent before the time."""
    number = place.issue()
    place.forge.comment(number, "First", "first")
    place.hub.limit(kind, status, retry_after=retry_after)
    with pytest.raises(UnansweredError) as told:
        place.forge.comment(number, "Second", "second")
    assert "limit" in str(told.value)
    place.hub.audit.clear()
    for _ in range(3):
        with pytest.raises(UnansweredError):
            place.forge.comment(number, "Second", "second")
        assert isinstance(place.forge.comments(number), Unreachable)
    assert not place.hub.audit.calls()
    later(place, 7200)
    place.forge.comment(number, "Second", "second")
    assert len(place.repository.comments(number)) == 2


def test_g_30_a_missing_permission_is_not_repeated(place: HubPlace) -> None:
    """G-30: a plain 403 names what is missing, and is no limit."""
    number = place.issue()
    place.hub.forbid(method="POST", path="/comments$", times=None)
    with pytest.raises(DeniedError) as told:
        place.forge.comment(number, "First", "first")
    assert "issues=write" in str(told.value)
    assert len(place.hub.audit.requests("POST", "/comments$")) == 1


def test_g_31_two_hundred_comments_stay_below_the_limit_of_a_minute(place: HubPlace) -> None:
    """G-31: over all batches together, whoever writes; what waits is told so and blocks nobody."""
    place.hub.clock._follows = place.clock.now
    numbers = [place.issue(f"Issue {at}") for at in range(20)]
    left = [(number, f"m{at}") for at in range(10) for number in numbers]
    rounds = 0
    while left:
        rounds += 1
        assert rounds < 2000
        number, marker = left[0]
        try:
            place.forge.comment(number, "text", marker)
            left.pop(0)
        except UnansweredError:
            later(place, 1)
    assert len(place.repository.model.comments) == 200
    assert place.hub.limits.most_writes_in_a_minute < 80
    assert place.hub.limits.refused_count == 0


def test_g_31_edits_that_change_nothing_cost_nothing(place: HubPlace) -> None:
    """G-31: the same text again is no call at all."""
    number = place.issue()
    place.forge.comment(number, "Status", "m")
    place.hub.audit.clear()
    for _ in range(10):
        place.forge.comment(number, "Status", "m")
    assert not place.hub.audit.calls()


def test_a_strict_secondary_limit_is_never_exceeded() -> None:
    """Show 2: by a budget of points, of writes a minute and an hour, with nothing ever sent beyond."""
    now_s = 0.0
    pace = Pace(lambda: now_s, Bounds(rest_points=60, graphql_points=40, writes_a_minute=3, writes_an_hour=8))
    sent: list[tuple[float, Kind]] = []
    for at in range(20_000):
        now_s = at / 2
        kind = (Kind.READ, Kind.WRITE, Kind.QUERY, Kind.MUTATION)[at % 4]
        wait_s = pace.wait_s(kind)
        if wait_s == 0:
            sent.append((now_s, kind))
    for at_s, _ in sent[::97]:
        minute = [kind for when_s, kind in sent if at_s - 60 < when_s <= at_s]
        assert sum(kind.points for kind in minute if kind.pool == "rest") <= 60
        assert sum(kind.points for kind in minute if kind.pool == "graphql") <= 40
        assert sum(kind.is_write for kind in minute) <= 3
        assert sum(kind.is_write for when_s, kind in sent if at_s - 3600 < when_s <= at_s) <= 8
    assert sum(kind.is_write for _, kind in sent) >= 16


def test_a_body_beyond_what_github_takes_is_cut(place: HubPlace) -> None:
    """G-03 (the forge's part): longer than 65,536 characters never reaches GitHub; what is cut is said."""
    pull = place.ready()
    longer = replace(place.request(), body="x" * 70_000)
    place.forge.open_pull_request(longer, MARKER)
    body = place.repository.model.issues[pull.number].body or ""
    assert len(body) < 65_536
    assert "cut here" in body
    assert body.rstrip().endswith("-->")
    place.forge.comment(pull.number, "é" * 64_999, "m")
    assert "cut here" not in (place.repository.comments(pull.number)[0].body or "")


def test_drafts_that_a_plan_does_not_have_are_opened_as_they_can_be(place: HubPlace) -> None:
    """Drafts do not exist everywhere: the request is opened all the same."""
    place.hub.repository("acme/shop", has_drafts=False)
    place.commit(SOURCE, "app.py")
    opened = place.forge.open_pull_request(place.request(state=PullRequestState.DRAFT), MARKER)
    assert opened.state is PullRequestState.OPEN


def test_a_request_of_a_person_between_the_same_branches_is_taken_over(place: HubPlace) -> None:
    """GitHub takes no second one: the person's is brought to what is wanted, and carries the marker then."""
    place.commit(SOURCE, "app.py")
    theirs = place.repository.pull(SOURCE, title="Mine")
    opened = place.forge.open_pull_request(place.request(), MARKER)
    assert opened.number == theirs.number
    found = place.forge.pull_request_for(SOURCE, MARKER)
    assert isinstance(found, PullRequestView)


def test_what_cannot_be_opened_is_refused_with_githubs_words(place: HubPlace) -> None:
    place.commit(SOURCE, "app.py")
    with pytest.raises(RefusedError, match="GitHub refused"):
        place.forge.open_pull_request(place.request(target="nowhere"), MARKER)


def test_a_comment_that_somebody_deleted_is_not_written_again(place: HubPlace) -> None:
    number = place.issue()
    made = place.forge.comment(number, "Status", "m")
    place.repository.delete_comment(made)
    assert place.forge.comment(number, "Status, newer", "m") == made
    assert not place.repository.comments(number)
