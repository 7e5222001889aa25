"""Finishing: deploy, close issues and report, clear away; and giving a batch up."""

from msgspec.structs import replace

from gitsched.domain.effects import (
    Deploy,
    Dissolve,
    EndLeases,
    FinishDissolve,
    ReleaseTree,
    Report,
    StopAgent,
    TearDown,
)
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Batch, Entry, Exit, Lease, Member
from gitsched.domain.runs import RunEnd
from gitsched.domain.state import Draft, RefMove
from gitsched.domain.words import (
    LEFT_MEMBERS,
    BatchStatus,
    EntryStatus,
    Liveness,
    MemberStatus,
    RunStatus,
)
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import archive_log, summed
from gitsched.engine.perform.stopping import stop_agent
from gitsched.engine.release import give_tree_back, release_slot, tree_here, without_tree
from gitsched.engine.story import batch_story
from gitsched.policy.evictions import exit_of
from gitsched.view.comments import batch_marker, member_marker, render_batch_report, render_member_report


def deploy(effect: Deploy, desk: Desk) -> None:
    """Pass through: no deployment check is configured."""

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is BatchStatus.MERGED:
            done = replace(now, status=BatchStatus.DEPLOYED, updated_at=draft.at)
            draft.note(EventName.DEPLOYED, f"No deployment is asked for {now.id}", done, batch=now.id)

    desk.record(intent)


def report(effect: Report, desk: Desk) -> None:
    """Post one comment per member and one for the batch, close what shipped, and record it."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.DEPLOYED:
        return
    forge, members = desk.around.forge, desk.state.members_of(batch)
    story = batch_story(desk.around.store, desk.around.lander, batch, desk.settings_of(batch))
    known = forge.issues([member.issue for member in members])
    for member in members:
        if isinstance(known, dict) and member.issue not in known:
            continue
        forge.comment(member.issue, render_member_report(story, member.issue), member_marker(batch.id, member.issue))
        if member.status is MemberStatus.SHIPPED:
            forge.close_issue(member.issue)
    if batch.pr is not None:
        forge.comment(batch.pr.number, render_batch_report(story), batch_marker(batch.id))
    desk.record(lambda draft: _reported(draft, batch, members))


def _reported(draft: Draft, batch: Batch, members: tuple[Member, ...]) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.DEPLOYED:
        return
    done: list[Entry] = []
    for member in members:
        entry = draft.state.entries.get(member.issue)
        if entry is not None and entry.status is EntryStatus.SHIPPED and member.status is MemberStatus.SHIPPED:
            done.append(replace(entry, status=EntryStatus.DONE, updated_at=draft.at))
    told = tuple(member.issue for member in members)
    finished = replace(now, status=BatchStatus.REPORTED, reported=told, updated_at=draft.at)
    sentence = f"Report {now.id}: {len(done)} issues are done"
    draft.note(EventName.REPORTED, sentence, finished, *done, batch=now.id, issues=[e.issue for e in done])


def tear_down(effect: TearDown, desk: Desk) -> None:
    """Give trees back and prune the branches that a merge has made needless; what stays is named."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.REPORTED:
        return
    members = desk.state.members_of(batch)
    failures, freed = [], []
    for member in members:
        if member.tree is None:
            continue
        why = give_tree_back(desk, member)
        if why is None:
            freed.append(without_tree(member))
        else:
            failures.append(f"{member.tree}: {why}")
    kept = _prune_branches(desk, batch, members)
    desk.record(lambda draft: _torn_down(draft, batch, freed, failures, kept))


def _prune_branches(desk: Desk, batch: Batch, members: tuple[Member, ...]) -> list[str]:
    kept = [f"{member.branch}: {member.reason}" for member in members if member.status in LEFT_MEMBERS and member.cut]
    needless = {member.branch: member.head for member in members if member.status is MemberStatus.SHIPPED}
    needless[batch.integration.branch] = batch.integration.head
    for name, head in needless.items():
        found = desk.around.refs.resolve(branch_ref(name))
        if found is None:
            continue
        if head is None or not desk.around.lander.is_ancestor(found, head):
            kept.append(f"{name}: it holds commits that were not merged")
            continue
        held_in = desk.around.refs.held_in(name)
        if held_in is not None:
            kept.append(f"{name}: it is checked out in '{held_in}'")
            continue
        desk.around.refs.move([RefMove(branch_ref(name), found, None)])
        desk.around.forge.withdraw(name, found)
    return kept


def _torn_down(draft: Draft, batch: Batch, freed: list[Member], failures: list[str], kept: list[str]) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.REPORTED:
        return
    draft.keeps += [member.head for member in draft.state.members_of(now) if member.head is not None]
    done = replace(now, status=BatchStatus.DONE, leftovers=(*now.leftovers, *failures, *kept), updated_at=draft.at)
    event = EventName.TEARDOWN_FAILED if failures else EventName.TEARDOWN_DONE
    sentence = f"{now.id} is done" + (f"; left over: {failures[0]}" if failures else "")
    draft.note(event, sentence[:200], done, *freed, batch=now.id, left=failures, kept=kept)


def dissolve(effect: Dissolve, desk: Desk) -> None:
    """Begin to give a batch up."""

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status in (BatchStatus.DISSOLVING, BatchStatus.DISSOLVED, BatchStatus.DONE, BatchStatus.STOPPED):
            return
        going = replace(now, status=BatchStatus.DISSOLVING, reason=effect.reason, updated_at=draft.at)
        sentence = f"Give {now.id} up: {effect.reason}"
        draft.note(EventName.BATCH_DISSOLVING, sentence, going, batch=now.id, reason=effect.reason)

    desk.record(intent)


def finish_dissolve(effect: FinishDissolve, desk: Desk) -> None:
    """Put members where they belong: what never started back into the queue, what was worked on kept on its branch."""
    batch = desk.state.batches[effect.batch]

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.DISSOLVING:
            return
        for member in draft.state.members_of(now):
            if member.status not in LEFT_MEMBERS:
                _withdraw(draft, now, member)
        control = draft.state.control
        failed = tuple(sorted(slot.issue for slot in now.members))
        is_failing = now.reason == "too-many-evicted" and failed not in control.failed_sets
        changes = [replace(control, failed_sets=(*control.failed_sets, failed))] if is_failing else []
        over = replace(now, status=BatchStatus.DISSOLVED, updated_at=draft.at)
        sentence = f"Dissolve {now.id}: {now.reason}"
        draft.note(EventName.BATCH_DISSOLVED, sentence, over, *changes, batch=now.id, reason=now.reason)

    desk.record(intent)
    _drop_empty_integration(desk, batch)


def _withdraw(draft: Draft, batch: Batch, member: Member) -> None:
    entry = draft.state.entries[member.issue]
    in_flight = (batch.id, member.issue) in draft.state.leases
    worked = member.cut is not None
    leaving: Exit | None = None
    if worked or (member.prior is not None and member.prior not in entry.evidence):
        leaving = replace(exit_of(member, kind="withdrawn", reason=batch.reason or "dissolved"), at=draft.at)
    is_parked = batch.parks_all or (worked and in_flight)
    status = EntryStatus.PARKED if is_parked else EntryStatus.QUEUED
    back = replace(
        entry,
        status=status,
        batch=None,
        reason=batch.reason if status is EntryStatus.PARKED else None,
        branch=leaving.branch if leaving is not None else entry.branch,
        evidence=(*entry.evidence, leaving) if leaving is not None else entry.evidence,
        updated_at=draft.at,
    )
    gone = replace(member, status=MemberStatus.WITHDRAWN, reason=batch.reason, updated_at=draft.at)
    sentence = f"Withdraw issue {member.issue} from {batch.id}; its row is {status}"
    draft.note(EventName.MEMBER_WITHDRAWN, sentence, gone, back, batch=batch.id, issue=member.issue, gen=member.gen)


def _drop_empty_integration(desk: Desk, batch: Batch) -> None:
    ref = branch_ref(batch.integration.branch)
    found = desk.around.refs.resolve(ref)
    base = desk.state.batches[batch.id].base
    if found is not None and found == base and desk.around.refs.held_in(batch.integration.branch) is None:
        desk.around.refs.move([RefMove(ref, found, None)])


def end_leases(effect: EndLeases, desk: Desk) -> None:
    """End a run whose member has left or whose batch is over, and give its slot back once nothing of it lives."""
    key = (effect.batch, effect.issue)
    lease = desk.state.leases.get(key)
    if lease is None:
        return
    runner, name = desk.around.runner, str(effect.issue)
    look = runner.look(effect.batch, name, lease.gen)
    has_ended = look.record is not None and look.record.end is not None
    if not has_ended and Liveness.ALIVE in (look.worker, look.agent):
        _stop(desk, lease)
        return
    # What has ended in order is told and counted already.
    is_cut_short = lease.status is RunStatus.RUNNING
    rescued = _rescue(desk, effect)
    evidence = archive_log(desk, lease) if is_cut_short else None

    def intent(draft: Draft) -> None:
        now, member = draft.state.leases.get(key), draft.state.members.get(key)
        if now is None or now.gen != lease.gen or now.status is not lease.status:
            return
        if is_cut_short and member is not None:
            _note_cut_short(draft, member, look.record.end if look.record is not None else None, evidence)
        if rescued is not None:
            sentence = f"Save the uncommitted work of issue {effect.issue} of {effect.batch}"
            draft.note(EventName.WORK_PRESERVED, sentence, batch=effect.batch, issue=effect.issue, ref=rescued)
        release_slot(draft, now, "batch-over")

    desk.record(intent)
    runner.forget(effect.batch, name, lease.gen)


def _stop(desk: Desk, lease: Lease) -> None:
    grace_s = desk.settings_of(desk.state.batches[lease.batch]).stall.kill_grace_s
    is_asked = lease.stop_sent_at is not None
    if lease.kill_sent_at is None and (not is_asked or desk.is_past(lease.stop_sent_at, grace_s)):
        stop_agent(StopAgent(lease.batch, lease.issue, lease.gen, kill=is_asked), desk)


def _note_cut_short(draft: Draft, member: Member, end: RunEnd | None, evidence: str | None) -> None:
    counted = replace(member, usage=summed(member.usage, end))
    sentence = f"Keep the log of the run of issue {member.issue} of {member.batch} that was cut short"
    draft.note(EventName.PROGRESS, sentence, counted, batch=member.batch, issue=member.issue, evidence=evidence)


def _rescue(desk: Desk, effect: EndLeases) -> str | None:
    member = desk.state.members.get((effect.batch, effect.issue))
    return desk.rescue(member) if member is not None and tree_here(desk, member) is not None else None


def release_tree(effect: ReleaseTree, desk: Desk) -> None:
    """Give a member's tree back, and record that it has none; a failure is told once and shown."""
    key = (effect.batch, effect.issue)
    member = desk.state.members.get(key)
    if member is None or member.tree is None:
        return
    why = give_tree_back(desk, member)

    def intent(draft: Draft) -> None:
        now, batch = draft.state.members.get(key), draft.state.batches.get(effect.batch)
        if now is None or batch is None or now.tree != member.tree:
            return
        if why is None:
            sentence = f"Give the tree of issue {now.issue} of {now.batch} back"
            draft.note(EventName.PROGRESS, sentence, without_tree(now), batch=now.batch, issue=now.issue)
            return
        left = replace(batch, leftovers=(*batch.leftovers, f"{now.tree}: {why}"))
        sentence = f"The tree of issue {now.issue} of {now.batch} could not be given back: {why}"
        draft.note(
            EventName.TEARDOWN_FAILED,
            sentence[:200],
            left,
            replace(without_tree(now), tree=None),
            batch=now.batch,
            issue=now.issue,
            left=[f"{now.tree}: {why}"],
        )

    desk.record(intent)
