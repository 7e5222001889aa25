"""Watching: what follows from the forge's word on an open pull request."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.forge import CheckSeen, PullRequestView
from gitsched.domain.records import Batch
from gitsched.domain.ship_effects import Await, MakeReady, MeetTarget, NoteParked, Park, TakeRedCheck
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, PullRequestState
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.perform.splitting import CONFLICTS_AGAIN
from gitsched.engine.standing import target_of
from gitsched.policy.halves import halves, is_to_be_split
from gitsched.policy.situation import landed

REBASES_AT_MOST = 10
"""A target that moves faster than the suite runs is a person's business."""


def park(effect: Park, desk: Desk) -> None:
    """Ask the forge to merge by itself, and record that it was asked."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.AWAITING_MERGE or batch.pr is None or batch.pr.parked_at is not None:
        return
    ship, number = desk.settings_of(batch).ship, batch.pr.number
    desk.around.forge.park(number, batch.pr.head, ship.merge_by, ship.method)

    def intent(draft: Draft) -> None:
        now = _waiting(draft, effect.batch)
        if now is None or now.pr is None or now.pr.parked_at is not None:
            return
        parked = replace(now, pr=replace(now.pr, parked_at=draft.at), reason=None)
        sentence = f"Leave pull request {number} of {now.id} to '{ship.merge}'"
        draft.note(EventName.PR_PARKED, sentence, parked, batch=now.id, pr=number, mechanism=ship.merge)

    desk.record(intent)


def note_parked(effect: NoteParked, desk: Desk) -> None:
    """Record since when nothing merges a parked pull request, or that something does again."""

    def intent(draft: Draft) -> None:
        now = _waiting(draft, effect.batch)
        if now is None or now.pr is None or (now.pr.lost_at is not None) is effect.is_lost:
            return
        seen = replace(now, pr=replace(now.pr, lost_at=draft.at if effect.is_lost else None))
        verb = "has lost what was to merge it" if effect.is_lost else "has what merges it again"
        sentence = f"Pull request {now.pr.number} of {now.id} {verb}"
        draft.note(EventName.PR_WATCH_WAITING, sentence, seen, batch=now.id, reason="parked", lost=effect.is_lost)

    desk.record(intent)


def make_ready(effect: MakeReady, desk: Desk) -> None:
    """Take the pull request out of its draft."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.AWAITING_MERGE or batch.pr is None:
        return
    desk.around.forge.make_ready(batch.pr.number)

    def intent(draft: Draft) -> None:
        now = _waiting(draft, effect.batch)
        if now is None or now.pr is None or now.pr.state is not PullRequestState.DRAFT:
            return
        ready = replace(now, pr=replace(now.pr, state=PullRequestState.OPEN), reason=None)
        sentence = f"Pull request {now.pr.number} of {now.id} is ready: its checks are green"
        draft.note(EventName.PR_READY, sentence, ready, batch=now.id, pr=now.pr.number)

    desk.record(intent)


def meet_forge_target(effect: MeetTarget, desk: Desk) -> None:
    """Send a batch that the forge cannot merge as it stands through rebasing."""
    batch = desk.state.batches[effect.batch]
    found = target_of(desk, batch)
    desk.record(lambda draft: meet_target(draft, effect.batch, found or "", conflicts=effect.conflicts))


def meet_target(draft: Draft, batch: str, found: str, *, conflicts: bool = False) -> None:
    """Begin to rebase onto the target where it is now; too often is a person's business.

    One that conflicts again is to be cut in two; what is one piece is a person's business too.
    """
    now = _waiting(draft, batch)
    if now is None:
        return
    met = now.conflicts_met + (1 if conflicts else 0)
    is_split = conflicts and is_to_be_split(replace(now, conflicts_met=met))
    if is_split and halves(now, landed(draft.state.members_of(now))) is None:
        block(draft, batch, CONFLICTS_AGAIN, "it conflicts with its target for the second time, and is one piece")
        return
    if not is_split and now.rebase_attempts >= REBASES_AT_MOST:
        block(draft, batch, "rebase-cap")
        return
    moved = replace(
        now,
        status=BatchStatus.REBASING,
        reason=None,
        conflicts_met=met,
        updated_at=draft.at,
    )
    sentence = f"{now.target} has moved to {found[:12]} under {now.id}"
    draft.note(EventName.REBASING, sentence, moved, batch=now.id, target=found)


def take_red_check(effect: TakeRedCheck, desk: Desk) -> None:
    """Take the failing tests that a required check names for those of a red suite."""
    seen = desk.facts.requests.get(effect.batch)
    checks = seen.standing.checks if isinstance(seen, PullRequestView) and seen.standing is not None else ()
    cases = _cases(checks, effect.check)

    def intent(draft: Draft) -> None:
        now = _waiting(draft, effect.batch)
        if now is None or not cases:
            return
        red = replace(now, status=BatchStatus.ATTRIBUTING, failing=cases[:50], reason=None, updated_at=draft.at)
        names = [name for _, _, name in cases]
        sentence = f"The required check {effect.check} of {now.id} is red: {', '.join(names[:3])}"[:200]
        draft.note(EventName.SUITE_FAILED, sentence, red, batch=now.id, failing=names[:50], check=effect.check)

    desk.record(intent)


def _cases(checks: tuple[CheckSeen, ...], name: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(dict.fromkeys(case for check in checks if check.name == name for case in check.tests))


def await_effect(effect: Await, desk: Desk) -> None:
    """Record what the pull request waits for."""
    desk.record(lambda draft: await_forge(draft, effect.batch, effect.reason, effect.reason or "nothing with a name"))


def await_forge(draft: Draft, batch: str, reason: str | None, told: str) -> None:
    """Write down what an open pull request waits for, once."""
    now = _waiting(draft, batch)
    if now is None or now.reason == reason:
        return
    waiting = replace(now, reason=reason)
    sentence = f"Pull request of {now.id} waits: {told}"[:300]
    draft.note(EventName.PR_WATCH_WAITING, sentence, waiting, batch=now.id, reason=reason, detail=told)


def _waiting(draft: Draft, batch: str) -> Batch | None:
    now = draft.state.batches.get(batch)
    return now if now is not None and now.status is BatchStatus.AWAITING_MERGE else None
