"""Watch: what an open pull request needs next, by what the forge says of it.

1. A head that somebody else moved comes before everything: it is neither overwritten nor merged unseen.
2. The pull request is rebased only where the forge says that it conflicts or must be up to date.
3. A required check that is red decides at once; one that never started is told apart from one that runs. The tests
   that it names are searched once for a head: where they pass here and fail there, a person is needed.
4. Of checks with one name a red one decides, else an open one is waited for, else a pass stands before a skip.
5. What was to merge it is gone only when the forge says so for ten minutes; what it does not tell counts for nothing.
6. An approval counts only for the head that it was given to.

See docs/how-to/github.md, "When it waits".
"""

from collections.abc import Iterator, Mapping
from enum import IntEnum

from gitsched.config.settings import Settings
from gitsched.domain.effects import Block, Effect, Merge
from gitsched.domain.forge import CheckSeen, PullRequestView, Standing
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.merging import MergeBy
from gitsched.domain.records import Batch
from gitsched.domain.ship_effects import Await, MakeReady, MeetTarget, NoteParked, Park, TakeRedCheck
from gitsched.domain.verdicts import Verdict
from gitsched.domain.words import PullRequestState
from gitsched.policy.consequence import CONCLUSIONS, CheckAction, conclusion_of
from gitsched.policy.harvest import mechanism_of
from gitsched.policy.ship import NO_MECHANISM
from gitsched.policy.situation import Situation, basis_of

LOST_S = 600.0
"""For how long a parked request may be without what was to merge it."""
_RED = (Verdict.FAILED, Verdict.BROKEN, Verdict.TIMED_OUT)


class Light(IntEnum):
    """What one required check comes to, the decisive one first."""

    RED = 0
    PERSON = 1
    OPEN = 2
    GREEN = 3
    SKIPPED = 4


_WORDS = {
    Light.RED: "checks-red",
    Light.PERSON: "check-waits",
    Light.OPEN: "check-pending",
    Light.SKIPPED: "check-skipped",
}
"""Reason words of what is not green."""


def open_steps(situation: Situation, batch: Batch, request: PullRequestView) -> Iterator[Effect]:
    """Name the next step of a pull request that is open."""
    standing = request.standing
    basis = basis_of(batch, situation.state.members_of(batch))
    if batch.pr is not None and request.head != batch.pr.head:
        detail = f"its head is {request.head}, and {batch.pr.head} was published"
        yield Block(batch.id, "pr-head-moved", basis, detail)
    elif standing is None:
        if mechanism_of(situation, batch).mechanism.is_ours:
            yield Merge(batch.id)
    elif standing.conflicts or standing.is_behind:
        yield MeetTarget(batch.id, conflicts=bool(standing.conflicts))
    else:
        yield from _checked_steps(situation, batch, request, standing)


def _checked_steps(
    situation: Situation, batch: Batch, request: PullRequestView, standing: Standing
) -> Iterator[Effect]:
    basis = basis_of(batch, situation.state.members_of(batch))
    lights = {name: light_of(standing.checks, name) for name in standing.required}
    red = next((name for name, light in lights.items() if light is Light.RED), None)
    absent = _absent(standing, situation.settings_of(batch), situation.facts.now)
    if red is not None:
        named = any(check.tests for check in standing.checks if check.name == red)
        if named and not _is_judged_again(batch, request.head):
            yield TakeRedCheck(batch.id, red)
        else:
            yield Block(batch.id, f"checks-red:{red}", basis)
    elif absent is not None:
        told = ", ".join(sorted({check.name for check in standing.checks})) or "none"
        yield Block(batch.id, f"check-missing:{absent}", basis, f"it has not started; checks that reported: {told}")
    elif request.state is PullRequestState.DRAFT:
        yield from _draft_steps(batch, lights)
    else:
        yield from _mechanism_steps(situation, batch, request, lights)


def _is_judged_again(batch: Batch, head: str) -> bool:
    """Say whether the suite has had more than one say on a head: that a check is red tells it nothing new then."""
    return sum(run.commit == head for run in batch.suite) > 1


def _draft_steps(batch: Batch, lights: Mapping[str, Light]) -> Iterator[Effect]:
    reason = _waits(lights)
    if reason is None:
        yield MakeReady(batch.id)
    else:
        yield from _await(batch, reason)


def light_of(checks: tuple[CheckSeen, ...], name: str) -> Light:
    """Say what the checks of one name come to together, in whatever order they are told; none is still open."""
    return min((_light(check) for check in checks if check.name == name), default=Light.OPEN)


def _light(check: CheckSeen) -> Light:
    meaning = CONCLUSIONS[conclusion_of(check.word)]
    if meaning.action is CheckAction.WAIT:
        return Light.OPEN
    if meaning.verdict in _RED:
        return Light.RED
    if meaning.verdict is Verdict.PASSED:
        return Light.GREEN
    return Light.SKIPPED if meaning.verdict is Verdict.SKIPPED else Light.PERSON


def _waits(lights: Mapping[str, Light]) -> str | None:
    """Name the check that is waited for; None when all that are required have passed."""
    for name, light in lights.items():
        if light is not Light.GREEN:
            return f"{_WORDS[light]}:{name}"
    return None


def _absent(standing: Standing, settings: Settings, now: Instant) -> str | None:
    """Name a required check that should have started by now and did not."""
    if standing.published_at is None or seconds_between(standing.published_at, now) < settings.watch.check_start_s:
        return None
    seen = {check.name for check in standing.checks}
    return next((name for name in standing.required if name not in seen), None)


def _mechanism_steps(
    situation: Situation, batch: Batch, request: PullRequestView, lights: Mapping[str, Light]
) -> Iterator[Effect]:
    by = mechanism_of(situation, batch)
    waits = _waits(lights) or _approval(request.standing or Standing())
    if by.mechanism.is_the_forges:
        yield from _parked_steps(situation, batch, request, by)
    elif by.mechanism.is_ours and waits is None:
        yield Merge(batch.id)
    else:
        yield from _await(batch, waits)


def _approval(standing: Standing) -> str | None:
    """Say that an approval of this very head is missing, where the rules want one."""
    if not standing.needs_approval:
        return None
    at, since = standing.approved_at, standing.published_at
    return None if at is not None and (since is None or at >= since) else "approval-missing"


def _parked_steps(situation: Situation, batch: Batch, request: PullRequestView, by: MergeBy) -> Iterator[Effect]:
    record, standing = batch.pr, request.standing or Standing()
    if record is None or record.parked_at is None:
        yield Park(batch.id)
        return
    stands = by.label in request.labels if by.mechanism.traits.has_label else standing.is_parked
    if stands is False and record.lost_at is None:
        yield NoteParked(batch.id, is_lost=True)
    elif stands is True and record.lost_at is not None:
        yield NoteParked(batch.id, is_lost=False)
    elif record.lost_at is not None and seconds_between(record.lost_at, situation.facts.now) >= LOST_S:
        basis = basis_of(batch, situation.state.members_of(batch))
        yield Block(batch.id, NO_MECHANISM, basis, f"nothing of '{by}' has stood there for ten minutes")


def _await(batch: Batch, reason: str | None) -> Iterator[Effect]:
    if batch.reason != reason:
        yield Await(batch.id, reason)
