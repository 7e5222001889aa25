"""Admission: make a solo batch, start a batch, reserve a slot."""

import secrets

from msgspec.structs import replace

from gitsched.config.encoding import encode_settings, fingerprint
from gitsched.config.settings import Settings
from gitsched.domain.counting import how_many
from gitsched.domain.effects import Admit, FormSolo, StartBatch
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_folder, branch_ref, integration_branch, member_branch, solo_id
from gitsched.domain.records import Batch, Entry, Integration, Lease, Member, Slot, Spawned
from gitsched.domain.records import Settings as SealedSettings
from gitsched.domain.state import Draft, RefMove, State
from gitsched.domain.words import (
    BatchKind,
    BatchStatus,
    EntryStatus,
    MemberStatus,
    Review,
    RunStatus,
    Tier,
)
from gitsched.engine.desk import Desk
from gitsched.engine.standing import free_folder, target_of
from gitsched.policy.admit import may_start
from gitsched.policy.budget import Purse
from gitsched.policy.depend import begun
from gitsched.policy.evictions import last_work
from gitsched.policy.occupancy import unit_of
from gitsched.policy.order import Candidate

SPAWNS_REMEMBERED = 256


def new_member(batch: str, index: int, entry: Entry, at: str) -> Member:
    """Make the member that an entry becomes in a batch; work of an earlier batch is carried by its branch."""
    return Member(
        batch=batch,
        issue=entry.issue,
        index=index,
        title=entry.title,
        status=MemberStatus.WAITING,
        tier=entry.tier,
        review=entry.review,
        profile=entry.profile,
        files=entry.files,
        deps=entry.deps,
        group=entry.group,
        branch=member_branch(batch, index, entry.issue),
        prior=last_work(entry),
        allow=entry.allow,
        hold=entry.hold,
        updated_at=at,
    )


def seal(draft: Draft, batch: Batch, settings: Settings) -> Batch:
    """Fix a forming batch's members and settings, and give it back as ready."""
    data = encode_settings(settings)
    kept = SealedSettings(batch=batch.id, hash=fingerprint(data), data=data)
    ready = replace(
        batch,
        status=BatchStatus.READY,
        reason=None,
        settings_hash=kept.hash,
        generation=batch.generation + 1,
        updated_at=draft.at,
    )
    count = len(batch.members)
    sentence = f"Seal {batch.id} with {how_many(count, 'member')}"
    draft.note(EventName.SEALED, sentence, ready, kept, batch=batch.id, generation=ready.generation)
    return ready


def form_solo(effect: FormSolo, desk: Desk) -> None:
    """Make and seal the batch of one issue."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries.get(effect.issue)
        if entry is None or entry.status is not EntryStatus.QUEUED:
            return
        attempt = entry.attempt + 1
        while solo_id(entry.issue, attempt, draft.mark) in draft.state.batches:
            attempt += 1
        batch = Batch(
            id=solo_id(entry.issue, attempt, draft.mark),
            kind=BatchKind.SOLO,
            status=BatchStatus.FORMING,
            members=(Slot(index=1, issue=entry.issue),),
            target=entry.target or desk.current.project.target,
            integration=Integration(branch=integration_branch(solo_id(entry.issue, attempt, draft.mark))),
            priority=entry.priority,
            profile=entry.profile,
            created_at=draft.at,
            updated_at=draft.at,
        )
        draft.note(EventName.BATCH_FORMED, f"Form {batch.id} for issue {entry.issue}", batch, batch=batch.id)
        member = replace(new_member(batch.id, 1, entry, draft.at), updated_at=entry.updated_at)
        assigned = replace(
            entry, status=EntryStatus.ASSIGNED, reason=None, batch=batch.id, attempt=attempt, updated_at=draft.at
        )
        sentence = f"Place issue {entry.issue} in {batch.id}"
        draft.note(EventName.MEMBER_JOINED, sentence, member, assigned, batch=batch.id, issue=entry.issue)
        seal(draft, batch, desk.current)

    desk.record(intent)


def start_batch(effect: StartBatch, desk: Desk) -> None:
    """Cut the integration branch from the target as it is now, and fix how the members are dispatched."""
    batch = desk.state.batches[effect.batch]
    base = target_of(desk, batch)
    settings = desk.settings_of(batch)

    def intent(draft: Draft) -> None:
        now = draft.state.batches.get(effect.batch)
        if now is None or now.status is not BatchStatus.READY:
            return
        if base is None:
            blocked = replace(now, status=BatchStatus.BLOCKED, came_from=now.status, reason="target-missing")
            sentence = f"Block {now.id}: its target {now.target} does not exist"
            draft.note(EventName.BATCH_BLOCKED, sentence, blocked, batch=now.id, reason="target-missing")
            return
        members = draft.state.members_of(now)
        folder = _folder(desk, now, members)
        started = replace(
            begun(now, members, settings, draft.state.control),
            base=base,
            integration=Integration(branch=integration_branch(folder), head=base),
            updated_at=draft.at,
        )
        draft.moves.append(RefMove(branch_ref(started.integration.branch), None, base))
        draft.keeps.append(base)
        draft.note(
            EventName.BATCH_STARTED,
            f"Start {now.id} from {now.target} at {base[:12]}, {started.dispatch}",
            started,
            *(_placed_in(folder, member) for member in members if branch_folder(member.branch) != folder),
            batch=now.id,
            base=base,
            dispatch=str(started.dispatch),
            branches=folder,
        )

    desk.record(intent)


def _folder(desk: Desk, batch: Batch, members: tuple[Member, ...]) -> str:
    """Name the folder of a batch's branches: where members that entered verified have theirs, else a free one."""
    has_branches = any(member.status is MemberStatus.VERIFIED for member in members)
    return branch_folder(batch.integration.branch) if has_branches else free_folder(desk, batch.id)


def _placed_in(folder: str, member: Member) -> Member:
    return replace(member, branch=member_branch(folder, member.index, member.issue))


def admit(effect: Admit, desk: Desk) -> None:
    """Reserve a slot for a member: a lease in `assigned`, held by this driver."""
    key = (effect.batch, effect.issue)

    def intent(draft: Draft) -> None:
        state = draft.state
        member, slot = state.members.get(key), free_slot(state)
        if member is None or member.status is not MemberStatus.WAITING or key in state.leases:
            return
        if state.batches[effect.batch].status is not BatchStatus.EXECUTING:
            return
        # What was decided at the pass's begin is asked again: somebody may have held or paused since.
        if slot is not None and may_start(desk.situation(state), effect.batch, effect.issue):
            assign(draft, desk, member, slot)

    desk.record(intent)


def free_slot(state: State) -> int | None:
    """Name the lowest slot that nobody holds; None when all are taken."""
    taken = {lease.slot for lease in state.leases.values()}
    return next((slot for slot in range(1, state.control.slots_max + 1) if slot not in taken), None)


def assign(draft: Draft, desk: Desk, member: Member, slot: int, worked_by: str | None = None) -> None:
    """Record a member's lease; `worked_by` is the person who works it by hand."""
    situation = desk.situation(draft.state)
    entry, batch = draft.state.entries[member.issue], draft.state.batches[member.batch]
    unit = unit_of(situation, Candidate(entry=entry, batch=batch, member=member))
    lease = Lease(
        batch=member.batch,
        issue=member.issue,
        slot=slot,
        gen=member.gen + 1,
        status=RunStatus.ASSIGNED,
        token=secrets.token_hex(16),
        holder=desk.me,
        profile=member.profile or desk.facts.default_profile or "",
        tier=_first_tier(member),
        reserved={} if worked_by else Purse(situation).reservation(unit),
        acquired_at=draft.at,
        ttl_s=int(desk.current.dispatch.ttl_s),
        worked_by=worked_by,
    )
    spawn = Spawned(issue=member.issue, ready_at=member.updated_at, at=draft.at)
    remembered = draft.state.control.spawned[-SPAWNS_REMEMBERED + 1 :]
    draft.note(
        EventName.ASSIGNED,
        f"Give issue {member.issue} of {member.batch} slot {slot}",
        replace(member, status=MemberStatus.PREPARING, gen=lease.gen, reason=None),
        lease,
        replace(draft.state.control, spawned=(*remembered, spawn)),
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        slot=slot,
    )


def _first_tier(member: Member) -> Tier | None:
    return Tier.STRONG if member.review is Review.FULL else member.tier
