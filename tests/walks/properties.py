"""The properties that hold at every instant, looked for in state, refs and journal.

`Properties` goes over the history once and goes on from where it stopped; `check_properties` goes over all of it.
Each check is named after its number.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsched.adapters.git.lander import GitLander
from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.ref_moves import GitRefs
from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import Event, EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Batch
from gitsched.domain.replay import claimed_by, replay, statuses_of
from gitsched.domain.state import State, record_path
from gitsched.domain.words import (
    LEFT_MEMBERS,
    LIVE_RUNS,
    TERMINAL_BATCHES,
    BatchStatus,
    EntryStatus,
    MemberStatus,
)
from gitsched.ports.runner import Clock
from gitsched.ports.store import Entry as JournalEntry
from tests.walks.chain import Chains

_BEING_REBUILT = (BatchStatus.EVICTING, BatchStatus.REBASING)
_CHAINED = (MemberStatus.LANDED, MemberStatus.SHIPPED)


class Properties:
    """Watches one repository, through a store of its own."""

    def __init__(self, repo: Path, clock: Clock) -> None:
        """Begin at the first commit of the state."""
        self._store = GitStore(repo, clock, fsync=False)
        self._refs = GitRefs(find_place(repo))
        self._lander = GitLander(repo)
        self._seen: str | None = None
        self._events: list[Event] = []
        self._before = State()
        self._spawned: set[tuple[str, int, int]] = set()
        self._landed: set[tuple[str, int]] = set()
        self._chains = Chains(repo)
        self._statuses: dict[str, str] = {}

    def look(self, *, at_rest: bool = False) -> State:
        """Check every commit since the last look, then the present; `at_rest`: nothing is going on any more."""
        state = self._store.read()
        for entry in reversed(list(self._store.history(since=self._seen))):
            now = self._store.read_at(entry.commit)
            self._events += entry.events
            self._one_commit(entry, now)
            self._before = now
        self._seen = self._store.tip
        for batch in state.batches.values():
            self._p4_landed_in_order(state, batch)
        self._p7_parked_work_is_there(state)
        if at_rest:
            self._p10_terminal_batches_hold_nothing(state)
            assert replay(self._events) == statuses_of(state), "P12: replay differs from the tree"
        return state

    def names(self) -> list[str]:
        """Name all events so far."""
        return [str(event.name) for event in self._events]

    def _one_commit(self, entry: JournalEntry, state: State) -> None:
        _p1_capacity(self._before, state)
        _p2_entries_and_batches_agree(state)
        for event in entry.events:
            self._p3_spawned_once(event)
            self._p6_landed_stays(event)
            if event.name in (EventName.SPAWNED, EventName.ASSIGNED):
                assert not self._before.control.paused, f"P11: {event.sentence}, though paused"
        self._fold(entry.events)
        assert self._statuses == statuses_of(state), f"P12: replay differs from the tree at {entry.commit}"
        changed = set(_changed_paths(self._before, state))
        assert changed <= claimed_by(entry.events), f"P12: nobody claims {changed - claimed_by(entry.events)}"

    def _fold(self, events: Iterable[Event]) -> None:
        for event in events:
            for path, claim in event.claims.items():
                if claim.removed:
                    self._statuses.pop(path, None)
                elif claim.status is not None:
                    self._statuses[path] = claim.status

    def _p3_spawned_once(self, event: Event) -> None:
        if event.name is not EventName.SPAWNED:
            return
        run = (str(event.batch), event.issue or 0, event.gen or 0)
        assert run not in self._spawned, f"P3: {run} was spawned twice"
        self._spawned.add(run)

    def _p6_landed_stays(self, event: Event) -> None:
        unit = (str(event.batch), event.issue or 0)
        if event.name is EventName.MEMBER_LANDED:
            assert unit not in self._landed, f"P6: {unit} landed twice"
            self._landed.add(unit)
        elif event.name in (EventName.SPAWNED, EventName.REDISPATCHED, EventName.ASSIGNED):
            assert unit not in self._landed, f"P6: {unit} had landed and is run again: {event.sentence}"

    def _p4_landed_in_order(self, state: State, batch: Batch) -> None:
        head = batch.integration.head
        if head is None or batch.base is None or batch.status in _BEING_REBUILT or batch.came_from in _BEING_REBUILT:
            return
        rows = state.members_of(batch)
        landed = [member for member in rows if member.status in _CHAINED]
        self._chains.check(
            batch, landed, some_left=any(member.landed for member in rows if member.status in LEFT_MEMBERS)
        )
        if batch.status is not BatchStatus.BLOCKED:  # else a person has moved it, and that was noticed
            found = self._refs.resolve(branch_ref(batch.integration.branch))
            # What people commit on it beyond the record is theirs: never built upon, and never thrown away.
            is_ours = found is None or self._lander.is_ancestor(head, found)
            assert is_ours, f"P4: {batch.integration.branch} is at {found}, recorded is {head}"

    def _p7_parked_work_is_there(self, state: State) -> None:
        for entry in state.entries.values():
            leaving = entry.evidence[-1] if entry.evidence else None
            if entry.status is not EntryStatus.PARKED or leaving is None or leaving.head is None:
                continue
            found = self._refs.resolve(branch_ref(leaving.branch or ""))
            assert found is not None, f"P7: the branch of parked issue {entry.issue} is gone"
            assert self._lander.is_ancestor(leaving.head, found), f"P7: {leaving.branch} lost what was parked on it"

    def _p10_terminal_batches_hold_nothing(self, state: State) -> None:
        over = {batch.id for batch in state.batches.values() if batch.status in TERMINAL_BATCHES}
        assert not [key for key in state.leases if key[0] in over], f"P10: leases of ended batches: {state.leases}"
        assert not [key for key in state.jobs if key[0] in over], f"P10: jobs of ended batches: {state.jobs}"
        trees = [m.tree for m in state.members.values() if m.batch in over and m.tree is not None]
        assert not trees, f"P10: trees of ended batches: {trees}"


def _p1_capacity(before: State, state: State) -> None:
    live = [lease for lease in state.leases.values() if lease.status in LIVE_RUNS]
    # Slots that an operator takes away are not taken from those who work.
    had = sum(lease.status in LIVE_RUNS for lease in before.leases.values())
    most = max(state.control.slots_max, had)
    assert len(live) <= most, f"P1: {len(live)} live runs, {state.control.slots_max} slots"
    assert len({lease.slot for lease in live}) == len(live), "P1: two runs hold one slot"
    for batch in state.batches.values():
        count = sum(lease.batch == batch.id for lease in live)
        assert not batch.parallelism or count <= batch.parallelism, f"P1: {count} live runs in {batch.id}"


def _p2_entries_and_batches_agree(state: State) -> None:
    for entry in state.entries.values():
        if entry.status is not EntryStatus.ASSIGNED:
            continue
        member = state.members.get((entry.batch or "", entry.issue))
        assert member is not None, f"P2: issue {entry.issue} is assigned to {entry.batch}, which does not list it"
        assert member.status not in LEFT_MEMBERS, f"P2: issue {entry.issue} has left {entry.batch}"
    for batch in state.batches.values():
        if batch.status in TERMINAL_BATCHES:
            continue
        for member in state.members_of(batch):
            row = state.entries.get(member.issue)
            if member.status not in LEFT_MEMBERS:
                assert row is not None, f"P2: {batch.id} lists issue {member.issue}, which has no row"
                assert row.batch == batch.id, f"P2: {batch.id} lists issue {member.issue}, whose row names {row.batch}"


def _changed_paths(before: State, after: State) -> Iterator[str]:
    """List the paths of units whose record differs between two states."""
    then, now = _records(before), _records(after)
    yield from (path for path in then.keys() | now.keys() if then.get(path) != now.get(path))


def _records(state: State) -> dict[str, object]:
    tables = (state.entries, state.batches, state.members, state.settings, state.leases, state.jobs, state.judged)
    others = (state.drivers, state.heard, state.costs, state.rates, state.schedules)
    rows = {record_path(record): record for table in (*tables, *others) for record in table.values()}
    return {**rows, record_path(state.control): state.control}


def check_properties(repo: Path, clock: Clock) -> None:
    """Check all properties over the whole history of a repository that is at rest."""
    Properties(repo, clock).look(at_rest=True)
