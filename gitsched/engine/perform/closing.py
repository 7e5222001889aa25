"""Closing: what a complete run left uncommitted, and what is wrong with its work by itself."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.domain.landing import Guards, Work
from gitsched.domain.records import Batch
from gitsched.engine.desk import COMMITTER, Desk
from gitsched.policy.scope import out_of_scope
from gitsched.policy.settle import Completed, Fruitless, OutOfScope, RunOutcome, Unverified
from gitsched.ports.worktrees import Identity

if TYPE_CHECKING:
    from gitsched.engine.perform.settling import Ended


def close(desk: Desk, ended: "Ended") -> tuple["Ended", RunOutcome]:
    """Deal with uncommitted changes of a complete run as its profile says; without any commit nothing was done."""
    member, profile, paths = ended.member, ended.profile, ended.facts.uncommitted
    if not paths or member.tree is None or profile is None or profile.closing_commit == "ignore":
        return ended, _completed(ended)
    if profile.closing_commit == "require-clean":
        return ended, Unverified(f"uncommitted changes in {paths[0]}")
    outside = out_of_scope(paths, member.files) if member.files else ()
    if outside:
        return ended, OutOfScope(outside)
    message = f"Finish {member.title}\n\nWhat the agent left uncommitted when it said that it was done."
    head = desk.around.work.commit_all(Path(member.tree), paths, message, Identity(*COMMITTER))
    if head is None:
        return ended, _completed(ended)
    facts = replace(ended.facts, commits=(*ended.facts.commits, head))
    return replace(ended, head=head, facts=facts), Completed()


def _completed(ended: "Ended") -> RunOutcome:
    return Completed() if ended.facts.commits else Fruitless("no-changes")


def hazards(desk: Desk, ended: "Ended") -> RunOutcome:
    """Look for what is wrong with the pinned work by itself, before any gate is spent on it."""
    work = Work(cut=ended.member.cut or "", pinned=ended.head)
    found = desk.around.lander.own_hazards(work, guards_of(desk, ended.batch))
    stops = [hazard for hazard in found if f"hazard:{hazard.kind}" not in ended.member.allow]
    return Fruitless(f"hazard:{stops[0].kind}", stops[0].detail) if stops else Completed()


def guards_of(desk: Desk, batch: Batch) -> Guards:
    """Give the amounts at which a change stops being ordinary."""
    guards = desk.settings_of(batch).land.guards
    return Guards(size_bytes=guards.size_bytes, deletions=guards.deletions)
