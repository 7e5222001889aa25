"""Anchoring: one sticky comment per batch that says how it stands, edited in place and never repeated.

It is a picture of the state and no part of it: whoever dies before it is written is followed by somebody who writes it.
What changes often is told at most twice a minute, and what cannot be told now is told with what changes next.
"""

from collections.abc import Mapping, Sequence

from gitsched.domain.records import Batch, Member
from gitsched.domain.words import TERMINAL_BATCHES, BatchKind, BatchStatus
from gitsched.engine.desk import Desk
from gitsched.engine.story import batch_story
from gitsched.errors import RefusedError, TemporaryError
from gitsched.view.comments import render_status_comment, status_marker
from gitsched.view.words import BATCH_STEPS, sentence_of

PACE_S = 30.0
RECENT_S = 600.0
"""A batch that ended longer ago, under another driver, is not told again."""
_GOES_ON = "It goes on by itself."


class Anchors:
    """What one driver has told of each batch."""

    def __init__(self) -> None:
        """Begin without any memory."""
        self._told: dict[str, tuple[Batch, tuple[Member, ...]]] = {}
        self._at_s: dict[str, float] = {}

    def tell(self, desk: Desk, waits: Mapping[int, Sequence[str]]) -> None:
        """Write down how each batch stands that has changed, where there is a place for it."""
        settings = desk.current.project
        if settings.forge == "local" or settings.anchor == "none":
            return
        state = desk.state
        for batch in state.batches_in_order():
            seen = (batch, state.members_of(batch))
            place = place_of(batch)
            if place is None or self._told.get(batch.id) == seen or not self._is_due(desk, batch):
                continue
            try:
                desk.around.forge.comment(place, _body(desk, batch, waits), status_marker(batch.id))
            except (TemporaryError, RefusedError):
                continue
            self._told[batch.id] = seen
            self._at_s[batch.id] = desk.around.clock.monotonic_s()

    def _is_due(self, desk: Desk, batch: Batch) -> bool:
        if batch.id not in self._told and batch.status in TERMINAL_BATCHES and desk.is_past(batch.updated_at, RECENT_S):
            return False
        is_over = batch.status in TERMINAL_BATCHES or batch.status is BatchStatus.BLOCKED
        at_s = self._at_s.get(batch.id)
        return is_over or at_s is None or desk.around.clock.monotonic_s() - at_s >= PACE_S


def place_of(batch: Batch) -> int | None:
    """Name where a batch's comment stands: its pull request; a solo's own issue. None: there is no such place yet."""
    if batch.kind is BatchKind.SOLO:
        return batch.members[0].issue if batch.members else None
    return batch.pr.number if batch.pr is not None else None


def _body(desk: Desk, batch: Batch, waits: Mapping[int, Sequence[str]]) -> str:
    around = desk.around
    story = batch_story(around.store, around.lander, batch, desk.settings_of(batch))
    if batch.reason is not None:
        return render_status_comment(story, waits, sentence_of(batch.reason))
    names = {"batch": batch.id, "unit": batch.id, "pr": str(batch.pr.number) if batch.pr is not None else ""}
    return render_status_comment(story, waits, BATCH_STEPS.get(batch.status, _GOES_ON).format(**names))
