"""Admit: who may start now, and for everyone else every reason why not.

1. All reasons of a candidate are found, not only the first, and also when no slot is free.
2. A candidate without a reason is admitted in rank order, until the slots are full.
3. Members of one batch that must follow each other wait for `serial`, `dependency` or `overlap`.
4. Two candidates whose declared write sets meet never run at the same time.

Reasons are fixed words (`REASONS` of gitsched/view/words.py says what each means), yielded in the order of checking.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from gitsched.config.profiles import resolve_profile
from gitsched.config.settings import Settings
from gitsched.domain.effects import Admit, Effect, FormSolo, StartBatch
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.state import State
from gitsched.domain.words import (
    RESOLVED_MEMBERS,
    BatchStatus,
    Dispatch,
    EntryStatus,
    Liveness,
    MemberStatus,
)
from gitsched.policy.budget import BUDGET
from gitsched.policy.depend import levels, parallelism_of, unmet_dependencies
from gitsched.policy.entries import forge_reasons
from gitsched.policy.gaps import untold, wakes
from gitsched.policy.health import endings_at, is_limited, stops_everything
from gitsched.policy.hosts import AWAY
from gitsched.policy.occupancy import MANUAL, SEQUENTIAL, Occupancy, mode_of, unit_of
from gitsched.policy.order import Candidate, is_aged, rank
from gitsched.policy.schedule import schedule_reasons
from gitsched.policy.scope import overlaps
from gitsched.policy.situation import Situation, profile_of

_WAITING_ENTRIES = frozenset({EntryStatus.QUEUED, EntryStatus.BLOCKED})


class Admissions(Struct, frozen=True, kw_only=True):
    """What one pass admits, and why it passed over the rest."""

    effects: tuple[Effect, ...]
    waits: Mapping[int, tuple[str, ...]]
    """By issue: every reason, for each candidate that does not run."""
    aged: frozenset[int] = frozenset()
    """Issues among them that the next fitting slot is reserved for."""
    wakes_at: tuple[Instant, ...] = ()
    """When something of what they wait for is over by itself, though nothing happens."""


def admissions(situation: Situation) -> Admissions:
    """Admit candidates in rank order into the free slots, and give each other one all its reasons."""
    occupancy = Occupancy(situation)
    effects: list[Effect] = []
    gaps: dict[str, tuple[int, str]] = {}
    waits: dict[int, tuple[str, ...]] = {}
    wakes_at: set[Instant] = set()
    started: set[str] = set()
    ranked = rank(candidates(situation))
    for candidate in ranked:
        found = tuple(dict.fromkeys(reasons(candidate, situation, occupancy)))
        if found:
            waits[candidate.issue] = found
            wakes_at.update(_wakes_at(candidate, situation))
            occupancy.reserve(candidate, found)
            if any(reason.startswith(BUDGET) for reason in found):
                _note_gaps(situation, candidate, occupancy, gaps)
            continue
        occupancy.admit(candidate)
        effect = _admission(candidate)
        if not isinstance(effect, StartBatch) or effect.batch not in started:
            effects.append(effect)
        if isinstance(effect, StartBatch):
            started.add(effect.batch)
    effects += untold(situation, gaps)
    wakes_at.update(wakes(situation, {reason for found in waits.values() for reason in found}))
    aged = frozenset(candidate.issue for candidate in ranked if candidate.is_aged and candidate.issue in waits)
    return Admissions(effects=tuple(effects), waits=waits, aged=aged, wakes_at=tuple(sorted(wakes_at)))


def _wakes_at(candidate: Candidate, situation: Situation) -> tuple[Instant, ...]:
    control, profile = situation.state.control, profile_of(situation, candidate.member or candidate.entry)
    is_kept = stops_everything(control) or is_limited(control, profile or "", situation.facts.now)
    return endings_at(control) if is_kept else ()


def _note_gaps(
    situation: Situation, candidate: Candidate, occupancy: Occupancy, gaps: dict[str, tuple[int, str]]
) -> None:
    for key, reason in occupancy.purse.refusals(unit_of(situation, candidate)):
        gaps.setdefault(key, (candidate.issue, reason))


def _admission(candidate: Candidate) -> Effect:
    if candidate.batch is None or candidate.member is None:
        return FormSolo(candidate.issue)
    if candidate.batch.status is BatchStatus.READY:
        return StartBatch(candidate.batch.id)
    return Admit(candidate.batch.id, candidate.issue)


def candidates(situation: Situation) -> list[Candidate]:
    """List everyone who waits for a slot: queued and blocked entries, and waiting members of live batches."""
    state, now = situation.state, situation.facts.now
    found = [
        Candidate(entry=entry, is_aged=is_aged(state, (entry.updated_at, entry.issue), situation.current, now))
        for entry in state.entries.values()
        if entry.status in _WAITING_ENTRIES
    ]
    for batch in state.batches.values():
        for member in state.members_of(batch):
            entry = state.entries.get(member.issue)
            if member.status is MemberStatus.WAITING and entry is not None:
                since, settings = (member.updated_at, member.issue), situation.settings_of(batch)
                aged = is_aged(state, since, settings, now)
                found.append(Candidate(entry=entry, batch=batch, member=member, is_aged=aged))
    return found


def reasons(candidate: Candidate, situation: Situation, occupancy: Occupancy) -> Iterator[str]:
    """Name everything that keeps a candidate from starting now; nothing when it may."""
    settings = situation.settings_of(candidate.batch) if candidate.batch else situation.current
    yield from _engine_reasons(situation, settings)
    yield from _issue_reasons(candidate, situation, occupancy)
    yield from _batch_reasons(candidate, situation, occupancy, settings)
    yield from schedule_reasons(situation, candidate)
    yield from dict.fromkeys(reason for _, reason in occupancy.purse.refusals(unit_of(situation, candidate)))
    yield from _overlap_reasons(candidate, settings, occupancy)
    yield from _profile_reasons(candidate, situation, settings)
    yield from _mode_reasons(candidate, situation, occupancy)
    per_host = situation.current.slots.per_host or situation.state.control.slots_max
    if occupancy.live_count >= situation.state.control.slots_max or occupancy.here_count >= per_host:
        yield "capacity"


def _engine_reasons(situation: Situation, settings: Settings) -> Iterator[str]:
    if stops_everything(situation.state.control) or not situation.facts.may_admit:
        yield "paused"
    if not settings.suite.is_declared:
        yield "verification-undeclared"
    if situation.facts.disk_low:
        yield "disk-floor"


def _issue_reasons(candidate: Candidate, situation: Situation, occupancy: Occupancy) -> Iterator[str]:
    entry, issues = candidate.entry, situation.facts.issues
    if entry.status is EntryStatus.BLOCKED and entry.reason:
        yield entry.reason
    elif isinstance(issues, Unreachable):
        yield AWAY
    elif entry.issue in issues:
        yield from forge_reasons(issues[entry.issue], situation.current)
    hold = entry.hold or (candidate.member.hold if candidate.member else None)
    if hold:
        yield f"held:{hold}"
    yield from (f"dependency:{dep}" for dep in unmet_dependencies(situation.state, candidate))
    if any(_may_work(situation, candidate, lease) for lease in occupancy.leased.get(candidate.issue, ())):
        yield "worker-not-gone"


def _may_work(situation: Situation, candidate: Candidate, lease: Lease) -> bool:
    """Say whether an agent of an earlier run may still be at the issue, in whichever batch."""
    is_own = candidate.batch is not None and candidate.batch.id == lease.batch
    return not is_own or situation.driver_is(lease.holder.driver) is not Liveness.GONE


def _batch_reasons(
    candidate: Candidate, situation: Situation, occupancy: Occupancy, settings: Settings
) -> Iterator[str]:
    batch, member = candidate.batch, candidate.member
    if batch is None or member is None:
        return
    if batch.status is BatchStatus.FORMING:
        yield "not-sealed"
    elif batch.status not in (BatchStatus.READY, BatchStatus.EXECUTING):
        reason = batch.reason or str(batch.status)
        yield reason if reason.startswith("held:") else f"held:{reason}"
    members = situation.state.members_of(batch)
    before = serial_before(batch, member, members)
    if before is not None:
        yield f"serial:{before.issue}"
    if occupancy.by_batch.get(batch.id, 0) >= parallelism_of(batch, settings, situation.state.control):
        yield "parallelism"
    yield from _earlier_overlaps(member, members)


def serial_before(batch: Batch, member: Member, members: tuple[Member, ...]) -> Member | None:
    """Find the member that must be resolved before this one may start, in a serial batch.

    Groups and a parallelism of one make a batch strictly serial. A batch that is serial for its dependencies
    alone goes in waves: a member waits for those before it that are of earlier levels, and for none behind it, who
    lands later.
    """
    if batch.dispatch is not Dispatch.SERIAL:
        return None
    level = levels(members)
    strict = batch.parallelism == 1 or any(len(group) > 1 for group in batch.groups)
    for other in members:
        if other.status in RESOLVED_MEMBERS or other.index >= member.index:
            continue
        if strict or level[other.issue] < level[member.issue]:
            return other
    return None


def _earlier_overlaps(member: Member, members: tuple[Member, ...]) -> Iterator[str]:
    for other in members:
        is_open = other.index < member.index and other.status not in RESOLVED_MEMBERS
        if is_open and member.files and other.files and overlaps(member.files, other.files):
            yield f"overlap:{other.issue}"


def _overlap_reasons(candidate: Candidate, settings: Settings, occupancy: Occupancy) -> Iterator[str]:
    exclusive = settings.admission.unknown_files == "exclusive"
    own = candidate.files
    for issue, files in sorted(occupancy.writing.items()):
        if issue == candidate.issue:
            continue
        unknown = not own or not files
        if exclusive if unknown else overlaps(own, files):
            yield f"overlap:{issue}"


def _profile_reasons(candidate: Candidate, situation: Situation, settings: Settings) -> Iterator[str]:
    name = profile_of(situation, candidate.member or candidate.entry)
    if name is None or name not in situation.facts.profiles:
        yield f"profile-missing:{name or settings.agents.default}"
        return
    profile = resolve_profile(settings.agents, name)
    if profile is None:  # the machine could run it, and the batch was sealed before it was written
        yield f"profile-missing:{name}"
    elif profile.hold:
        yield f"held:profile-{name}"
    control = situation.state.control
    if is_limited(control, name, situation.facts.now):
        yield f"usage-limit:{control.limited[name] or 'unknown'}"


def _mode_reasons(candidate: Candidate, situation: Situation, occupancy: Occupancy) -> Iterator[str]:
    mode = mode_of(situation, candidate)
    if mode == MANUAL:
        yield BY_HAND
    if mode == SEQUENTIAL and occupancy.alone not in (None, candidate.issue):
        yield f"sequential:{occupancy.alone}"


BY_HAND = "held:manual"
"""Of a candidate whose profile is a person: it starts when somebody claims it."""
_NOT_FOR_A_PERSON = (BY_HAND, "held:profile-", "profile-missing:", "usage-limit:", BUDGET, "window:", "approval")


def may_start(situation: Situation, batch: str, issue: int) -> bool:
    """Say whether nothing keeps a waiting member from starting now."""
    candidate = waiting_member(situation.state, batch, issue)
    return candidate is not None and not any(reasons(candidate, situation, Occupancy(situation)))


def waiting_member(state: State, batch: str, issue: int) -> Candidate | None:
    """Give a waiting member as a candidate; None when it does not wait."""
    member, entry = state.members.get((batch, issue)), state.entries.get(issue)
    if member is None or entry is None or member.status is not MemberStatus.WAITING:
        return None
    return Candidate(entry=entry, batch=state.batches[batch], member=member)


def claim_reasons(situation: Situation, candidate: Candidate) -> tuple[str, ...]:
    """Name everything that keeps a person from working a candidate by hand; agents' own obstacles are none."""
    occupancy = Occupancy(situation)
    found = [r for r in reasons(candidate, situation, occupancy) if not r.startswith(_NOT_FOR_A_PERSON)]
    if occupancy.terminal is not None:
        found.append(f"sequential:{occupancy.terminal}")
    return tuple(dict.fromkeys(found))


def landing_waits(situation: Situation) -> dict[int, tuple[str, ...]]:
    """Say of each verified member which earlier one it waits for before it may land."""
    waits: dict[int, tuple[str, ...]] = {}
    for batch in situation.state.batches.values():
        unresolved = [m for m in situation.state.members_of(batch) if m.status not in RESOLVED_MEMBERS]
        for member in unresolved[1:]:
            if member.status is MemberStatus.VERIFIED:
                waits[member.issue] = (f"landing-order:{unresolved[0].issue}",)
    return waits
