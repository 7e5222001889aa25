"""Commands: rights, who is heard, and what a command is bound to."""

import pytest
from msgspec.structs import replace

from gitsched.domain.commands import CommandVerb, Heard, Person, Role, Spoken
from gitsched.domain.records import Batch, Entry, Integration, PullRequest
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, PullRequestState
from gitsched.policy.commands import (
    batch_of_unit,
    forgettable,
    is_current,
    is_enough,
    nearest_verb,
    needed_role,
    unit_of_number,
    why_unheard,
)

NOW = "2026-03-20T12:00:00.000Z"
SPOKEN = Spoken(
    comment=1,
    number=5,
    author=Person(id=7, login="ada"),
    body="",
    is_edited=False,
    created_at="2026-03-20T11:00:00.000Z",
    updated_at=NOW,
)
BATCH = Batch(
    id="b1",
    kind=BatchKind.BATCH,
    status=BatchStatus.AWAITING_MERGE,
    target="main",
    generation=7,
    integration=Integration(branch="x", head="0123456789" * 4),
    pr=PullRequest(number=12, state=PullRequestState.OPEN, head="0"),
)
ENTRY = Entry(issue=5, title="t", status=EntryStatus.ASSIGNED, batch="b1")
STATE = State().put(BATCH).put(ENTRY).put(replace(ENTRY, issue=6, batch=None, status=EntryStatus.QUEUED))


@pytest.mark.parametrize(
    ("verb", "configured", "role"),
    [
        (CommandVerb.WHY, {}, Role.NONE),
        (CommandVerb.RESUME, {}, Role.TRIAGE),
        (CommandVerb.HOLD, {}, Role.TRIAGE),
        (CommandVerb.STOP, {}, Role.WRITE),
        (CommandVerb.SHIP, {}, Role.MAINTAIN),
        (CommandVerb.ABANDON, {}, Role.MAINTAIN),
        (CommandVerb.STOP, {"stop": "admin"}, Role.ADMIN),
        (CommandVerb.STOP, {"stop": "anyone"}, Role.NONE),
    ],
)
def test_each_verb_needs_a_role(verb: CommandVerb, configured: dict[str, str], role: Role) -> None:
    assert needed_role(verb, configured) is role


def test_roles_are_in_order() -> None:
    assert [is_enough(role, Role.WRITE) for role in Role] == [False, False, False, True, True, True]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"author": None}, "author-gone"),
        ({"author": Person(id=1, is_bot=True)}, "bot"),
        ({"is_edited": True}, "edited"),
        ({"created_at": "2026-03-01T00:00:00.000Z"}, "too-old"),
    ],
)
def test_who_is_heard(change: dict[str, object], why: str | None) -> None:
    assert why_unheard(replace(SPOKEN, **change), NOW) == why


def test_the_ledger_forgets_what_nothing_can_come_for() -> None:
    row = Heard(comment=1, number=5, author=7, created_at="2026-01-01T00:00:00.000Z")
    state = State().put(row).put(replace(row, comment=2)).put(replace(row, comment=3, created_at=NOW))
    assert [gone.comment for gone in forgettable(state, NOW, 9)] == [1, 2]
    assert [gone.comment for gone in forgettable(state, NOW, 1)] == [1]


@pytest.mark.parametrize(("at", "fits"), [("7", True), ("6", False), ("0123456", True), ("0123457", False)])
def test_a_binding_is_a_generation_or_a_head(at: str, fits: bool) -> None:
    assert is_current(BATCH, at) is fits


def test_a_batch_without_a_head_is_not_meant_by_one() -> None:
    assert not is_current(replace(BATCH, integration=Integration(branch="x")), "0123456")


@pytest.mark.parametrize(
    ("word", "verb"),
    [("stopp", CommandVerb.STOP), ("Resume", CommandVerb.RESUME), ("qqqq", None)],
)
def test_the_nearest_verb(word: str, verb: CommandVerb | None) -> None:
    assert nearest_verb(word) is verb


def test_what_a_comment_stands_on() -> None:
    assert unit_of_number(STATE, 12) == "b1"
    assert unit_of_number(STATE, 5) == "5"


@pytest.mark.parametrize(
    ("unit", "batch"), [("b1", "b1"), ("5", "b1"), ("#5", "b1"), ("6", None), ("99", None), ("x", None)]
)
def test_the_batch_that_is_meant(unit: str, batch: str | None) -> None:
    found = batch_of_unit(STATE, unit)
    assert (found.id if found else None) == batch
