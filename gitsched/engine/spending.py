"""Spending: what a run has cost, added to its member, its day and its profile in the draft that records its end."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.costs import AGENT_MS, REPORTED, RUNS, DayCosts, Rates, RunCost, summed_amounts, unknown
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Job, Lease, Member, Record
from gitsched.domain.runs import RunEnd
from gitsched.domain.state import Draft
from gitsched.domain.words import JobKind, Tier
from gitsched.domain.zones import day_of
from gitsched.engine.desk import Desk
from gitsched.policy.mending import tier_of

RUNS_REMEMBERED = 31
"""Of how many runs of a profile the median is taken."""


class Counted(Struct, frozen=True):
    """A member with the cost of one more run, and the records that count it elsewhere."""

    member: Member
    records: tuple[Record, ...]


def counted(draft: Draft, desk: Desk, member: Member, lease: Lease, end: RunEnd | None) -> Counted:
    """Count a run that has ended; a person's work by hand costs nothing here."""
    if lease.worked_by is not None:
        return Counted(member, ())
    work = _Work(lease.profile, lease.tier, lease.spawned_at)
    return _with_cost(draft, desk, member, work, end)


def fix_costs(draft: Draft, desk: Desk, job: Job, end: RunEnd | None) -> tuple[Record, ...]:
    """Count the agent of a fix that has ended or is lost, as the records that change; other jobs cost nothing here."""
    batch, member = draft.state.batches.get(job.batch), draft.state.members.get((job.batch, job.issue or 0))
    if job.kind is not JobKind.FIX or batch is None or member is None:
        return ()
    if end is not None and end.spawn_error is not None:
        return ()
    work = _Work(job.check or "", tier_of(member, desk.settings_of(batch)), job.started_at)
    cost = _with_cost(draft, desk, member, work, end)
    return (cost.member, *cost.records)


class _Work(Struct, frozen=True):
    profile: str
    tier: Tier | None
    since_at: Instant | None


def _with_cost(draft: Draft, desk: Desk, member: Member, work: _Work, end: RunEnd | None) -> Counted:
    amounts = _amounts_of(end, work, draft.at)
    return Counted(replace(member, usage=_added(member.usage, amounts)), _spent(draft, desk, work, amounts))


def _amounts_of(end: RunEnd | None, work: _Work, now: Instant) -> dict[str, int]:
    """Give what a run has cost; of one that left no end only its time is known."""
    told = end.usage if end is not None and end.usage is not None else {}
    took_ms = end.duration_ms if end is not None else round(seconds_between(work.since_at or now, now) * 1000)
    unknowns = {unknown(kind): 1 for kind in REPORTED if kind not in told}
    return {**told, **unknowns, AGENT_MS: max(0, took_ms), RUNS: 1, "unknown_runs": int(not told)}


def _added(usage: Mapping[str, int], amounts: Mapping[str, int]) -> dict[str, int]:
    """Add what a run has cost to what the earlier ones of its member did; amounts of nothing are left out."""
    total = summed_amounts((usage, amounts))
    return {
        kind: amount for kind, amount in total.items() if amount or kind in usage or not kind.startswith("unknown_")
    }


def _spent(draft: Draft, desk: Desk, work: _Work, amounts: Mapping[str, int]) -> tuple[Record, ...]:
    """Give the costs of today and the rates of the profile as they are with one more run."""
    state, name = draft.state, work.profile
    day = day_of(draft.at, desk.situation(state).zone)
    costs = state.costs.get(day, DayCosts(day=day))
    profiles = {**costs.profiles, name: _added(costs.profiles.get(name, {}), amounts)}
    rates = state.rates.get(name, Rates(profile=name))
    known = {kind: amount for kind, amount in amounts.items() if kind in (*REPORTED, AGENT_MS)}
    recent = (*rates.recent, RunCost(tier=work.tier, amounts=known))[-RUNS_REMEMBERED:]
    return replace(costs, profiles=profiles), replace(rates, recent=recent)
