"""Giving a slot back: when a run could not start, when it has ended, when its batch is over."""

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Job, Lease, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.engine.desk import Desk
from gitsched.errors import BusyError
from gitsched.policy.runs import CONFIRMING, SUITE_JOB
from gitsched.ports.worktrees import TreeRefused


def release_slot(draft: Draft, lease: Lease, reason: str) -> None:
    """Record that a lease's slot is free again; the cause stands before it."""
    draft.note(
        EventName.SLOT_RELEASED,
        f"Free slot {lease.slot}, which issue {lease.issue} of {lease.batch} had: {reason}",
        removed=[lease],
        batch=lease.batch,
        issue=lease.issue,
        gen=lease.gen,
        reason=reason,
        slot=lease.slot,
    )


def release_unstarted(desk: Desk, lease: Lease, refused: TreeRefused) -> None:
    """Give back the slot of a run whose tree could not be made; the member waits, held for the reason.

    A disk that is too full holds nobody: admission pauses by itself until there is space.
    """

    def intent(draft: Draft) -> None:
        now, member = _unstarted(draft, lease)
        if now is None or member is None:
            return
        if refused.reason != "disk-floor":
            held = replace(member, hold=refused.reason, reason=_told(refused))
            draft.note(
                EventName.MEMBER_HELD,
                f"Hold issue {member.issue} of {member.batch}: {_told(refused)}",
                held,
                batch=member.batch,
                issue=member.issue,
                gen=now.gen,
                reason=refused.reason,
                detail=refused.detail,
            )
            member = held
        _wait(draft, now, member, refused.reason, refused.detail)

    desk.record(intent)


def give_slot_back(desk: Desk, lease: Lease, reason: str) -> None:
    """Give back the slot of a run that is not to start after all; its member waits for that reason to go."""
    desk.record(lambda draft: put_back(draft, lease, reason))


def put_back(draft: Draft, lease: Lease, reason: str) -> None:
    """Free the slot of a run that has not started, in a change that is being made; another one keeps its own."""
    now, member = _unstarted(draft, lease)
    if now is not None and member is not None and is_unstarted(now):
        _wait(draft, now, member, reason)


def _unstarted(draft: Draft, lease: Lease) -> tuple[Lease | None, Member | None]:
    """Give lease and member as they are while that very run has not started."""
    now, member = (
        draft.state.leases.get((lease.batch, lease.issue)),
        draft.state.members.get((lease.batch, lease.issue)),
    )
    is_same = now is not None and now.gen == lease.gen and now.status is lease.status
    return (now, member) if is_same else (None, None)


def _wait(draft: Draft, lease: Lease, member: Member, reason: str, detail: str = "") -> None:
    draft.note(
        EventName.SLOT_RELEASED,
        f"Free slot {lease.slot}, which issue {member.issue} of {member.batch} had: {reason}",
        replace(member, status=MemberStatus.WAITING),
        removed=[lease],
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        reason=reason,
        detail=detail[:400] or None,
        slot=lease.slot,
    )


def _told(refused: TreeRefused) -> str:
    return f"{refused.reason}: {refused.detail}"[:200] if refused.detail else refused.reason


def tree_owner(batch: str, issue: int, gen: int) -> str:
    """Name a run as the pool knows who holds a tree."""
    return f"{batch}/{issue}/{gen}"


def suite_owner(batch: str, driver: str, token: str) -> str:
    """Name one claim of a suite as the pool knows who holds a tree, with the driver that is about to record it."""
    return f"{batch}/{SUITE_JOB}/{driver}/{token}"


def confirming_owner(member: Member, driver: str) -> str:
    """Name the confirmation of a conflict as the pool knows who holds a tree."""
    return f"{member.batch}/{CONFIRMING}/{driver}/{member.issue}"


def give_tree_back(desk: Desk, member: Member) -> str | None:
    """Give a member's tree back to the pool. None: done, or there is none here; else why it could not be.

    One that a later generation has is left alone: this may be a driver that was stopped for a while.
    """
    if member.tree is None or member.tree_host != desk.me.host:
        return None
    if not Path(member.tree).exists():
        return desk.around.trees.remove(Path(member.tree))
    owners = [tree_owner(member.batch, member.issue, gen) for gen in range(member.gen + 1)]
    return desk.around.trees.release(Path(member.tree), owners)


def give_suite_tree_back(desk: Desk, job: Job) -> None:
    """Give the tree of an ended suite back once that is settled, unless another suite has it by now.

    While it is not, what the suite came to may have to be read again, and is judged by its tree.
    """

    def give_back() -> None:
        trees = desk.around.trees
        for path, owner in trees.owners().items():
            if str(path) == job.place and owner is not None and owner.endswith(f"/{job.token}"):
                with suppress(BusyError):  # a driver that was stopped keeps the turn: a sweep gives it back
                    trees.release(path, [owner])

    desk.around.store.afterwards(give_back)


def tree_here(desk: Desk, member: Member) -> Path | None:
    """Give a member's tree where git can be asked in it; None: it has none, on another host, or it is gone."""
    if member.tree is None or member.tree_host != desk.me.host:
        return None
    place = Path(member.tree)
    return place if (place / ".git").is_file() else None


def has_tree_here(desk: Desk, member: Member) -> bool:
    """Say whether a member has a tree on this host, whatever is left of git's files in it."""
    return member.tree_host == desk.me.host and member.tree is not None and Path(member.tree).is_dir()


def without_tree(member: Member) -> Member:
    """Give the member as it is once its tree went back to the pool."""
    return replace(member, tree=None, tree_host=None, setup_done=0, keeps_tree=False)


def is_unstarted(lease: Lease) -> bool:
    """Say whether no agent of this generation was started yet."""
    return lease.status in (RunStatus.ASSIGNED, RunStatus.RECOVERING)
