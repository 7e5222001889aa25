"""Ticks: passes of read, plan, perform, record, until nothing is left that can be done now."""

from collections.abc import Callable, Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.effects import Effect, Land, ReleaseTree, TearDown
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import State
from gitsched.domain.words import TERMINAL_BATCHES, BatchStatus
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.gather import Gatherer
from gitsched.engine.lasting import journal_return
from gitsched.engine.perform.table import perform
from gitsched.engine.sweep import sweep
from gitsched.errors import RaceLostError, RemoteRefusedError, TemporaryError
from gitsched.policy.idle import RECONCILE_ERROR, is_untouchable, waits_for_a_person
from gitsched.policy.plan import Plan

PASSES_AT_MOST = 10_000
"""A bound on one tick, far beyond any real one; beyond it something answers itself for ever."""

Guard = Callable[[Callable[[], None]], Exception | None]
"""Runs a step and gives back what it raised beyond the expected. Faces decide what that is."""


LANDING_REFUSED = "landing-refused"
PUSH_REFUSED = "push-refused"

_FREEING = (ReleaseTree, TearDown)
"""What takes a tree from a member for good: nothing that is said of the member may be void afterwards."""
_NEVER_BLOCKED = (*TERMINAL_BATCHES, BatchStatus.REPORTED, BatchStatus.DISSOLVING)


class Ticked(Struct, frozen=True, kw_only=True):
    """What a tick came to."""

    plan: Plan
    """The last one: what waits and why, and when to look again."""
    performed_count: int
    fruitless: frozenset[Effect]
    """Effects that changed nothing now and are soon tried again; what waits for a person is not among them."""
    is_away: bool = False
    """The remote that is the authority does not answer: nothing was looked at."""
    troubles: tuple[str, ...]
    """What stood in the way for the moment, a sentence each: a full disk, a lock that somebody holds."""


def tick(desk: Desk, gatherer: Gatherer, guard: Guard, *, may_admit: bool = True) -> Ticked:
    """Do everything that can be done now, and fill every slot that this frees."""
    away = desk.around.store.catch_up()
    if away is not None:
        return _without_the_remote(desk, gatherer, away)
    with desk.around.store.together():
        if desk.around.hosts is not None:
            journal_return(desk)
        return _passes(desk, gatherer, guard, may_admit=may_admit)


def _without_the_remote(desk: Desk, gatherer: Gatherer, away: Unreachable) -> Ticked:
    """Decide nothing, and say so: what runs goes on, and nothing is given up, nor is whoever is not heard now."""
    gatherer.miss()
    if desk.around.hosts is not None:
        desk.around.hosts.miss()
    desk.facts = replace(desk.facts, now=desk.around.clock.now(), remote=away)
    decided = desk.planner.plan(desk.situation(desk.state), desk.around.clock.monotonic_s())
    trouble = f"The remote '{away.what}' does not answer: {away.detail}."
    return Ticked(plan=decided, performed_count=0, fruitless=frozenset(), troubles=(trouble,), is_away=True)


def _passes(desk: Desk, gatherer: Gatherer, guard: Guard, *, may_admit: bool) -> Ticked:
    course = _Course(desk, guard)
    desk.look = None
    for _ in range(PASSES_AT_MOST):
        state = desk.state
        desk.facts = gatherer.look(desk, state, may_admit=may_admit)
        decided = desk.planner.plan(desk.situation(state), desk.around.clock.monotonic_s())
        due = [effect for effect in decided.effects if effect not in course.fruitless and _is_touchable(effect, state)]
        if not due and course.settled() is _Settled.VOID:
            continue
        if not due and course.failures:
            raise course.failures[0]
        if not due or not course.performed(due):
            again = course.fruitless.intersection(decided.effects)
            left = [e for e in again if _is_touchable(e, state) and not waits_for_a_person(state, e)]
            told = tuple(dict.fromkeys(course.troubles))
            return Ticked(plan=decided, performed_count=course.count, fruitless=frozenset(left), troubles=told)
    raise AssertionError(f"a tick made more than {PASSES_AT_MOST} passes")


class _Settled(Enum):
    """What came of what was decided."""

    ACCEPTED = auto()
    VOID = auto()
    """It must be decided again on what is there now."""
    FAILED = auto()
    """It cannot be had now; what stood in the way is told."""


class _Course:
    """What the passes of one tick have come to so far."""

    def __init__(self, desk: Desk, guard: Guard) -> None:
        self._desk = desk
        self._guard = guard
        self.fruitless: set[Effect] = set()
        self.troubles: list[str] = []
        self.failures: list[Exception] = []
        self.count = 0

    def performed(self, due: Sequence[Effect]) -> bool:
        """Perform one effect after the other, as far as it goes; False: what was decided cannot be had now."""
        desk, is_settled = self._desk, False
        for effect in due:
            if isinstance(effect, _FREEING) and not is_settled:
                settled = self.settled()
                if settled is not _Settled.ACCEPTED:
                    return settled is _Settled.VOID
                is_settled = True
            before = desk.around.store.tip
            _perform_one(effect, desk, self._guard, self.troubles, self.failures)
            self.count += 1
            desk.state  # noqa: B018  # catches up, so that `tip` tells whether anything was recorded
            if desk.around.store.tip == before:
                self.fruitless.add(effect)
        return True

    def settled(self) -> _Settled:
        """Have accepted what this tick decided."""
        void: list[bool] = []

        def settle() -> None:
            try:
                self._desk.around.store.settle()
            except (RaceLostError, RemoteRefusedError):  # refused as a whole: decided again one by one, it shows which
                void.append(True)
                sweep(self._desk)  # trees were handed out for what is void

        failure = self._guard(settle)
        if isinstance(failure, TemporaryError):
            self.troubles.append(str(failure))
        elif failure is not None:
            self.failures.append(failure)
        if void:
            return _Settled.VOID
        return _Settled.ACCEPTED if failure is None else _Settled.FAILED


def _is_touchable(effect: Effect, state: State) -> bool:
    return not is_untouchable(state, getattr(effect, "batch", ""))


def _tried(effect: Effect, desk: Desk) -> None:
    """Perform an effect; one that the remote refuses stops its batch in the remote's words."""
    try:
        perform(effect, desk)
    except RaceLostError:
        return  # what it stood on is void: the next pass decides again
    except RemoteRefusedError as refused:
        batch = getattr(effect, "batch", None)
        now = desk.state.batches.get(batch) if batch is not None else None
        if now is None or now.status in _NEVER_BLOCKED:
            raise
        word, detail = LANDING_REFUSED if isinstance(effect, Land) else PUSH_REFUSED, str(refused)
        reason = f"{word}:{refused.words}"
        desk.record(lambda draft: block(draft, now.id, reason, detail))


def _perform_one(effect: Effect, desk: Desk, guard: Guard, troubles: list[str], failures: list[Exception]) -> None:
    """Perform an effect. What stood in the way for the moment is one of the `troubles`.

    What nobody expected stops its batch alone; where there is no batch that could be stopped it is one of the
    `failures`, which end the driver once everything else has had its turn.
    """
    failure = guard(lambda: _tried(effect, desk))
    if failure is None:
        return
    if isinstance(failure, TemporaryError):
        troubles.append(str(failure))
        return
    batch = getattr(effect, "batch", None)
    now = desk.state.batches.get(batch) if batch is not None else None
    if now is None or now.status in _NEVER_BLOCKED:
        failures.append(failure)
        return
    detail = f"{type(effect).__name__}: {type(failure).__name__}: {failure}"
    desk.record(lambda draft: block(draft, now.id, RECONCILE_ERROR, detail))
