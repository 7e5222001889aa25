"""Comments, rights, GitHub milestones and failed deliveries, as the adapter reads them off the fake GitHub."""

import pytest

from gitsched.adapters.forge.github.app import AppClaim
from gitsched.adapters.forge.github.comments import Comments
from gitsched.adapters.forge.github.conversation import GitHubConversation
from gitsched.adapters.forge.github.courier import GitHubCourier
from gitsched.adapters.forge.github.credentials import PlainToken
from gitsched.adapters.forge.github.memory import Memory
from gitsched.adapters.forge.github.milestones import GitHubMilestones
from gitsched.adapters.forge.github.pace import Pace
from gitsched.adapters.forge.github.repository import Repository
from gitsched.adapters.forge.github.wire import Wire
from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.outcomes import Unreachable
from tests.forge.hub_place import NAME, HubPlace


@pytest.fixture
def at(place: HubPlace) -> Repository:
    pace = Pace(place.hub.now_s)
    return Repository(Wire(place.hub.api_url, PlainToken(place.token), pace), NAME, Memory(place.clone / ".git"))


@pytest.fixture
def talk(place: HubPlace, at: Repository) -> GitHubConversation:
    return GitHubConversation(at, Comments(at, place.clock.now))


def heard(talk: GitHubConversation, comment: int) -> Spoken:
    found = talk.spoken(comment)
    assert isinstance(found, Spoken)
    return found


def test_a_comment_is_read_with_its_author_s_number(place: HubPlace, talk: GitHubConversation) -> None:
    number = place.issue()
    made = place.repository.comment(number, "/gitsched stop", by="ada")
    spoken = heard(talk, made.id)
    assert (spoken.number, spoken.body, spoken.is_edited) == (number, "/gitsched stop", False)
    assert spoken.author == Person(id=place.hub.user("ada").id, login="ada")
    place.hub.clock.advance(5)
    place.repository.edit_comment(made.id, "/gitsched pause")
    assert heard(talk, made.id).is_edited
    place.repository.delete_comment(made.id)
    assert talk.spoken(made.id) is None


def test_bots_and_accounts_that_are_gone_are_told(place: HubPlace, talk: GitHubConversation) -> None:
    number = place.issue()
    talk.answer(number, "Yes.", "gitsched:answer:1")
    (ours,) = place.repository.comments(number)
    author = heard(talk, ours.id).author
    assert author is not None
    assert author.is_bot
    made = place.repository.comment(number, "bye", by="eve")
    place.hub.delete_user("eve")
    gone = heard(talk, made.id).author
    assert gone is None or gone.login == "ghost"


def test_what_changed_at_that_second_is_among_what_changed_since(place: HubPlace, talk: GitHubConversation) -> None:
    """W-24, the forge's side: the cursor's own second is read again."""
    number = place.issue()
    first = place.repository.comment(number, "a")
    second = place.repository.comment(number, "b")
    since = talk.spoken_since(heard(talk, first.id).updated_at)
    assert isinstance(since, tuple)
    assert [found.comment for found in since] == [first.id, second.id]
    assert talk.spoken_since("2100-01-01T00:00:00.000Z") == ()


@pytest.mark.parametrize("role", ["read", "triage", "write", "maintain", "admin"])
def test_a_role_is_that_of_the_number(place: HubPlace, talk: GitHubConversation, role: str) -> None:
    place.repository.role("bob", role)
    assert talk.role_of(Person(id=place.hub.user("bob").id, login="whoever")) is Role(role)


def test_a_login_that_changed_hands_gives_nothing(place: HubPlace, talk: GitHubConversation) -> None:
    """W-21, the forge's side: renamed, registered by somebody else, and gone."""
    place.repository.role("bob", "admin")
    bob = place.hub.user("bob")
    bob.login = "robert"
    taker = place.hub.user("bob")
    assert talk.role_of(Person(id=bob.id, login="bob")) is Role.ADMIN
    assert talk.role_of(Person(id=taker.id, login="bob")) in (Role.NONE, Role.READ)
    assert talk.role_of(Person(id=10**9, login="bob")) is Role.NONE


def test_acknowledgements_may_be_given_again(place: HubPlace, talk: GitHubConversation) -> None:
    number = place.issue()
    made = place.repository.comment(number, "/gitsched pause")
    for _ in range(2):
        talk.react(made.id, Reaction.SEEN)
        talk.answer(number, "Yes.", "gitsched:answer:1")
    assert [reaction.content for reaction in made.reactions] == ["eyes"]
    assert len(place.repository.comments(number)) == 2
    place.repository.delete_comment(made.id)
    talk.react(made.id, Reaction.REFUSED)
    talk.answer(10**6, "Yes.", "gitsched:answer:2")
    place.repository.lock(number)
    talk.answer(number, "More.", "gitsched:answer:3")


def test_milestones_are_read_with_their_issues_and_closed_once(place: HubPlace, at: Repository) -> None:
    milestones = GitHubMilestones(at)
    number = place.repository.milestone("batch/login")
    issues = [place.issue(milestone="batch/login") for _ in range(3)]
    place.issue(milestone="v2.0")
    place.repository.close(issues[1])
    found = milestones.milestones("batch/*")
    assert isinstance(found, tuple)
    (only,) = found
    assert (only.number, only.title, only.is_open) == (number, "batch/login", True)
    assert (sorted(only.issues), sorted(only.open_issues)) == (issues, [issues[0], issues[2]])
    for _ in range(2):
        milestones.close_milestone(number, "Shipped by #7.")
    found = milestones.milestones("batch/*")
    assert isinstance(found, tuple)
    assert not found[0].is_open


def test_g_37_no_issue_of_a_large_milestone_is_missed(place: HubPlace, at: Repository) -> None:
    """G-37: 150 issues in one GitHub milestone, by two calls for its issues."""
    for number in range(1, 151):
        place.repository.issue(number, milestone="batch/login")
    place.hub.audit.clear()
    found = GitHubMilestones(at).milestones("batch/*")
    assert isinstance(found, tuple)
    assert sorted(found[0].issues) == list(range(1, 151))
    assert sum(place.hub.audit.calls().values()) == 4


def test_failed_deliveries_are_found_and_asked_for_again(place: HubPlace) -> None:
    place.issue()
    pace = Pace(place.hub.now_s)
    claim = AppClaim(str(place.hub.app.id), place.hub.app.private_key, place.hub.now_s)
    courier = GitHubCourier(Wire(place.hub.api_url, claim, pace))
    failed = courier.failed_since("2000-01-01T00:00:00.000Z")
    assert isinstance(failed, tuple)
    for delivery in failed[:1]:
        courier.ask_again(delivery.attempt)


def test_an_unreachable_github_decides_nothing(place: HubPlace, talk: GitHubConversation) -> None:
    number = place.issue()
    made = place.repository.comment(number, "x")
    assert heard(talk, made.id).body == "x"
    place.hub.stop()
    assert isinstance(talk.spoken(made.id), Unreachable)
    assert isinstance(talk.spoken_since("2000-01-01T00:00:00.000Z"), Unreachable)
    assert isinstance(talk.role_of(Person(id=1)), Unreachable)
    talk.react(made.id, Reaction.SEEN)
