"""Claiming: a person works a member by hand, in a tree of its own, under the same lease and the same gates.

The same two sections as for an agent: a slot is reserved, the tree is made, and what holds is confirmed. No worker
watches; the person's `done` or `hand-back` is the run's record and its end in one.
"""

from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.effects import FormSolo, SettleJob, StartBatch
from gitsched.domain.events import EventName
from gitsched.domain.records import Entry, Lease, Member
from gitsched.domain.runs import Milestone, ProcessName, RunEnd, RunRecord
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.gather import Gatherer
from gitsched.engine.intake.names import entry_named
from gitsched.engine.intake.transact import transact
from gitsched.engine.interrupting import wait_again
from gitsched.engine.perform.admission import assign, form_solo, free_slot, start_batch
from gitsched.engine.perform.launch import Start, start_of, tree_for
from gitsched.engine.perform.setup import claim_setup
from gitsched.engine.perform.table import settle_job
from gitsched.engine.presence import leave, register
from gitsched.engine.release import release_unstarted
from gitsched.errors import RefusedError
from gitsched.policy.admit import claim_reasons, waiting_member
from gitsched.policy.order import Candidate
from gitsched.policy.runs import setup_job
from gitsched.ports.runner import RunLedger
from gitsched.ports.store import Store
from gitsched.ports.worktrees import Tree, TreeRefused

RELEASED = "released"
LOOK_AGAIN_S = 1.0
"""How soon a setup command is looked at again that ended without a word."""


class Claimed(Struct, frozen=True, kw_only=True):
    """What a person has been given."""

    batch: str
    issue: int
    gen: int
    branch: str
    place: Path


def claim(desk: Desk, name: str, actor: str) -> Claimed:
    """Give a person a slot and a tree for an issue. Raises RefusedError with every reason against it."""
    desk.facts = Gatherer(desk.around).look(desk, desk.state)
    entry = entry_named(desk.state, name)
    _refuse(desk, entry)
    if entry.status is EntryStatus.QUEUED:
        form_solo(FormSolo(entry.issue), desk)
    home = desk.state.entries[entry.issue].batch or ""
    if desk.state.batches[home].status is BatchStatus.READY:
        start_batch(StartBatch(home), desk)
    lease = _assigned(desk, home, entry.issue, actor)
    try:
        return _handed_out(desk, lease)
    finally:
        if desk.me.driver in desk.state.drivers:
            desk.record(lambda draft: leave(draft, desk.me))


def _refuse(desk: Desk, entry: Entry) -> None:
    state, asked = desk.state, f"Issue {entry.issue} was to be claimed."
    member = state.member_of_issue(entry.issue)
    candidate: Candidate | None = Candidate(entry=entry)
    if member is not None:
        candidate = waiting_member(state, member.batch, entry.issue)
    if candidate is None or (member is None and entry.status not in (EntryStatus.QUEUED, EntryStatus.BLOCKED)):
        status = member.status if member is not None else entry.status
        raise RefusedError(asked, f"It is {status}.", f"`gitsched why {entry.issue}` tells more.")
    against = claim_reasons(desk.situation(state), candidate)
    if against:
        raise RefusedError(asked, f"It waits: {', '.join(against)}.", f"`gitsched why {entry.issue}` tells more.")


def _assigned(desk: Desk, batch: str, issue: int, actor: str) -> Lease:
    def intent(draft: Draft) -> None:
        candidate, slot = waiting_member(draft.state, batch, issue), free_slot(draft.state)
        if candidate is None or candidate.member is None or slot is None or (batch, issue) in draft.state.leases:
            return
        if not claim_reasons(desk.situation(draft.state), candidate):
            # While this process lives no driver takes its claim for one that was cut short.
            register(draft, desk.me)
            assign(draft, desk, candidate.member, slot, worked_by=actor)

    lease = desk.state.leases.get((batch, issue)) if was_applied(desk.record(intent)) else None
    if lease is None:
        asked, candidate = f"Issue {issue} was to be claimed.", waiting_member(desk.state, batch, issue)
        against = claim_reasons(desk.situation(desk.state), candidate) if candidate is not None else ()
        why = f"It waits: {', '.join(against)}." if against else "Somebody was quicker."
        raise RefusedError(asked, why, f"`gitsched why {issue}` tells more.")
    return lease


def _handed_out(desk: Desk, lease: Lease) -> Claimed:
    key = (lease.batch, lease.issue)
    member, batch = desk.state.members[key], desk.state.batches[lease.batch]
    start = start_of(desk, batch, member, lease)
    tree = tree_for(desk, member, lease, start)
    if isinstance(tree, TreeRefused):
        release_unstarted(desk, lease, tree)
        asked = f"A tree for issue {lease.issue} was to be made."
        raise RefusedError(asked, f"{tree.reason}: {tree.detail}", "`gitsched doctor` looks at what trees need.")
    _make_ready(desk, lease, tree, (start.cut, start.since))
    _confirm(desk, lease, tree, start)
    return Claimed(batch=lease.batch, issue=lease.issue, gen=lease.gen, branch=member.branch, place=tree.path)


def _make_ready(desk: Desk, lease: Lease, tree: Tree, begins: tuple[str, str]) -> None:
    """Run the setup commands that are due in the tree, one after the other, as before an agent's run.

    Raises RefusedError when one fails, or the claim was given back meanwhile; its slot and tree have been given back.
    """
    key = (lease.batch, lease.issue)
    setup = desk.settings_of(desk.state.batches[lease.batch]).worktrees.setup
    while (member := _prepared(desk, lease)) is not None and member.setup_done < len(setup):
        claim_setup(desk, member, lease, tree, begins)
        while (job := desk.state.jobs.get((lease.batch, setup_job(lease.issue)))) is not None:
            look = desk.around.runner.look(job.batch, job.run, job.gen)
            if look.record is not None and look.record.end is not None:
                settle_job(SettleJob(job.batch, job.name), desk)
            else:
                desk.around.waker.wait(LOOK_AGAIN_S)
    if member is None:
        gone = desk.state.members.get(key)
        raise _not_given(lease.issue, gone.reason if gone is not None and gone.reason else "the claim was given up")


def _not_given(issue: int, why: str) -> RefusedError:
    asked = f"The tree of issue {issue} was to be made ready."
    return RefusedError(asked, f"It could not be: {why}.", f"`gitsched log {issue}` tells more.")


def _prepared(desk: Desk, lease: Lease) -> Member | None:
    """Give the member as it is while its tree is made for this claim; None: the claim is over."""
    key = (lease.batch, lease.issue)
    now, member = desk.state.leases.get(key), desk.state.members.get(key)
    is_same = now is not None and now.gen == lease.gen and now.status is RunStatus.ASSIGNED
    return member if is_same and member is not None and member.status is MemberStatus.PREPARING else None


def _confirm(desk: Desk, lease: Lease, tree: Tree, start: Start) -> None:
    key = (lease.batch, lease.issue)

    def intent(draft: Draft) -> None:
        now, unit = draft.state.leases.get(key), draft.state.members.get(key)
        if now is None or unit is None or now.gen != lease.gen or now.status is not RunStatus.ASSIGNED:
            return
        if unit.status is not MemberStatus.PREPARING:
            return
        text = sha256(f"{unit.title}\n".encode()).hexdigest()
        worked = replace(
            unit,
            status=MemberStatus.RUNNING,
            cut=start.cut,
            start=start.since,
            tree=str(tree.path),
            tree_host=now.holder.host,
            text_hash=unit.text_hash or text,
        )
        draft.keeps.append(start.at)
        draft.note(
            EventName.SPAWNED,
            f"Give issue {unit.issue} of {unit.batch} to {now.worked_by}, to be worked by hand",
            replace(now, status=RunStatus.RUNNING, spawned_at=draft.at),
            worked,
            batch=unit.batch,
            issue=unit.issue,
            gen=lease.gen,
            worked_by=now.worked_by,
            cut=start.cut,
        )
        leave(draft, desk.me)

    if not was_applied(desk.record(intent)):
        raise _not_given(lease.issue, "the claim was given up meanwhile")


def claimed_in(state: State, place: Path, host: str) -> Lease | None:
    """Find the claim whose tree this is, at its top or inside it."""
    for key, lease in sorted(state.leases.items()):
        member = state.members.get(key)
        if lease.worked_by is None or member is None or member.tree is None or member.tree_host != host:
            continue
        if place == Path(member.tree) or Path(member.tree) in place.parents:
            return lease
    return None


def say_done(ledger: RunLedger, lease: Lease, milestone: Milestone, head: str | None, by: ProcessName) -> bool:
    """Write a person's last word as the run's whole record; False when that was said before, or somebody took over."""
    record = RunRecord(
        batch=lease.batch,
        name=str(lease.issue),
        gen=lease.gen,
        token=lease.token,
        worker=by,
        started_at=lease.spawned_at or lease.acquired_at,
        milestones=(milestone,),
        end=RunEnd(code=0, at=milestone.at, head=head),
    )
    return ledger.claim(record)


def release(store: Store, name: str, actor: str) -> Member:
    """Give a claimed issue back; its tree and its commits stay. Raises RefusedError where nobody has claimed it."""

    def build(draft: Draft) -> Member:
        entry = entry_named(draft.state, name)
        member = draft.state.member_of_issue(entry.issue)
        lease = draft.state.leases.get((member.batch, member.issue)) if member is not None else None
        if member is None or lease is None or lease.worked_by is None:
            asked = f"Issue {entry.issue} was to be given back."
            raise RefusedError(asked, "Nobody has claimed it.", f"`gitsched why {entry.issue}` tells more.")
        wait_again(draft, lease, member, RELEASED)
        sentence = f"{lease.worked_by} gives issue {member.issue} of {member.batch} back"
        draft.note(EventName.CLAIM_RELEASED, sentence, batch=member.batch, issue=member.issue, gen=lease.gen)
        return member

    return transact(store, actor, build)
