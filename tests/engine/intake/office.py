"""The office where requests come in: a real store, a real forge, and short verbs to bring units where a case begins."""

from pathlib import Path

from msgspec.structs import replace

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.forge.tracker import Tracker
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.config.parse import parse_settings
from gitsched.config.settings import Settings
from gitsched.domain.events import EventName as E
from gitsched.domain.forge import IssueDraft
from gitsched.domain.ids import integration_branch, solo_id
from gitsched.domain.records import Batch, Control, Entry, GateResult, Integration, Member, Slot
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchKind, EntryStatus
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import MemberStatus as M
from gitsched.engine.ending import evict
from gitsched.engine.intake.enqueue import EnqueueAnswer, EnqueueRequest, enqueue
from gitsched.engine.perform.admission import new_member, seal
from gitsched.policy.evictions import exit_of

ACTOR = "ada"

_TO_LANDED = (
    (E.ASSIGNED, M.PREPARING),
    (E.SPAWNED, M.RUNNING),
    (E.EXIT_DETECTED, M.VERIFYING),
    (E.MEMBER_VERIFIED, M.VERIFIED),
    (E.MEMBER_LANDED, M.LANDED),
)
_TO_SHIPPING = (
    (E.SEALED, B.READY),
    (E.BATCH_STARTED, B.EXECUTING),
    (E.VALIDATING, B.VALIDATING),
    (E.SUITE_PASSED, B.REVIEWING),
    (E.REVIEW_PASSED, B.SHIPPING),
    (E.PR_OPENED, B.AWAITING_MERGE),
)


class Office:
    """One repository with issues 1 to 9 on its forge and an empty queue."""

    def __init__(self, repository: Path, text: str = "") -> None:
        self.clock = clock = SystemClock()
        self.store = GitStore(repository, clock, fsync=False)
        self.store.initialise(Control())
        self.forge = LocalForge(repository, clock, fsync=False)
        self.tracker = Tracker(repository, clock, ACTOR, fsync=False)
        self.settings = settings(text)
        oid = read_ref(self.store.place, "refs/heads/main")
        assert oid is not None, "the office stands on a repository with a commit"
        self.oid = oid
        """A commit that stands for anybody's work."""

    @property
    def state(self) -> State:
        return self.store.read()

    def entry(self, issue: int) -> Entry:
        return self.state.entries[issue]

    def batch(self, name: str) -> Batch:
        return self.state.batches[name]

    def member(self, batch: str, issue: int) -> Member:
        return self.state.members[batch, issue]

    def order(self, batch: str) -> list[int]:
        return [slot.issue for slot in self.batch(batch).members]

    def events(self) -> list[str]:
        """Name the events of the newest transaction."""
        return [str(event.name) for event in next(iter(self.store.history())).events]

    def issue(self, title: str = "Work", **fields: object) -> int:
        return self.tracker.new_issue(IssueDraft(title=title, **fields))  # type: ignore[arg-type]

    def enqueue(self, *issues: int, **fields: object) -> EnqueueAnswer:
        request = EnqueueRequest(issues=issues, **fields)  # type: ignore[arg-type]
        return enqueue(self.store, self.forge, self.settings, request, ACTOR)

    def bring(self, batch: str, status: B) -> None:
        """Walk a batch to a state, by the edges of its machine."""
        steps = [step for _, step in _TO_SHIPPING]
        here = self.batch(batch).status
        start = 0 if here is B.FORMING else steps.index(here) + 1
        for event, step in _TO_SHIPPING[start : steps.index(status) + 1]:
            self.store.apply(lambda draft, e=event, s=step: _move(draft, batch, e, s))  # type: ignore[misc]

    def run(self, batch: str, issue: int, status: M) -> None:
        """Walk a member to a state, by the edges of its machine; it has two commits from running on."""
        steps = [step for _, step in _TO_LANDED]
        here = self.member(batch, issue).status
        start = 0 if here is M.WAITING else steps.index(here) + 1
        for event, step in _TO_LANDED[start : steps.index(status) + 1]:
            self.store.apply(lambda draft, e=event, s=step: _walk(draft, (batch, issue), e, s, self.oid))  # type: ignore[misc]

    def block(self, batch: str, reason: str) -> None:
        def intent(draft: Draft) -> None:
            was = draft.state.batches[batch]
            blocked = replace(was, status=B.BLOCKED, came_from=was.status, reason=reason)
            draft.note(E.BATCH_BLOCKED, "Block", blocked, batch=batch)

        self.store.apply(intent)

    def evict(self, batch: str, issue: int, reason: str = "suite-failed") -> None:
        def intent(draft: Draft) -> None:
            member = draft.state.members[batch, issue]
            evict(draft, (exit_of(member, kind="evicted", reason=reason, failing=("t::a",)),))

        self.store.apply(intent)

    def judge(self, batch: str, issue: int, gate: str, verdict: str) -> None:
        def intent(draft: Draft) -> None:
            member = draft.state.members[batch, issue]
            judged = replace(member, gates={**member.gates, gate: GateResult(verdict=verdict)}, keeps_tree=True)
            draft.note(E.GATE_INCONCLUSIVE, "Judge", judged, batch=batch, issue=issue)

        self.store.apply(intent)

    def form_solo(self, issue: int) -> None:
        """Make and seal the batch of one issue, as dispatch does."""

        def intent(draft: Draft) -> None:
            entry = draft.state.entries[issue]
            batch = Batch(
                id=solo_id(issue, 1),
                kind=BatchKind.SOLO,
                status=B.FORMING,
                members=(Slot(index=1, issue=issue),),
                target="main",
                integration=Integration(branch=integration_branch(solo_id(issue, 1))),
                priority=entry.priority,
            )
            assigned = replace(entry, status=EntryStatus.ASSIGNED, batch=batch.id, attempt=1)
            draft.note(E.BATCH_FORMED, "Form", batch, batch=batch.id)
            draft.note(E.MEMBER_JOINED, "Place", new_member(batch.id, 1, entry, draft.at), assigned, issue=issue)
            seal(draft, batch, self.settings)

        self.store.apply(intent)

    def finish(self, issue: int) -> None:
        """End a queued issue as done."""

        def intent(draft: Draft) -> None:
            done = replace(draft.state.entries[issue], status=EntryStatus.DONE, batch=None)
            draft.note(E.EXTERNAL_ADVANCE, "Done", done, issue=issue)

        self.store.apply(intent)


def settings(text: str = "") -> Settings:
    return parse_settings(text)


def _move(draft: Draft, batch: str, event: E, status: B) -> None:
    draft.note(event, "Move", replace(draft.state.batches[batch], status=status), batch=batch)


def _walk(draft: Draft, key: tuple[str, int], event: E, status: M, oid: str) -> None:
    member = replace(draft.state.members[key], status=status, gen=0)
    if status is M.RUNNING:
        member = replace(member, cut=oid, head=oid)
    if status is M.LANDED:
        member = replace(member, landed=oid)
    draft.note(event, "Walk", member, batch=key[0], issue=key[1])
