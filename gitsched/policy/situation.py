"""The situation a decision is made in: state, facts, and the settings that hold for each batch."""

from collections.abc import Mapping
from datetime import UTC, tzinfo

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.facts import Facts
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import State
from gitsched.domain.words import RESOLVED_MEMBERS, Liveness, MemberStatus
from gitsched.domain.zones import zone_named


class Situation(Struct, frozen=True, kw_only=True):
    """All that a decision may look at."""

    state: State
    facts: Facts
    current: Settings
    """The configuration as it is now: for what is not sealed yet, and for the driver itself."""
    sealed: Mapping[str, Settings]
    """By batch: the settings it was sealed with."""

    def settings_of(self, batch: Batch) -> Settings:
        """Give the settings that hold for a batch: its own once it is sealed."""
        return self.sealed.get(batch.id, self.current)

    @property
    def zone(self) -> tzinfo:
        """Give the zone whose days and hours count: the configured one, else the machine's."""
        return zone_named(self.current.schedule.tz or self.facts.zone) or UTC

    def driver_is(self, driver: str) -> Liveness:
        """Tell whether a driver lives; one that is not registered any more is gone."""
        if driver == self.facts.driver:
            return Liveness.ALIVE
        if driver not in self.state.drivers:
            return Liveness.GONE
        return self.facts.drivers.get(driver, Liveness.UNKNOWN)


def first_unresolved(members: tuple[Member, ...]) -> Member | None:
    """Find the member whose turn it is to land, in member order."""
    return next((member for member in members if member.status not in RESOLVED_MEMBERS), None)


def landed(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """List the landed and shipped members, in member order."""
    return tuple(m for m in members if m.status in (MemberStatus.LANDED, MemberStatus.SHIPPED))


def profile_of(situation: Situation, unit: Entry | Member) -> str | None:
    """Name the agent profile that works the unit: its own, else the default."""
    return unit.profile or situation.facts.default_profile


def basis_of(batch: Batch, members: tuple[Member, ...]) -> tuple[str, ...]:
    """Write down what blocking a batch is decided on: when that has changed, the decision counts for nothing."""
    held = (f"{member.issue} {member.status} {member.hold} {','.join(member.regate)}" for member in members)
    return (f"{batch.status} {batch.integration.head}", *held)
