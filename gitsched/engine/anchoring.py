"""Anchoring: one sticky comment per batch that says how it stands, edited in place and never repeated.

It is a picture of the state and no part of it: whoever dies before it is written is followed by somebody who writes it.
What changes often is told at most twice a minute, and what cannot be told now is told with what changes next.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from gitsched.domain.counting import how_many
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import TERMINAL_BATCHES, BatchKind, BatchStatus, MemberStatus
from gitsched.engine.desk import Desk
from gitsched.engine.story import batch_story
from gitsched.errors import GitschedError, TemporaryError
from gitsched.view.comments import anchor_marker, render_anchor, render_status_comment, status_marker
from gitsched.view.words import BATCH_STEPS, sentence_of

PACE_S = 30.0
LEAST = 2
"""A batch of so many members has an issue of its own, where that is asked for."""
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
        if settings.anchor == "none" or (settings.forge == "local" and settings.anchor == "pr"):
            return
        state = desk.state
        for batch in state.batches_in_order():
            if self._told.get(batch.id) == (batch, state.members_of(batch)) or not self._is_due(desk, batch):
                continue
            try:
                self._tell(desk, batch, waits, may_open=settings.anchor == "issue")
            except TemporaryError:
                continue
            except GitschedError:  # gone, locked, or refused for good: it is not tried again until the batch changes
                self._told[batch.id] = (batch, state.members_of(batch))

    def _tell(self, desk: Desk, batch: Batch, waits: Mapping[int, Sequence[str]], *, may_open: bool) -> None:
        batch = _anchored(desk, batch) if may_open else batch
        place, members = anchor_of(batch), desk.state.members_of(batch)
        if place is None:
            return
        desk.around.forge.comment(place, _body(desk, batch, waits), status_marker(batch.id))
        if batch.anchor is not None and batch.status in TERMINAL_BATCHES and not _unproven(members):
            desk.around.forge.close_issue(place)
        self._told[batch.id] = (batch, members)
        self._at_s[batch.id] = desk.around.clock.monotonic_s()

    def _is_due(self, desk: Desk, batch: Batch) -> bool:
        if batch.id not in self._told and batch.status in TERMINAL_BATCHES and desk.is_past(batch.updated_at, RECENT_S):
            return False
        is_over = batch.status in TERMINAL_BATCHES or batch.status is BatchStatus.BLOCKED
        at_s = self._at_s.get(batch.id)
        return is_over or at_s is None or desk.around.clock.monotonic_s() - at_s >= PACE_S


def _anchored(desk: Desk, batch: Batch) -> Batch:
    """Give a batch of several members an issue of its own, once it has begun; one that has ended gets none."""
    is_due = batch.status is not BatchStatus.FORMING and batch.status not in TERMINAL_BATCHES
    if batch.anchor is not None or batch.kind is BatchKind.SOLO or len(batch.members) < LEAST or not is_due:
        return batch
    title = f"Batch {batch.id}: {how_many(len(batch.members), 'issue')}"
    number = desk.around.forge.open_issue(title, render_anchor(batch), anchor_marker(batch.id))

    def intent(draft: Draft) -> None:
        now = draft.state.batches[batch.id]
        if now.anchor is None:
            followed = replace(now, anchor=str(number))
            draft.note(EventName.PROGRESS, f"Follow {batch.id} in issue {number}", followed, batch=batch.id)

    desk.record(intent)
    return desk.state.batches[batch.id]


def _unproven(members: tuple[Member, ...]) -> list[Member]:
    """List the members that are not seen to have shipped."""
    return [member for member in members if member.status is not MemberStatus.SHIPPED]


def anchor_of(batch: Batch) -> int | None:
    """Name where a batch's comment stands: its own issue or its pull request; a solo's is on the issue that it works.

    None: there is no such place yet.
    """
    if batch.anchor is not None:
        return int(batch.anchor)
    if batch.kind is BatchKind.SOLO:
        return batch.members[0].issue if batch.members else None
    return batch.pr.number if batch.pr is not None else None


def _body(desk: Desk, batch: Batch, waits: Mapping[int, Sequence[str]]) -> str:
    around = desk.around
    story = batch_story(around.store, around.lander, batch, desk.settings_of(batch))
    left = _unproven(desk.state.members_of(batch)) if batch.anchor and batch.status in TERMINAL_BATCHES else []
    if left:
        which = ", ".join(str(member.issue) for member in left)
        told = f"this stays open, for it did not ship all: `gitsched requeue` has {which} done again"
        return render_status_comment(story, waits, told)
    if batch.reason is not None:
        return render_status_comment(story, waits, sentence_of(batch.reason))
    names = {"batch": batch.id, "unit": batch.id, "pr": str(batch.pr.number) if batch.pr is not None else ""}
    return render_status_comment(story, waits, BATCH_STEPS.get(batch.status, _GOES_ON).format(**names))
