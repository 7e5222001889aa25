"""Closing: what a complete run left uncommitted, and what is wrong with its work by itself."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from gitsched.domain.ids import branch_ref
from gitsched.domain.instants import epoch_seconds
from gitsched.domain.landing import Guards, Work
from gitsched.domain.records import Batch, Member
from gitsched.engine.desk import COMMITTER, Desk
from gitsched.engine.ended import Ended
from gitsched.engine.release import tree_here
from gitsched.policy.scope import out_of_scope
from gitsched.policy.secrets import secret_looking
from gitsched.policy.settle import Completed, Fruitless, OutOfScope, RunOutcome, Unverified
from gitsched.ports.worktrees import Identity


def close(desk: Desk, ended: Ended) -> tuple[Ended, RunOutcome]:
    """Deal with uncommitted changes of a complete run as its profile says; without any commit nothing was done."""
    member, profile, paths = ended.member, ended.profile, ended.facts.uncommitted
    tree = tree_here(desk, member)
    if not paths or tree is None or profile is None or profile.closing_commit == "ignore":
        return ended, _completed(ended)
    if profile.closing_commit == "require-clean":
        return ended, Unverified(f"uncommitted changes in {paths[0]}")
    astray = _astray(desk, member, tree)
    if astray is not None:
        return ended, Unverified(astray)
    outside = out_of_scope(paths, member.files) if member.files else ()
    if outside:
        return ended, OutOfScope(outside)
    message = f"Finish {member.title}\n\nWhat the agent left uncommitted when it said that it was done."
    head = desk.around.work.commit_all(tree, paths, message, Identity(*COMMITTER, epoch_seconds(ended.end.at)))
    if head is None:
        return ended, _completed(ended)
    facts = replace(ended.facts, commits=(*ended.facts.commits, head))
    ended = replace(ended, head=head, facts=facts)
    siblings = siblings_in(desk, ended.batch, member, head)
    return ended, Unverified(f"sibling-commits:{siblings[0]}") if siblings else Completed()


def _astray(desk: Desk, member: Member, tree: Path) -> str | None:
    """Say why a commit made in a tree now would not be one of its member's branch; None: it would be."""
    operation = desk.around.work.unfinished(tree)
    if operation is not None:
        return f"its tree is in the middle of a {operation}"
    stands = next((one.branch for one in desk.around.trees.trees() if one.path.resolve() == tree.resolve()), None)
    if stands == member.branch:
        return None
    return f"HEAD of its tree is {'detached' if stands is None else f'on {stands}'}, not on {member.branch}"


def accepted(desk: Desk, batch: Batch, member: Member) -> "str | Unverified | Fruitless":
    """Commit what a held member left outside its declared files, and give its head with that, or what is against it.

    A commit that was made and not recorded is found on the branch.
    """
    tree, work = tree_here(desk, member), desk.around.work
    paths = [path for path in work.uncommitted(tree) if not secret_looking(path)] if tree is not None else []
    if tree is not None and paths:
        astray = _astray(desk, member, tree)
        if astray is not None:
            return Unverified(astray)
        message = f"Finish {member.title}\n\nWhat an operator accepted outside the declared files."
        work.commit_all(tree, paths, message, Identity(*COMMITTER))
    pinned = member.head or member.cut or ""
    tip = desk.around.refs.resolve(branch_ref(member.branch)) or pinned
    head = tip if desk.around.lander.is_ancestor(pinned, tip) else pinned
    siblings = siblings_in(desk, batch, member, head)
    if siblings:
        return Unverified(f"sibling-commits:{siblings[0]}")
    found = hazards(desk, batch, member, head)
    return found if isinstance(found, Fruitless) else head


def siblings_in(desk: Desk, batch: Batch, member: Member, head: str) -> tuple[int, ...]:
    """Name the issues whose commits are among a member's own without having landed.

    A commit that the member itself made is its own, whoever has taken it over since.
    """
    cut = member.cut or ""
    work = Work(cut=cut, pinned=head)
    shared = desk.around.lander.shared_commits(work, batch.integration.head or cut, _heads(desk, batch, member))
    tree, made_for = tree_here(desk, member), desk.around.work.made_for
    return tuple(one.sibling for one in shared if tree is None or not made_for(tree, member.branch, one.commit))


def _heads(desk: Desk, batch: Batch, member: Member) -> Mapping[int, str]:
    heads: dict[int, str] = {}
    for other in desk.state.members_of(batch):
        if other.issue == member.issue or other.cut is None:
            continue
        head = other.head or desk.around.refs.resolve(branch_ref(other.branch))
        if head is not None and head != other.cut:
            heads[other.issue] = head
    return heads


def _completed(ended: Ended) -> RunOutcome:
    return Completed() if ended.facts.commits else Fruitless("no-changes")


def hazards(desk: Desk, batch: Batch, member: Member, head: str) -> RunOutcome:
    """Look for what is wrong with the pinned work by itself, before any gate is spent on it."""
    work = Work(cut=member.cut or "", pinned=head)
    found = desk.around.lander.own_hazards(work, guards_of(desk, batch))
    stops = [hazard for hazard in found if f"hazard:{hazard.kind}" not in member.allow]
    return Fruitless(f"hazard:{stops[0].kind}", stops[0].detail) if stops else Completed()


def guards_of(desk: Desk, batch: Batch) -> Guards:
    """Give what makes a change more than an ordinary one."""
    guards, may_push = desk.settings_of(batch).land.guards, desk.around.forge.may_push_workflows()
    return Guards(size_bytes=guards.size_bytes, deletions=guards.deletions, may_push_workflows=may_push)
