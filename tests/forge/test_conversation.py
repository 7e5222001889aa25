"""The contract of a conversation: the local forge's, and the one that tests of commands speak by."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.forge.local_conversation import LocalConversation
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.commands import Person, Reaction, Role, Spoken
from gitsched.domain.forge import IssueDraft
from gitsched.ports.conversation import Conversation
from tests.commands.talk import Talk

Say = Callable[[int, str], int]


def local(repo: Path) -> tuple[Conversation, Say]:
    tracker = Tracker(repo, SystemClock(), "ada", fsync=False)
    tracker.new_issue(IssueDraft(title="Work"))
    return LocalConversation(repo, SystemClock(), fsync=False), tracker.comment


def in_memory(_repo: Path) -> tuple[Conversation, Say]:
    talk = Talk(SystemClock().now())
    return talk, lambda number, body: talk.say(number, body).comment


@pytest.fixture(params=[local, in_memory])
def place(request: pytest.FixtureRequest, repo: Path) -> tuple[Conversation, Say]:
    made: tuple[Conversation, Say] = request.param(repo)
    return made


def test_what_was_said_is_read_as_it_was_said(place: tuple[Conversation, Say]) -> None:
    talk, say = place
    comment = say(1, "hello")
    spoken = talk.spoken(comment)
    assert isinstance(spoken, Spoken)
    assert (spoken.comment, spoken.number, spoken.body, spoken.is_edited) == (comment, 1, "hello", False)
    assert spoken.author is not None
    assert (spoken.author.login, spoken.author.is_bot) == ("ada", False)
    assert talk.spoken(comment + 1) is None


def test_what_changed_at_that_instant_is_among_what_changed_since(place: tuple[Conversation, Say]) -> None:
    talk, say = place
    first = say(1, "a")
    spoken = talk.spoken(first)
    assert isinstance(spoken, Spoken)
    second = say(1, "b")
    since = talk.spoken_since(spoken.updated_at)
    assert isinstance(since, tuple)
    assert [found.comment for found in since] == [first, second]
    assert talk.spoken_since("2100-01-01T00:00:00.000Z") == ()


def test_reactions_and_answers_may_be_given_again(place: tuple[Conversation, Say]) -> None:
    talk, say = place
    comment = say(1, "a")
    talk.react(comment, Reaction.SEEN)
    talk.answer(1, "Yes.", "gitsched:answer:1")
    once = talk.spoken_since("1970-01-01T00:00:00.000Z")
    talk.react(comment, Reaction.SEEN)
    talk.answer(1, "Yes.", "gitsched:answer:1")
    talk.react(10**9, Reaction.SEEN)
    talk.answer(10**9, "Yes.", "gitsched:answer:2")
    assert talk.spoken_since("1970-01-01T00:00:00.000Z") == once


def test_who_speaks_has_a_role(place: tuple[Conversation, Say]) -> None:
    talk, say = place
    spoken = talk.spoken(say(1, "a"))
    assert isinstance(spoken, Spoken)
    assert spoken.author is not None
    assert talk.role_of(spoken.author) is Role.ADMIN


def test_our_own_answer_stands_once_and_is_a_bot_s(repo: Path) -> None:
    talk, _ = local(repo)
    for body in ("Yes.", "No."):
        talk.answer(1, body, "gitsched:answer:1")
    (only,) = LocalForge(repo, SystemClock()).comments(1)
    spoken = talk.spoken(only.id)
    assert isinstance(spoken, Spoken)
    assert "No." in only.body
    assert spoken.author == Person(id=0, login="gitsched", is_bot=True)
