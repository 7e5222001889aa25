"""The picture that reading verbs show: the state, and what a pass of policy says about it."""

from collections.abc import Mapping

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Entry, Integration, Member, Slot
from gitsched.domain.state import State
from gitsched.domain.words import LIVE_RUNS, BatchKind, BatchStatus, EntryStatus, Tier


class Picture(Struct, frozen=True, kw_only=True):
    """Everything that is needed to show where things stand and why."""

    state: State
    tip: str | None
    """The state commit that is shown; None in a repository without a store."""
    waits: Mapping[int, tuple[str, ...]]
    """By issue: every reason of everyone who waits, as the plan found them."""
    aged: frozenset[int] = frozenset()
    """Issues that were overtaken so often that the next fitting slot is reserved for them."""
    batch_waits: Mapping[str, tuple[str, ...]] = {}
    """By batch: what keeps its suite from running."""
    live_drivers: frozenset[str]
    """Those that are not known to be gone."""
    current: Settings
    sealed: Mapping[str, Settings] = {}
    """By batch: the settings it was sealed with."""
    default_profile: str | None = None

    def entries(self) -> list[Entry]:
        """List the queue by issue number; a row whose record does not decode is shown as held for that."""
        lost = (held_entry(path) for path in self.state.unreadable)
        found = {**{entry.issue: entry for entry in lost if entry is not None}, **self.state.entries}
        return [found[issue] for issue in sorted(found)]

    def batches(self) -> list[Batch]:
        """List the batches by id; those whose record does not decode come last, shown as held for that."""
        lost = (held_batch(self.state, path) for path in sorted(self.state.unreadable))
        return [*self.state.batches_in_order(), *(batch for batch in lost if batch is not None)]

    @property
    def live_count(self) -> int:
        """Count the slots that are taken."""
        return sum(lease.status in LIVE_RUNS for lease in self.state.leases.values())

    def settings_of(self, batch: Batch) -> Settings:
        """Give the settings that hold for a batch."""
        return self.sealed.get(batch.id, self.current)

    def profile_of(self, unit: Entry | Member) -> str | None:
        """Name the agent profile that works the unit: its own, else the default."""
        return unit.profile or self.default_profile

    def tier_of(self, unit: Entry | Member) -> Tier:
        """Name the tier that the unit is worked at: its own, else its profile's."""
        profile = self.current.agents.profiles.get(self.profile_of(unit) or "")
        return unit.tier or (profile.tier if profile is not None else Tier.MID)


def held_entry(path: str) -> Entry | None:
    """Stand in for a row of the queue whose record at `path` does not decode; None for a path of another kind."""
    folder, _, issue = path.rpartition("/")
    if not folder.startswith("queue/") or not issue.isdecimal():
        return None
    return Entry(issue=int(issue), title="", status=EntryStatus.BLOCKED, reason="record-unreadable")


def held_batch(state: State, path: str) -> Batch | None:
    """Stand in for a batch whose record at `path` does not decode, with its readable members; None for other paths."""
    match path.split("/"):
        case ["batches", name, "batch"]:
            members = sorted((one.index, one.issue) for one in state.members.values() if one.batch == name)
            return Batch(
                id=name,
                kind=BatchKind.SOLO if len(members) == 1 else BatchKind.BATCH,
                status=BatchStatus.BLOCKED,
                reason="record-unreadable",
                members=tuple(Slot(index=index, issue=issue) for index, issue in members),
                target="",
                integration=Integration(branch=""),
            )
        case _:
            return None
