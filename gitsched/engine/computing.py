"""Computing: what landing a member on a commit gives, in memory and the same each time; nothing moves."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.landing import (
    Conflict,
    Decoration,
    Hazard,
    Landing,
    NothingToLand,
    Rebased,
    Strategy,
    Terms,
    Unproven,
    Work,
)
from gitsched.domain.records import Batch, Member
from gitsched.engine.desk import Desk
from gitsched.engine.release import confirming_owner
from gitsched.ports.worktrees import TreeRefused


class Stopped(Struct, frozen=True):
    """It does not land, and why: the whole batch waits for a person."""

    reason: str
    detail: str


class Refuted(Struct, frozen=True):
    """It does not land, and leaves its batch."""

    reason: str
    detail: str


Computed = Rebased | Conflict | Stopped | Refuted


def compute(desk: Desk, batch: Batch, member: Member, onto: str) -> Computed:
    """Work out what landing a member on a commit gives; nothing moves."""
    assert member.cut is not None
    assert member.head is not None
    lander = desk.around.lander
    work = Work(cut=member.cut, pinned=member.head)
    settings = desk.settings_of(batch)
    terms = Terms(
        committer=desk.committer(member.verified_at or batch.created_at),
        decoration=Decoration.of_member(batch.id, member.issue, is_closing=not settings.land.neutralise_closing),
        strategy=Strategy(settings.land.strategy),
    )
    answer = lander.land(work, onto, terms)
    if isinstance(answer, Conflict):
        answer = _confirmed(desk, member, work, onto, terms) or answer
    match answer:
        case Conflict():
            return answer
        case NothingToLand():
            return Refuted("nothing-to-land", "what it changed is on the branch already")
        case Rebased():
            pass
        case _:
            assert_never(answer)
    proof = lander.prove(work, onto, answer)
    if isinstance(proof, Unproven):
        return Stopped("landing-failed", proof.why)
    hazard = _hazard(lander.union_hazards(work, onto, answer, batch.base or onto), member)
    return answer if hazard is None else Refuted(f"hazard:{hazard.kind}", hazard.detail)


def _confirmed(desk: Desk, member: Member, work: Work, onto: str, terms: Terms) -> Landing | None:
    """Ask git's own rebase about a conflict, in a tree that no other driver uses; None: there is none to be had."""
    trees, owner = desk.around.trees, confirming_owner(member, desk.me.driver)
    place = trees.acquire(owner, onto, None)
    if isinstance(place, TreeRefused):
        return None
    try:
        return desk.around.lander.land(work, onto, replace(terms, confirm_in=str(place.path)))
    finally:
        trees.release(place.path, [owner])


def _hazard(found: tuple[Hazard, ...], member: Member) -> Hazard | None:
    return next((hazard for hazard in found if f"hazard:{hazard.kind}" not in member.allow), None)
