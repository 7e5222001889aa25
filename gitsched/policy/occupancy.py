"""Occupancy: what is taken as things are, and as the admissions of one pass take it: slots, files, budgets, terminals.

1. Every unfinished run counts, not only what this pass admits.
2. One whose work is held keeps its write set, though it has no slot.
3. An agent that owns the terminal runs beside no other of its kind, and beside nobody who works by hand.
"""

from collections.abc import Sequence

from gitsched.config.agents import AgentMode
from gitsched.config.profiles import resolve_profile
from gitsched.domain.records import Lease
from gitsched.domain.words import LIVE_RUNS, RESOLVED_MEMBERS
from gitsched.policy.budget import Purse, Unit
from gitsched.policy.mending import slotted_jobs
from gitsched.policy.order import Candidate
from gitsched.policy.situation import Situation, profile_of

SEQUENTIAL: AgentMode = "sequential"
MANUAL: AgentMode = "manual"
FOR_A_SLOT = frozenset({"capacity", "parallelism"})
"""Reasons that go as soon as any run ends."""


class Occupancy:
    """Slots, write sets, budgets and the terminal, as they are and as this pass makes them."""

    def __init__(self, situation: Situation) -> None:
        """Count what every unfinished run holds."""
        self._situation = situation
        state = situation.state
        live = [lease for lease in state.leases.values() if lease.status in LIVE_RUNS]
        self.live_count = len(live) + slotted_jobs(state)
        self.leased: dict[int, list[Lease]] = {}
        for lease in state.leases.values():
            self.leased.setdefault(lease.issue, []).append(lease)
        self.here_count = sum(lease.holder.host == situation.facts.host for lease in live)
        self.by_batch: dict[str, int] = {}
        self.writing: dict[int, tuple[str, ...]] = {}
        self.ending = {lease.issue for lease in live if lease.worked_by is None}
        """Issues whose hold on their write set ends by itself, and with it what waits for them."""
        self.terminal = next((lease.issue for lease in live if _owns_terminal(situation, lease)), None)
        """The issue whose agent owns the terminal."""
        by_hand = next((lease.issue for lease in live if lease.worked_by is not None), None)
        self.alone = by_hand if self.terminal is None else self.terminal
        """The issue that another agent which owns the terminal waits for: it does, or a person works at it."""
        self.purse = Purse(situation)
        for lease in live:
            self._hold(lease.batch, lease.issue, state.members[lease.batch, lease.issue].files)
        for member in state.members.values():
            if member.hold is not None and member.status not in RESOLVED_MEMBERS and member.gen >= 0:
                self.writing.setdefault(member.issue, member.files)

    def _hold(self, batch: str, issue: int, files: tuple[str, ...]) -> None:
        self.by_batch[batch] = self.by_batch.get(batch, 0) + 1
        self.writing[issue] = files

    def admit(self, candidate: Candidate) -> None:
        """Count an admission of this pass."""
        self.live_count += 1
        self.here_count += 1
        self.ending.add(candidate.issue)
        unit = unit_of(self._situation, candidate)
        if mode_of(self._situation, candidate) == SEQUENTIAL:
            self.alone = self.alone or candidate.issue
        self.purse.reserve(unit)
        self._hold(unit.batch, candidate.issue, candidate.files)

    def reserve(self, candidate: Candidate, found: Sequence[str]) -> None:
        """Keep everyone who overlaps it behind a candidate that was overtaken too often.

        Only where nothing but runs that end by themselves is in its way: else all would wait for a person with it.
        """
        ends = {f"overlap:{issue}" for issue in self.ending} | FOR_A_SLOT
        if candidate.is_aged and all(reason in ends for reason in found):
            self.writing[candidate.issue] = candidate.files


def _owns_terminal(situation: Situation, lease: Lease) -> bool:
    batch = situation.state.batches.get(lease.batch)
    if lease.worked_by is not None or batch is None:
        return False
    profile = resolve_profile(situation.settings_of(batch).agents, lease.profile, lease.tier)
    return profile is not None and profile.mode == SEQUENTIAL


def mode_of(situation: Situation, candidate: Candidate) -> AgentMode:
    """Say how the candidate's profile works: by an agent, by hand, or by an agent that owns the terminal."""
    settings = situation.settings_of(candidate.batch) if candidate.batch else situation.current
    name = profile_of(situation, candidate.member or candidate.entry)
    profile = resolve_profile(settings.agents, name) if name is not None else None
    return profile.mode if profile is not None else "agent"


def unit_of(situation: Situation, candidate: Candidate) -> Unit:
    """Show a candidate as budgets see it."""
    settings = situation.settings_of(candidate.batch) if candidate.batch else situation.current
    bearer = candidate.member or candidate.entry
    name = profile_of(situation, bearer) or ""
    profile = resolve_profile(settings.agents, name, bearer.tier)
    return Unit(
        batch=candidate.batch.id if candidate.batch else f"i{candidate.issue}",
        issue=candidate.issue,
        profile=name,
        tier=bearer.tier,
        usage=profile.usage if profile is not None else "none",
    )
