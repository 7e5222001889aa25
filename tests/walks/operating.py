"""What operators do, each as one verb on a town."""

from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from gitsched.domain.effects import Merge
from gitsched.domain.schedules import Harvest, Misfire, Overrun
from gitsched.domain.words import BatchStatus
from gitsched.engine.claiming import claim, release
from gitsched.engine.intake.booking import (
    Booking,
    add_schedule,
    approve_schedule,
    cancel_schedule,
    resume_schedule,
    schedule_named,
)
from gitsched.engine.intake.capacity import change_slots
from gitsched.engine.intake.ending import AbandonRequest, StopRequest, abandon, stop
from gitsched.engine.intake.evicting import EvictRequest, evict_member
from gitsched.engine.intake.harvesting import discard, harvest
from gitsched.engine.intake.holding import HoldRequest, UnholdRequest, hold, unhold
from gitsched.engine.intake.issues import read_issues
from gitsched.engine.intake.ordering import OrderRequest, order
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.engine.intake.priority import PriorityRequest, reprioritize
from gitsched.engine.intake.requeueing import RequeueRequest, requeue
from gitsched.engine.intake.resuming import ResumeRequest, resume
from gitsched.engine.intake.sealing import SealRequest, seal
from gitsched.engine.intake.undo import undo
from gitsched.engine.packet import issues_in, packet_of
from gitsched.engine.perform.table import perform
from gitsched.errors import RefusedError
from tests.walks.town import PERSON, Town


class Pick(Struct, frozen=True):
    """What a verb is about, as far as it asks."""

    issue: int
    which: int
    """Of the batches or schedules that there are."""
    flag: bool

    def batch(self, town: Town) -> str:
        """Name a batch."""
        batches = sorted(town.state.batches)
        return batches[self.which % len(batches)] if batches else "b1"

    def schedule(self, town: Town) -> str:
        """Name a schedule."""
        schedules = sorted(town.state.schedules)
        return schedules[self.which % len(schedules)] if schedules else "s1"


def _merge(town: Town, pick: Pick) -> None:
    batch = town.state.batches.get(pick.batch(town))
    if batch is not None and batch.status is BatchStatus.AWAITING_MERGE:
        with town.desk() as desk:
            perform(Merge(batch.id), desk)


def _claim(town: Town, pick: Pick) -> None:
    with town.desk() as desk, suppress(RefusedError):  # a batch may have been started for it
        claim(desk, str(pick.issue), PERSON)


def _book(town: Town, pick: Pick) -> None:
    unit = str(pick.issue) if pick.flag else pick.batch(town)
    booking = Booking(
        units=(unit,),
        window=("22:00-06:00", "08:00-12:00")[pick.which % 2],
        zone="UTC",
        overrun=(None, *Overrun)[pick.which % (1 + len(Overrun))],
        misfire=tuple(Misfire)[pick.which % len(Misfire)],
        harvest=tuple(Harvest)[pick.which % len(Harvest)],
        needs_approval=pick.which > 5,
    )
    add_schedule(town.clone.store, town.opened().situation(), booking, PERSON)


def _approve(town: Town, pick: Pick) -> None:
    situation, name = town.opened().situation(), pick.schedule(town)
    schedule = schedule_named(situation.state, name)
    texts = read_issues(town.clone.forge, issues_in(situation.state, schedule))
    token = packet_of(situation, schedule, town.clone.refs, texts).token
    approve_schedule(town.clone.store, situation, town.clone.refs, texts, (name, token), PERSON)


def _request(town: Town, pick: Pick) -> int | None:
    batch = town.state.batches.get(pick.batch(town))
    return batch.pr.number if batch is not None and batch.pr is not None else None


def _close_request(town: Town, pick: Pick) -> None:
    number = _request(town, pick)
    if number is not None and pick.flag:
        town.tracker.close(number)
    elif number is not None:
        town.tracker.reopen(number)


def _reorder(town: Town, pick: Pick) -> None:
    batch = town.state.batches.get(pick.batch(town))
    issues = [slot.issue for slot in batch.members] if batch is not None else [1]
    order(town.clone.store, OrderRequest(pick.batch(town), tuple(reversed(issues))), PERSON)


VERBS: dict[str, Callable[[Town, Pick], object]] = {
    "pause": lambda town, _: pause(town.clone.store, PauseRequest(), PERSON),
    "unpause": lambda town, _: resume_scheduler(town.clone.store, PERSON),
    "requeue": lambda town, pick: requeue(
        town.clone.store, town.clone.settings, RequeueRequest(issue=str(pick.issue)), PERSON
    ),
    "requeue into": lambda town, pick: requeue(
        town.clone.store, town.clone.settings, RequeueRequest(issue=str(pick.issue), into=pick.batch(town)), PERSON
    ),
    "stop issue": lambda town, pick: stop(town.clone.store, StopRequest(str(pick.issue)), PERSON),
    "stop batch": lambda town, pick: stop(town.clone.store, StopRequest(pick.batch(town)), PERSON),
    "abandon": lambda town, pick: abandon(town.clone.store, AbandonRequest(pick.batch(town), pick.flag), PERSON),
    "resume batch": lambda town, pick: resume(
        town.clone.store, town.clone.settings, ResumeRequest(pick.batch(town), reload=pick.flag), PERSON
    ),
    "resume issue": lambda town, pick: resume(
        town.clone.store, town.clone.settings, ResumeRequest(str(pick.issue)), PERSON
    ),
    "seal": lambda town, pick: seal(town.clone.store, town.clone.settings, SealRequest(pick.batch(town)), PERSON),
    "hold": lambda town, pick: hold(town.clone.store, HoldRequest(str(pick.issue)), PERSON),
    "unhold": lambda town, pick: unhold(town.clone.store, UnholdRequest(str(pick.issue)), PERSON),
    "evict": lambda town, pick: evict_member(town.clone.store, EvictRequest(str(pick.issue)), PERSON),
    "slots": lambda town, pick: change_slots(town.clone.store, 1 + pick.which % 4, PERSON),
    "reprioritize": lambda town, pick: reprioritize(
        town.clone.store, PriorityRequest(str(pick.issue), pick.which), PERSON
    ),
    "reorder": _reorder,
    "undo": lambda town, _: undo(town.clone.store, PERSON),
    "claim": _claim,
    "release": lambda town, pick: release(town.clone.store, str(pick.issue), PERSON),
    "merge": _merge,
    "close request": _close_request,
    "book": _book,
    "approve": _approve,
    "cancel": lambda town, pick: cancel_schedule(town.clone.store, pick.schedule(town), PERSON),
    "resume schedule": lambda town, pick: resume_schedule(town.clone.store, pick.schedule(town), PERSON),
    "harvest": lambda town, _: harvest(town.clone.store, (), PERSON),
    "discard": lambda town, pick: discard(town.clone.store, town.clone.refs, pick.batch(town), PERSON),
    "label": lambda town, pick: town.tracker.edit_issue(pick.issue, add_labels=["epic"]),
    "unlabel": lambda town, pick: town.tracker.edit_issue(pick.issue, remove_labels=["epic"]),
    "close": lambda town, pick: town.tracker.close(pick.issue, as_not_planned=pick.flag),
    "reopen": lambda town, pick: town.tracker.reopen(pick.issue),
}
"""By name, as a walk draws them."""
