"""Setup: the commands that make a new tree ready, one job each."""

from msgspec.structs import replace

from gitsched.config.encoding import fingerprint
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Job, Lease, Member
from gitsched.domain.state import Draft, RefMove, State
from gitsched.domain.words import JobKind, MemberStatus
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.engine.jobs import JobOrder, claim, is_current, read_end
from gitsched.engine.release import give_tree_back, release_slot, without_tree
from gitsched.policy.evictions import exit_of
from gitsched.policy.runs import setup_job
from gitsched.ports.worktrees import Tree

TIMEOUT_S = 1800.0


def claim_setup(desk: Desk, member: Member, lease: Lease, tree: Tree, begins: tuple[str, str]) -> None:
    """Run the next setup command in a member's fresh tree; `begins` are the commits to record as `cut` and `start`."""
    desk.record(lambda draft: _note_tree(draft, desk, lease, tree, begins))
    order = _order(desk, member, tree)

    def is_due(state: State) -> bool:
        unit = _preparing(state, lease)
        return unit is not None and unit.setup_done == member.setup_done

    claim(desk, order, f"Run setup command {order.check} for issue {member.issue} of {member.batch}", is_due)


def _preparing(state: State, lease: Lease) -> Member | None:
    """Give the member whose tree is made for this run; None: not any more."""
    key = (lease.batch, lease.issue)
    held, member = state.leases.get(key), state.members.get(key)
    is_held = held is not None and held.gen == lease.gen
    return member if is_held and member is not None and member.status is MemberStatus.PREPARING else None


def _note_tree(draft: Draft, desk: Desk, lease: Lease, tree: Tree, begins: tuple[str, str]) -> None:
    (cut, start), now = begins, _preparing(draft.state, lease)
    if now is None:
        return
    placed = replace(now, tree=str(tree.path), tree_host=desk.me.host, cut=cut, start=start)
    if placed != now:
        sentence = f"Make the tree of issue {now.issue} of {now.batch}"
        draft.note(EventName.PROGRESS, sentence, placed, batch=now.batch, issue=now.issue, gen=lease.gen)


def _order(desk: Desk, member: Member, tree: Tree) -> JobOrder:
    argv = desk.settings_of(desk.state.batches[member.batch]).worktrees.setup[member.setup_done]
    return JobOrder(
        batch=member.batch,
        name=setup_job(member.issue),
        kind=JobKind.SETUP,
        argv=argv,
        place=str(tree.path),
        commit=tree.head,
        tree=desk.around.lander.tree_of(tree.head),
        fingerprint=fingerprint(list(argv)),
        timeout_s=TIMEOUT_S,
        issue=member.issue,
        check=str(member.setup_done + 1),
    )


def settle_setup(desk: Desk, job: Job) -> None:
    """Record what a setup command came to: the next one, or the tree given back and tried once more, or eviction."""
    seen = read_end(desk, job)
    if seen is None or job.issue is None:
        return
    key = (job.batch, job.issue)
    member = desk.state.members[key]
    passed = seen.end.code == 0
    if not passed:
        give_tree_back(desk, member)

    def intent(draft: Draft) -> None:
        now, lease = draft.state.members.get(key), draft.state.leases.get(key)
        if not is_current(draft, job):
            return
        if now is None or lease is None or now.status is not MemberStatus.PREPARING:
            draft.note(EventName.JOB_DROPPED, f"Drop {job.name} of {job.batch}", removed=[job], batch=job.batch)
            return
        if passed:
            ready = replace(now, setup_done=now.setup_done + 1)
            sentence = f"Finish setup command {job.check} for issue {now.issue} of {now.batch}"
            draft.note(
                EventName.PROGRESS, sentence, ready, removed=[job], batch=now.batch, issue=now.issue, gen=lease.gen
            )
            return
        _record_failure(draft, job, _rolled_back(draft, desk, now), lease, seen.end.tail)

    desk.record(intent)
    desk.around.runner.forget(job.batch, job.run, job.gen)


def _rolled_back(draft: Draft, desk: Desk, member: Member) -> Member:
    """Take the member's branch away again where nobody has worked on it yet."""
    ref = branch_ref(member.branch)
    found = desk.around.refs.resolve(ref)
    if found is not None and found != member.start:
        return member
    if found is not None:
        draft.moves.append(RefMove(ref, found, None))
    return replace(member, cut=None, start=None)


def _record_failure(draft: Draft, job: Job, member: Member, lease: Lease, tail: str) -> None:
    reason = f"setup-failed:{job.check}"
    tried = member.retries.get("setup", 0)
    after = replace(without_tree(member), retries={**member.retries, "setup": tried + 1}, reason=reason)
    sentence = f"Setup command {job.check} failed for issue {member.issue} of {member.batch}"
    draft.note(
        EventName.SETUP_FAILED,
        sentence,
        replace(after, status=MemberStatus.WAITING),
        removed=[job],
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        step=job.check,
        detail=tail[-200:],
    )
    waiting = draft.state.members[member.batch, member.issue]
    if tried:
        evict(draft, (exit_of(waiting, kind="evicted", reason=reason),))
    release_slot(draft, lease, reason)
