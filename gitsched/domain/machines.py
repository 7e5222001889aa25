"""The state machines, as tables.

A row is (from, event, to, why). An edge that no row holds is refused with `TransitionError`. The `why` is
the sentence that people see; `docs/reference/states.md` is generated from these tables.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from gitsched.domain.events import EventName as E
from gitsched.domain.schedules import ScheduleStatus as C
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import EntryStatus as Q
from gitsched.domain.words import MemberStatus as M
from gitsched.domain.words import RunStatus as R
from gitsched.errors import TransitionError

S = TypeVar("S", bound=StrEnum)


class Edge(NamedTuple, Generic[S]):
    """One row: while in `source`, `event` leads to `target`, and `why` says it to people."""

    source: S
    event: E
    target: S
    why: str


class Machine(Generic[S]):
    """A named table of edges with the events that start it and the states that end it."""

    def __init__(self, name: str, starts: Iterable[tuple[E, S]], finals: Iterable[S], edges: Iterable[Edge[S]]) -> None:
        """Index the edges; two rows with the same source, event and target are one mistake."""
        self.name = name
        self.starts = frozenset(starts)
        self.finals = frozenset(finals)
        self.edges = tuple(edges)
        self._why = {(edge.source, edge.event, edge.target): edge.why for edge in self.edges}
        assert len(self._why) == len(self.edges), f"{name}: a row stands twice"

    def check(self, source: S | None, event: E, target: S) -> None:
        """Raise TransitionError unless the table holds this edge (`source` None: a new record)."""
        is_held = (event, target) in self.starts if source is None else self.holds(source, event, target)
        if not is_held:
            raise TransitionError(self.name, f"{source or 'not there'} → {target}", event)

    def holds(self, source: S, event: E, target: S) -> bool:
        """Say whether the table holds this edge."""
        return (source, event, target) in self._why

    def why(self, source: S, event: E, target: S) -> str:
        """Say in a sentence why the unit moved. Raises KeyError where there is no such edge."""
        return self._why[source, event, target]


def _edges(sources: Iterable[S], event: E, target: S, why: str) -> list[Edge[S]]:
    return [Edge(source, event, target, why) for source in sources]


ENTRY: Machine[Q] = Machine(
    "entry",
    starts=[(E.ENQUEUED, Q.QUEUED), (E.MEMBER_JOINED, Q.ASSIGNED), (E.ENQUEUED, Q.ASSIGNED)],
    finals=[Q.DONE, Q.FAILED, Q.STOPPED],
    edges=[
        Edge(Q.QUEUED, E.MEMBER_JOINED, Q.ASSIGNED, "It became a member of a batch."),
        *_edges([Q.QUEUED, Q.ASSIGNED], E.LABEL_BLOCKED, Q.BLOCKED, "A label keeps it out."),
        Edge(Q.QUEUED, E.DEPENDENCY_BLOCKED, Q.BLOCKED, "What it depends on failed, stopped or is not known."),
        Edge(Q.QUEUED, E.CLOSED_ON_FORGE, Q.BLOCKED, "Its issue was closed as not planned."),
        Edge(Q.QUEUED, E.RECORD_HELD, Q.BLOCKED, "Its record does not decode."),
        Edge(Q.BLOCKED, E.LABEL_CLEARED, Q.QUEUED, "The label that kept it out is gone."),
        Edge(Q.BLOCKED, E.DEPENDENCY_CLEARED, Q.QUEUED, "What it depends on can be waited for again."),
        Edge(Q.BLOCKED, E.REOPENED_ON_FORGE, Q.QUEUED, "Its issue is open again."),
        Edge(Q.ASSIGNED, E.MEMBER_EVICTED, Q.PARKED, "It was taken out of its batch; its work is kept."),
        Edge(Q.ASSIGNED, E.MEMBER_HANDED_BACK, Q.PARKED, "Its agent handed it back; its work is kept."),
        Edge(Q.ASSIGNED, E.BATCH_DISSOLVED, Q.PARKED, "Its batch was given up while it ran; its work is kept."),
        Edge(Q.ASSIGNED, E.MEMBER_WITHDRAWN, Q.QUEUED, "Its batch was given up before it shipped."),
        Edge(Q.ASSIGNED, E.MEMBER_WITHDRAWN, Q.PARKED, "Its batch was given up; its work is kept on a branch."),
        Edge(Q.ASSIGNED, E.UNDONE, Q.QUEUED, "An operator took its placing back."),
        *_edges([Q.QUEUED, Q.BLOCKED, Q.ASSIGNED], E.UNDONE, Q.PARKED, "An operator took its requeue back."),
        *_edges([Q.QUEUED, Q.BLOCKED, Q.ASSIGNED], E.UNDONE, Q.DONE, "An operator took its second enqueue back."),
        *_edges([Q.QUEUED, Q.BLOCKED, Q.ASSIGNED], E.UNDONE, Q.FAILED, "An operator took its second enqueue back."),
        *_edges([Q.QUEUED, Q.BLOCKED, Q.ASSIGNED], E.UNDONE, Q.STOPPED, "An operator took its second enqueue back."),
        Edge(Q.ASSIGNED, E.ENTRY_FAILED, Q.FAILED, "It gave up."),
        Edge(Q.PARKED, E.ENTRY_FAILED, Q.FAILED, "It gave up."),
        Edge(Q.ASSIGNED, E.MERGE_ACCEPTED, Q.SHIPPED, "Its work has merged."),
        *_edges(
            [Q.PARKED, Q.FAILED],
            E.MERGE_ACCEPTED,
            Q.SHIPPED,
            "The forge proves that its work merged after all.",
        ),
        *_edges(
            [Q.QUEUED, Q.BLOCKED, Q.ASSIGNED, Q.PARKED],
            E.EXTERNAL_ADVANCE,
            Q.DONE,
            "Its issue was completed by other means.",
        ),
        Edge(Q.SHIPPED, E.REPORTED, Q.DONE, "Shipped and reported."),
        Edge(Q.PARKED, E.MEMBER_REQUEUED, Q.QUEUED, "An operator sent it back to work."),
        Edge(Q.PARKED, E.MEMBER_REQUEUED, Q.ASSIGNED, "An operator sent it back to work in another batch."),
        *_edges([Q.QUEUED, Q.BLOCKED, Q.ASSIGNED, Q.PARKED], E.ENTRY_STOPPED, Q.STOPPED, "An operator ended it."),
        *_edges([Q.DONE, Q.FAILED, Q.STOPPED], E.ENQUEUED, Q.QUEUED, "It was enqueued again."),
    ],
)

_ACTIVE_MEMBERS = [M.WAITING, M.PREPARING, M.RUNNING, M.VERIFYING, M.VERIFIED, M.LANDED]

MEMBER: Machine[M] = Machine(
    "member",
    # Its record stands at its place in the batch: one that is ordered to another begins there anew.
    starts=[(E.MEMBER_JOINED, M.WAITING), (E.MEMBER_JOINED, M.VERIFIED), (E.REORDERED, M.WAITING)],
    finals=[M.SHIPPED, M.EVICTED, M.HANDED_BACK, M.STOPPED, M.WITHDRAWN],
    edges=[
        Edge(M.WAITING, E.ASSIGNED, M.PREPARING, "It was given a slot; its tree is being prepared."),
        Edge(M.PREPARING, E.SPAWNED, M.RUNNING, "Its agent was started."),
        Edge(M.PREPARING, E.SLOT_RELEASED, M.WAITING, "Its slot was given back before the agent started."),
        Edge(M.PREPARING, E.SETUP_FAILED, M.WAITING, "A setup command failed; it is tried again."),
        Edge(M.RUNNING, E.EXIT_DETECTED, M.VERIFYING, "Its run has ended and is being judged."),
        *_edges([M.RUNNING, M.VERIFYING], E.REDISPATCHED, M.PREPARING, "Its run is being started again."),
        Edge(M.VERIFYING, E.MEMBER_VERIFIED, M.VERIFIED, "Complete, and its gates let it pass."),
        Edge(M.VERIFIED, E.MEMBER_LANDED, M.LANDED, "Its commits are on the integration branch."),
        Edge(M.VERIFIED, E.LANDING_CONFLICT, M.WAITING, "It conflicted when landing and is tried once more."),
        Edge(M.LANDED, E.MERGE_ACCEPTED, M.SHIPPED, "Merged into the target."),
        *_edges(_ACTIVE_MEMBERS, E.MEMBER_EVICTED, M.EVICTED, "Taken out of its batch for cause."),
        *_edges([M.RUNNING, M.VERIFYING], E.MEMBER_HANDED_BACK, M.HANDED_BACK, "Its agent says that it cannot."),
        *_edges(_ACTIVE_MEMBERS, E.MEMBER_STOPPED, M.STOPPED, "An operator ended it."),
        *_edges(_ACTIVE_MEMBERS, E.MEMBER_WITHDRAWN, M.WITHDRAWN, "It left without cause."),
        Edge(M.WAITING, E.UNDONE, M.WITHDRAWN, "An operator took its joining back."),
        Edge(M.WAITING, E.EXTERNAL_ADVANCE, M.WITHDRAWN, "Its issue was completed by other means."),
    ],
)

_DISSOLVABLE = [
    B.FORMING,
    B.READY,
    B.EXECUTING,
    B.VALIDATING,
    B.ATTRIBUTING,
    B.FIXING,
    B.EVICTING,
    B.REVIEWING,
    B.SHIPPING,
    B.REBASING,
    B.REVALIDATING,
    B.BLOCKED,
]
_LATER = [
    B.VALIDATING,
    B.ATTRIBUTING,
    B.FIXING,
    B.EVICTING,
    B.REVIEWING,
    B.SHIPPING,
    B.AWAITING_MERGE,
    B.REBASING,
    B.REVALIDATING,
    B.MERGED,
    B.DEPLOYED,
]
_LIVE = [*_DISSOLVABLE, B.AWAITING_MERGE, B.MERGED, B.DEPLOYED]

BATCH: Machine[B] = Machine(
    "batch",
    starts=[(E.BATCH_FORMED, B.FORMING), (E.BATCH_SPLIT, B.FORMING)],
    finals=[B.DONE, B.DISSOLVED, B.STOPPED],
    edges=[
        Edge(B.FORMING, E.SEALED, B.READY, "Its members and settings are fixed."),
        Edge(B.READY, E.UNDONE, B.FORMING, "An operator took the seal back."),
        *_edges([B.DISSOLVING], E.UNDONE, B.FORMING, "An operator took its end back before it took effect."),
        *_edges([B.DISSOLVING], E.UNDONE, B.READY, "An operator took its end back before it took effect."),
        Edge(B.READY, E.BATCH_STARTED, B.EXECUTING, "Its integration branch was cut from the target."),
        Edge(B.EXECUTING, E.VALIDATING, B.VALIDATING, "Every member is resolved; the suite is due."),
        Edge(B.EXECUTING, E.MEMBER_EVICTED, B.EVICTING, "A landed member is being taken out."),
        Edge(B.VALIDATING, E.MEMBER_JOINED, B.EXECUTING, "A member joined meanwhile."),
        Edge(B.VALIDATING, E.SUITE_FAILED, B.ATTRIBUTING, "The suite is red with evidence."),
        Edge(B.VALIDATING, E.MEMBER_EVICTED, B.EVICTING, "A landed member is being taken out."),
        Edge(B.VALIDATING, E.SUITE_PASSED, B.REVIEWING, "The suite is green on the integration tree."),
        Edge(B.VALIDATING, E.FLAKY, B.REVIEWING, "The suite failed once and passed again on the same tree."),
        Edge(B.VALIDATING, E.SUITE_SKIPPED, B.REVIEWING, "No suite is declared, and that was said."),
        *_edges(
            [B.EXECUTING, B.VALIDATING, B.ATTRIBUTING, B.REVIEWING, B.AWAITING_MERGE, B.BLOCKED],
            E.MEMBER_STOPPED,
            B.EVICTING,
            "An operator ended a landed member; its commits are being taken out.",
        ),
        Edge(B.ATTRIBUTING, E.FIX_DISPATCHED, B.FIXING, "The one bounded fix was started."),
        Edge(B.ATTRIBUTING, E.MEMBER_EVICTED, B.EVICTING, "The member that broke the suite is being taken out."),
        Edge(B.ATTRIBUTING, E.FLAKY, B.VALIDATING, "The failing tests passed on the same tree."),
        Edge(B.ATTRIBUTING, E.BASE_EXCUSED, B.VALIDATING, "What fails on the base as well is let pass."),
        Edge(B.FIXING, E.FIX_RESOLVED, B.VALIDATING, "The fix has ended; the suite is due again."),
        Edge(B.EVICTING, E.BATCH_REBUILT, B.EXECUTING, "Rebuilt from base; members are still to resolve."),
        Edge(B.EVICTING, E.BATCH_REBUILT, B.VALIDATING, "Rebuilt from base with the members that are left."),
        Edge(B.REVIEWING, E.REVIEW_PASSED, B.SHIPPING, "Landed commits and members agree."),
        Edge(B.REVIEWING, E.MEMBER_EVICTED, B.EVICTING, "A landed member is being taken out."),
        Edge(B.SHIPPING, E.PR_OPENED, B.AWAITING_MERGE, "The pull request is open."),
        Edge(B.AWAITING_MERGE, E.REBASING, B.REBASING, "The target moved under the pull request."),
        Edge(B.AWAITING_MERGE, E.SUITE_FAILED, B.ATTRIBUTING, "A required check named failing tests."),
        Edge(B.AWAITING_MERGE, E.MEMBER_EVICTED, B.EVICTING, "A landed member is being taken out."),
        Edge(B.AWAITING_MERGE, E.MERGE_ACCEPTED, B.MERGED, "The target provably holds the batch."),
        Edge(B.REBASING, E.BATCH_REBASED, B.REVALIDATING, "Rebased onto the moved target."),
        Edge(B.REVALIDATING, E.REVALIDATED, B.SHIPPING, "The new tree has a green verdict already."),
        Edge(B.REVALIDATING, E.VALIDATING, B.VALIDATING, "The suite is due on the new tree."),
        Edge(B.MERGED, E.DEPLOYED, B.DEPLOYED, "Deployed, or no deployment is asked for."),
        Edge(B.DEPLOYED, E.REPORTED, B.REPORTED, "Issues are closed and reports posted."),
        Edge(B.REPORTED, E.TEARDOWN_DONE, B.DONE, "Trees and branches are cleared away."),
        Edge(B.REPORTED, E.TEARDOWN_FAILED, B.DONE, "Done; something could not be cleared away and is named."),
        Edge(
            B.DISSOLVING,
            E.BATCH_DISSOLVED,
            B.DISSOLVED,
            "Given up; what was unshipped is back in the queue or parked.",
        ),
        *_edges(_DISSOLVABLE, E.BATCH_DISSOLVING, B.DISSOLVING, "It is being given up."),
        *_edges(
            [state for state in _LIVE if state is not B.BLOCKED],
            E.BATCH_BLOCKED,
            B.BLOCKED,
            "It needs a person.",
        ),
        *_edges([*_LIVE, B.DISSOLVING], E.BATCH_STOPPED, B.STOPPED, "An operator ended it."),
        *_edges([B.BLOCKED], E.BATCH_RESUMED, B.FORMING, "An operator let it go on."),
        *_edges([B.BLOCKED], E.BATCH_RESUMED, B.READY, "An operator let it go on."),
        *_edges([B.BLOCKED], E.BATCH_RESUMED, B.EXECUTING, "An operator let it go on."),
        *_edges(
            [B.BLOCKED],
            E.BATCH_RESUMED,
            B.VALIDATING,
            "An operator let it go on; verdicts of the same tree stand.",
        ),
        Edge(
            B.BLOCKED,
            E.BATCH_RESUMED,
            B.EVICTING,
            "An operator let it go on; commits of a member that left are still to be taken out.",
        ),
        Edge(B.BLOCKED, E.MERGE_ACCEPTED, B.MERGED, "The forge proves that its work has merged."),
    ],
)

RUN: Machine[R] = Machine(
    "run",
    starts=[(E.ASSIGNED, R.ASSIGNED)],
    finals=[R.COMPLETE, R.FAILED],
    edges=[
        Edge(R.ASSIGNED, E.SPAWNED, R.RUNNING, "Its worker is being started."),
        Edge(R.RECOVERING, E.SPAWNED, R.RUNNING, "Its next generation is being started."),
        Edge(R.RUNNING, E.EXIT_DETECTED, R.EXITED, "Its agent has ended."),
        Edge(R.EXITED, E.VERIFY_COMPLETE, R.VERIFYING, "Its work is complete; its gates are due."),
        Edge(R.RUNNING, E.VERIFY_COMPLETE, R.VERIFYING, "It said done; its agent is being ended."),
        Edge(R.VERIFYING, E.MEMBER_VERIFIED, R.COMPLETE, "Its gates let it pass."),
        *_edges(
            [R.ASSIGNED, R.RUNNING, R.EXITED, R.VERIFYING, R.RECOVERING],
            E.REDISPATCHED,
            R.RECOVERING,
            "It is being started again.",
        ),
        *_edges(
            [R.ASSIGNED, R.RUNNING, R.EXITED, R.VERIFYING, R.RECOVERING],
            E.SLOT_RELEASED,
            R.FAILED,
            "It came to nothing.",
        ),
    ],
)

_BOOKED = [C.VALIDATED, C.APPROVED, C.SCHEDULED, C.WAITING, C.DISPATCHING, C.RUNNING]

SCHEDULE: Machine[C] = Machine(
    "schedule",
    starts=[(E.SCHEDULE_ADDED, C.SUBMITTED)],
    finals=[C.SUCCEEDED, C.FAILED, C.CANCELLED],
    edges=[
        Edge(C.SUBMITTED, E.SCHEDULE_VALIDATED, C.VALIDATED, "All that it names is in the queue."),
        *_edges([C.VALIDATED, C.SCHEDULED, C.WAITING, C.HUMAN_REQUIRED], E.SCHEDULE_APPROVED, C.APPROVED, "Approved."),
        *_edges([C.VALIDATED, C.APPROVED], E.SCHEDULE_BOOKED, C.SCHEDULED, "Its window is known."),
        Edge(C.SCHEDULED, E.SCHEDULE_WAITING, C.WAITING, "A driver waits for its window."),
        *_edges([C.DISPATCHING, C.RUNNING], E.SCHEDULE_WAITING, C.WAITING, "Its window has closed; the rest waits."),
        Edge(C.WAITING, E.SCHEDULE_DISPATCHING, C.DISPATCHING, "Its window is open; what was approved holds."),
        Edge(C.DISPATCHING, E.SCHEDULE_STARTED, C.RUNNING, "Its first member has started."),
        *_edges([C.DISPATCHING, C.RUNNING, C.CANCEL_REQUESTED], E.SCHEDULE_ENDED, C.SUCCEEDED, "All came to a result."),
        *_edges([C.DISPATCHING, C.RUNNING, C.CANCEL_REQUESTED], E.SCHEDULE_ENDED, C.FAILED, "Nothing came of it."),
        *_edges([C.SUBMITTED, *_BOOKED], E.SCHEDULE_HELD, C.HUMAN_REQUIRED, "It needs a person."),
        Edge(C.HUMAN_REQUIRED, E.SCHEDULE_RESUMED, C.SCHEDULED, "An operator let it go on."),
        *_edges(
            [C.SUBMITTED, *_BOOKED, C.HUMAN_REQUIRED], E.CANCEL_REQUESTED, C.CANCEL_REQUESTED, "An operator cancels it."
        ),
        Edge(C.CANCEL_REQUESTED, E.SCHEDULE_CANCELLED, C.CANCELLED, "Nothing of it runs any more."),
    ],
)

MACHINES = (ENTRY, MEMBER, BATCH, RUN, SCHEDULE)
