"""Spending: what a run has cost, added to its member, its day and its profile in the draft that records its end."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.costs import AGENT_MS, REPORTED, RUNS, DayCosts, Rates, RunCost, summed_amounts, unknown
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Lease, Member, Record
from gitsched.domain.runs import RunEnd
from gitsched.domain.state import Draft
from gitsched.domain.zones import day_of
from gitsched.engine.desk import Desk

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
    amounts = _amounts_of(end, lease, draft.at)
    return Counted(replace(member, usage=_added(member.usage, amounts)), _spent(draft, desk, lease, amounts))


def _amounts_of(end: RunEnd | None, lease: Lease, now: Instant) -> dict[str, int]:
    """Give what a run has cost; of one that left no end only its time is known."""
    told = end.usage if end is not None and end.usage is not None else {}
    took_ms = end.duration_ms if end is not None else round(seconds_between(lease.spawned_at or now, now) * 1000)
    unknowns = {unknown(kind): 1 for kind in REPORTED if kind not in told}
    return {**told, **unknowns, AGENT_MS: max(0, took_ms), RUNS: 1, "unknown_runs": int(not told)}


def _added(usage: Mapping[str, int], amounts: Mapping[str, int]) -> dict[str, int]:
    """Add what a run has cost to what the earlier ones of its member did; amounts of nothing are left out."""
    total = summed_amounts((usage, amounts))
    return {
        kind: amount for kind, amount in total.items() if amount or kind in usage or not kind.startswith("unknown_")
    }


def _spent(draft: Draft, desk: Desk, lease: Lease, amounts: Mapping[str, int]) -> tuple[Record, ...]:
    """Give the costs of today and the rates of the profile as they are with one more run."""
    state, name = draft.state, lease.profile
    day = day_of(draft.at, desk.situation(state).zone)
    costs = state.costs.get(day, DayCosts(day=day))
    profiles = {**costs.profiles, name: _added(costs.profiles.get(name, {}), amounts)}
    rates = state.rates.get(name, Rates(profile=name))
    known = {kind: amount for kind, amount in amounts.items() if kind in (*REPORTED, AGENT_MS)}
    recent = (*rates.recent, RunCost(tier=lease.tier, amounts=known))[-RUNS_REMEMBERED:]
    return replace(costs, profiles=profiles), replace(rates, recent=recent)
