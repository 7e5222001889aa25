"""Spending: what a run has cost, added to its member, its day and its profile in the draft that records its end."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.costs import AGENT_MS, REPORTED, RUNS, DayCosts, Rates, RunCost, summed_amounts, unknown
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Job, Lease, Member, Record
from gitsched.domain.runs import RunEnd
from gitsched.domain.state import Draft
from gitsched.domain.words import Tier
from gitsched.domain.zones import day_of
from gitsched.engine.desk import Desk
from gitsched.policy.mending import ERRANDS

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
    amounts = _amounts_of(end, lease.spawned_at, draft.at)
    spent = _spent(draft, desk, lease.profile, lease.tier, amounts)
    return Counted(replace(member, usage=_added(member.usage, amounts)), spent)


def errand_costs(draft: Draft, desk: Desk, job: Job, end: RunEnd | None) -> tuple[Record, ...]:
    """Count an agent's job that has ended or is lost, as the records that change; other jobs cost nothing here.

    It counts for its member, or else for its batch; of one that is lost only its time is known.
    """
    is_free = job.kind not in ERRANDS or (end is not None and end.spawn_error is not None)
    if is_free or job.batch not in draft.state.batches:
        return ()
    amounts = _amounts_of(end, job.started_at, draft.at)
    spent = _spent(draft, desk, job.check or "", job.tier, amounts)
    member = draft.state.members.get((job.batch, job.issue or 0))
    if member is not None:
        return (replace(member, usage=_added(member.usage, amounts)), *spent)
    batch = draft.state.batches[job.batch]
    return (replace(batch, usage=_added(batch.usage, amounts)), *spent)


def _amounts_of(end: RunEnd | None, started_at: Instant | None, now: Instant) -> dict[str, int]:
    """Give what a run has cost; of one that left no end only its time is known."""
    told = end.usage if end is not None and end.usage is not None else {}
    took_ms = end.duration_ms if end is not None else round(seconds_between(started_at or now, now) * 1000)
    unknowns = {unknown(kind): 1 for kind in REPORTED if kind not in told}
    return {**told, **unknowns, AGENT_MS: max(0, took_ms), RUNS: 1, "unknown_runs": int(not told)}


def _added(usage: Mapping[str, int], amounts: Mapping[str, int]) -> dict[str, int]:
    """Add what a run has cost to what the earlier ones of its member did; amounts of nothing are left out."""
    total = summed_amounts((usage, amounts))
    return {
        kind: amount for kind, amount in total.items() if amount or kind in usage or not kind.startswith("unknown_")
    }


def _spent(draft: Draft, desk: Desk, name: str, tier: Tier | None, amounts: Mapping[str, int]) -> tuple[Record, ...]:
    """Give the costs of today and the rates of the profile as they are with one more run."""
    state = draft.state
    day = day_of(draft.at, desk.situation(state).zone)
    costs = state.costs.get(day, DayCosts(day=day))
    profiles = {**costs.profiles, name: _added(costs.profiles.get(name, {}), amounts)}
    rates = state.rates.get(name, Rates(profile=name))
    known = {kind: amount for kind, amount in amounts.items() if kind in (*REPORTED, AGENT_MS)}
    recent = (*rates.recent, RunCost(tier=tier, amounts=known))[-RUNS_REMEMBERED:]
    return replace(costs, profiles=profiles), replace(rates, recent=recent)
