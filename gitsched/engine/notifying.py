"""Notifying: whoever asked for it is told of what the journal holds, after it is durable, and at least once.

What has been told is on record, so that any driver goes on where another one ended. A notice that cannot be passed on
stops nothing: it is journaled quietly, tried again after a while, and once more when the driver ends.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.notices import Notice
from gitsched.domain.state import Draft
from gitsched.domain.streaks import Streak
from gitsched.engine.desk import Desk
from gitsched.errors import TemporaryError
from gitsched.policy.notices import notice_of
from gitsched.policy.quiet import listen
from gitsched.view.notices import notice_document

LONGEST_PAUSE_S = 600.0
_CONDITION = "notices"


class Notices:
    """What one driver has still to tell."""

    def __init__(self) -> None:
        """Begin without having looked at the journal."""
        self._looked_at: str | None = None
        self._due: list[tuple[str, tuple[Notice, ...]]] = []
        self._failures = 0
        self._again_s = 0.0
        self._streaks: Mapping[str, Streak] = {}

    def tell(self, desk: Desk, *, is_last: bool = False) -> None:
        """Tell what is new, in its order; `is_last`: now or with the next driver."""
        chosen = desk.current.notify
        if desk.around.notifier is None or not chosen.has_sink:
            return
        with suppress(TemporaryError):  # told with the next tick, or by the next driver
            self._tell(desk, is_last=is_last)

    def _tell(self, desk: Desk, *, is_last: bool) -> None:
        if desk.state.control.notified is None:
            self._begin(desk)
            return
        self._look(desk)
        if self._due and (is_last or desk.around.clock.monotonic_s() >= self._again_s):
            self._send(desk)

    def _begin(self, desk: Desk) -> None:
        """Put on record where notices begin: nobody is told of what was before."""
        tip = desk.around.store.tip

        def intent(draft: Draft) -> None:
            if draft.state.control.notified is None:
                begun = replace(draft.state.control, notified=tip)
                draft.note(EventName.NOTIFIED, "Tell of what happens from here on", begun)

        desk.record(intent)

    def _look(self, desk: Desk) -> None:
        store, now = desk.around.store, desk.around.clock.now()
        since, tip = self._looked_at or desk.state.control.notified, store.tip
        if tip == self._looked_at:
            return
        for entry in reversed(list(store.history(since=since))):
            found = (notice_of(event, self._settings(desk, event.batch), now) for event in entry.events)
            notices = tuple(notice for notice in found if notice is not None)
            if notices:
                self._due.append((entry.commit, notices))
        self._looked_at = tip

    def _settings(self, desk: Desk, batch: str | None) -> Settings:
        """Give the present settings, with the merge mechanism that a batch was sealed with."""
        known = desk.state.batches.get(batch or "")
        return desk.current if known is None else replace(desk.current, ship=desk.settings_of(known).ship)

    def _send(self, desk: Desk) -> None:
        told: list[tuple[str, int]] = []
        trouble: str | None = None
        while self._due and trouble is None:
            commit, notices = self._due[0]
            trouble = next(self._troubles(desk, notices), None)
            if trouble is None:
                told.append((commit, len(notices)))
                del self._due[0]
        self._count(desk, trouble)
        heard = listen(self._streaks, () if trouble is None else (_CONDITION,), desk.around.clock.now())
        self._streaks = heard.streaks

        def intent(draft: Draft) -> None:
            if told:
                count = sum(number for _, number in told)
                sentence = f"Tell of {count} events" if count > 1 else "Tell of an event"
                done = replace(draft.state.control, notified=told[-1][0])
                draft.note(EventName.NOTIFIED, sentence, done, notices=count)
            if heard.told:
                sentence = "A notice could not be passed on; it is tried again"
                streak = heard.streaks[_CONDITION]
                draft.note(EventName.NOTIFY_FAILED, sentence, since=streak.since, ticks=streak.ticks, detail=trouble)

        desk.record(intent)

    def _troubles(self, desk: Desk, notices: tuple[Notice, ...]) -> Iterator[str]:
        assert desk.around.notifier is not None
        for notice in notices:
            trouble = desk.around.notifier.send(msgspec.json.encode(notice_document(notice, desk.state)))
            if trouble is not None:
                yield trouble

    def _count(self, desk: Desk, trouble: str | None) -> None:
        self._failures = 0 if trouble is None else self._failures + 1
        self._again_s = desk.around.clock.monotonic_s() + min(LONGEST_PAUSE_S, 5.0 * 2.0 ** min(self._failures, 10))
