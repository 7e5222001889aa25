"""Lasting conditions: what could not be asked is journaled quietly, and once more when it can be asked again.

Where nothing of the kind lasts, nothing is written anywhere.
"""

from collections.abc import Iterator

from gitsched.domain.events import EventName
from gitsched.domain.facts import Facts
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import Draft
from gitsched.domain.streaks import Streak
from gitsched.domain.words import BatchStatus
from gitsched.engine.desk import Desk
from gitsched.policy.quiet import listen
from gitsched.policy.ship import UNTIMED

_LABELS = "labels"
"""The one condition that is journaled while it lasts: labels are asked for before anything is started."""
_REQUEST = "pull request of "
_MERGE_TIME = "merge time of "
"""What a forge that says merged does not tell: its first tick is journaled by whoever watches the request."""
_REMOTE = "remote"


def count_absence(desk: Desk) -> None:
    """Count one more time that the remote did not answer; the journal is told once it does."""
    memory = desk.around.streaks
    known, now = memory.read(), desk.around.clock.now()
    before = known.get(_REMOTE, Streak(now, 0))
    memory.write({**known, _REMOTE: Streak(before.since, before.ticks + 1)})


def journal_return(desk: Desk) -> None:
    """Journal for how long the remote did not answer, before anything is done on what it says now."""
    memory = desk.around.streaks
    known = dict(memory.read())
    absence = known.pop(_REMOTE, None)
    if absence is None:
        return
    memory.write(known)
    desk.record(lambda draft: _note_over(draft, _REMOTE, absence, draft.at))


def journal_lasting(desk: Desk) -> None:
    """Journal what this tick could not ask, and what it could ask again."""
    memory, facts = desk.around.streaks, desk.facts
    before, present = memory.read(), {**dict(_unasked(facts)), **dict(_untold(desk))}
    if not before and not present:
        return
    heard = listen(before, present, facts.now)
    memory.write(heard.streaks)

    def intent(draft: Draft) -> None:
        if _LABELS in heard.told:
            streak, why = heard.streaks[_LABELS], present[_LABELS]
            sentence = "Labels could not be read: nothing is decided on them"
            draft.note(EventName.LABEL_CHECK_FAILED, sentence, since=streak.since, ticks=streak.ticks, detail=why)
        for name in heard.told:
            if name.startswith(_MERGE_TIME) and heard.streaks[name].ticks > 1:
                _note_untold(draft, name.removeprefix(_MERGE_TIME), heard.streaks[name])
        for name, streak in heard.over.items():
            if not name.startswith(_MERGE_TIME):
                _note_over(draft, name, streak, facts.now)

    desk.record(intent)


def _note_over(draft: Draft, name: str, streak: Streak, now: str) -> None:
    batch = name.removeprefix(_REQUEST) if name.startswith(_REQUEST) else None
    asked = "The remote did not answer" if name == _REMOTE else f"The forge could not be asked for the {name}"
    sentence = f"{asked} since {streak.since}; it does again"
    draft.note(EventName.GROUND_TRUTH_UNREACHABLE, sentence, batch=batch, what=name, since=streak.since, until=now)


def _note_untold(draft: Draft, batch: str, streak: Streak) -> None:
    draft.note(
        EventName.PR_WATCH_WAITING,
        f"Pull request of {batch} still waits for its merge time",
        batch=batch,
        reason=UNTIMED,
        since=streak.since,
        ticks=streak.ticks,
    )


def _untold(desk: Desk) -> Iterator[tuple[str, str]]:
    for batch in desk.state.batches.values():
        if batch.status is BatchStatus.AWAITING_MERGE and batch.reason == UNTIMED:
            yield f"{_MERGE_TIME}{batch.id}", UNTIMED


def _unasked(facts: Facts) -> Iterator[tuple[str, str]]:
    """Name what could not be asked, with why."""
    if isinstance(facts.issues, Unreachable):
        yield _LABELS, f"{facts.issues.what}: {facts.issues.detail}"
    for batch, request in facts.requests.items():
        if isinstance(request, Unreachable):
            yield f"{_REQUEST}{batch}", f"{request.what}: {request.detail}"
    for batch, rollout in facts.rollouts.items():
        if isinstance(rollout, Unreachable):
            yield f"deployment of {batch}", f"{rollout.what}: {rollout.detail}"
