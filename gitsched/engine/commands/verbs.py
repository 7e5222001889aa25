"""What each verb of a comment does: the same intake as the command line's."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from gitsched.domain.commands import CommandVerb
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry, Schedule
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus
from gitsched.engine.commands.grammar import GRAMMAR, Command, Names
from gitsched.engine.commands.office import Office
from gitsched.engine.intake import values
from gitsched.engine.intake.booking import approve_schedule, schedule_with_token
from gitsched.engine.intake.ending import AbandonRequest, StopRequest, abandon, stop
from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue
from gitsched.engine.intake.evicting import EvictRequest, evict_member
from gitsched.engine.intake.holding import HoldRequest, UnholdRequest, hold, unhold
from gitsched.engine.intake.issues import read_issues
from gitsched.engine.intake.names import BatchUnit, unit_of
from gitsched.engine.intake.ordering import OrderRequest, order
from gitsched.engine.intake.pausing import PauseRequest, pause, resume_scheduler
from gitsched.engine.intake.priority import PriorityRequest, reprioritize
from gitsched.engine.intake.requeueing import RequeueRequest, requeue
from gitsched.engine.intake.resuming import ResumeRequest, resume
from gitsched.engine.intake.sealing import SealRequest, seal
from gitsched.engine.intake.undo import undo
from gitsched.engine.packet import issues_in
from gitsched.errors import GitschedError, RefusedError
from gitsched.policy.commands import batch_of_unit, is_current, needed_role, unit_of_number
from gitsched.ports.store import Store
from gitsched.view.commands import HelpRow, render_help, render_refusal
from gitsched.view.markdown import escaped, fenced
from gitsched.view.screen import render_screen
from gitsched.view.status import status_document
from gitsched.view.table import Look
from gitsched.view.why import render_why, why

_LONGEST_TEXT = 20_000


class Said(Struct, frozen=True, kw_only=True):
    """A command, the issue or pull request that it stands on, and who gave it."""

    command: Command
    number: int
    actor: str

    def unit(self, state: State) -> str:
        """Name what it is about: what it names, else what it stands on."""
        beside = 1 if GRAMMAR[self.command.verb].names is Names.UNIT_AND_NUMBER else 0
        named = self.command.names[: len(self.command.names) - beside]
        return named[0].removeprefix("#") if named else unit_of_number(state, self.number)

    def batch(self, state: State) -> Batch:
        """Find the batch that it is about. Raises RefusedError where there is none."""
        unit = self.unit(state)
        found = batch_of_unit(state, unit)
        if found is None:
            asked, against = f"'{self.command.verb}' was asked of {unit}.", "There is no batch of it."
            raise RefusedError(asked, against, f"`gitsched why {unit}` tells where it is.")
        return found

    def check_binding(self, state: State) -> None:
        """Raise RefusedError where the command is bound to what its author saw, and that is no more."""
        at = self.command.at
        if at is None:
            return
        batch = self.batch(state)
        if not is_current(batch, at):
            words = [word for word in self.command.text.split() if not word.startswith("at=")]
            again = " ".join([*words, f"at={batch.generation}"])
            against = f"{batch.id} is at generation {batch.generation} by now."
            raise RefusedError(f"It was meant for {at}.", against, f"`gitsched {again}` confirms it for that.")


class Undone(Struct, frozen=True):
    """What stood against a command after its transaction was written, in Markdown."""

    told: str


Run = Callable[[Office, Store, Said], object]
"""Does what was said, by one transaction of the given store."""
Answer = Callable[[Office, Said], str]


def _enqueue(office: Office, store: Store, said: Said) -> object:
    options = said.command.options
    issues = tuple(values.issue_number(name) for name in said.command.names) or (said.number,)
    request = EnqueueRequest(
        issues=issues,
        batch=options.get("batch"),
        priority=options.get("priority"),
        deps=options.get("after", ()),
        files=options.get("files", ()),
        tier=options.get("tier"),
    )
    return enqueue(store, office.forge, office.settings, request, said.actor)


def _start(office: Office, store: Store, said: Said) -> object:
    return seal(store, office.settings, SealRequest(said.batch(store.read()).id), said.actor)


def _order(_office: Office, store: Store, said: Said) -> object:
    names = said.command.names
    named = [name for name in names if name.startswith("#") or name.isdigit()]
    request = OrderRequest(said.batch(store.read()).id, tuple(values.issue_number(name) for name in named))
    return order(store, request, said.actor)


def _pause(_office: Office, store: Store, said: Said) -> object:
    return pause(store, PauseRequest(), said.actor)


def _resume(office: Office, store: Store, said: Said) -> object:
    if not said.command.names and said.command.at is None:
        return resume_scheduler(store, said.actor)
    return resume(store, office.settings, ResumeRequest(said.unit(store.read())), said.actor)


def _stop(_office: Office, store: Store, said: Said) -> object:
    return stop(store, StopRequest(said.unit(store.read())), said.actor)


def _abandon(_office: Office, store: Store, said: Said) -> object:
    return abandon(store, AbandonRequest(said.batch(store.read()).id), said.actor)


def _requeue(office: Office, store: Store, said: Said) -> object:
    options = said.command.options
    request = RequeueRequest(issue=said.unit(store.read()), into=options.get("into"), allow=options.get("allow", ()))
    return requeue(store, office.settings, request, said.actor)


def _evict(_office: Office, store: Store, said: Said) -> object:
    return evict_member(store, EvictRequest(said.unit(store.read())), said.actor)


def _hold(_office: Office, store: Store, said: Said) -> object:
    return hold(store, HoldRequest(said.unit(store.read())), said.actor)


def _unhold(_office: Office, store: Store, said: Said) -> object:
    return unhold(store, UnholdRequest(said.unit(store.read())), said.actor)


def _priority(_office: Office, store: Store, said: Said) -> object:
    request = PriorityRequest(said.unit(store.read()), values.priority_of(said.command.names[-1]))
    return reprioritize(store, request, said.actor)


def _approve(office: Office, store: Store, said: Said) -> object:
    situation, token = office.situation(), said.command.names[0]
    numbers = {issue for row in situation.state.schedules.values() for issue in issues_in(situation.state, row)}
    texts = read_issues(office.forge, sorted(numbers))
    named = schedule_with_token(situation, office.refs, texts, token)
    return approve_schedule(store, situation, office.refs, texts, (named, token), said.actor)


def _approved(draft: Draft) -> str:
    approved = next(row for row in draft.changed.values() if isinstance(row, Schedule))
    return f"{approved.id} is approved; it opens at {approved.opens_at}."


def _undo(_office: Office, store: Store, said: Said) -> object:
    return undo(store, said.actor)


def _undone(draft: Draft) -> str:
    act = next(event for event in draft.events if event.name is EventName.UNDONE)
    return escaped(f"Taken back: {act.fields['act']} ({act.fields['by']}).")


def _ship(office: Office, store: Store, said: Said) -> object:
    """Record it first: a merge that is asked for twice is worse than one that must be asked for again."""
    batch = said.batch(store.read())
    if batch.status is not BatchStatus.AWAITING_MERGE:
        asked, against = f"{batch.id} was to be merged.", f"It is {batch.status}: no pull request of it waits."
        raise RefusedError(asked, against, f"`gitsched why {batch.id}` tells what is next.")
    store.apply(lambda _draft: None, said.actor)
    try:
        told = office.ship(batch.id)
    except GitschedError as failed:
        return Undone(render_refusal(failed))
    return Undone(escaped(told)) if told else None


def _help(office: Office, _said: Said) -> str:
    configured = office.settings.github.commands
    rows = [HelpRow(row.usage, row.does, needed_role(verb, configured)) for verb, row in GRAMMAR.items()]
    return render_help(rows)


def _status(office: Office, said: Said) -> str:
    picture = office.look()
    unit = _found(picture.state, said) if said.command.names else None
    return fenced(render_screen(status_document(picture, unit), Look()), _LONGEST_TEXT)


def _why(office: Office, said: Said) -> str:
    picture = office.look()
    return fenced(render_why(why(picture, _found(picture.state, said)), None), _LONGEST_TEXT)


def _found(state: State, said: Said) -> Batch | Entry:
    unit = unit_of(state, said.unit(state))
    return state.batches[unit.batch] if isinstance(unit, BatchUnit) else state.entries[unit.issue]


def silent(_draft: Draft) -> str:
    """Have nothing to say beyond that it was done."""
    return ""


class Change(Struct, frozen=True):
    """A verb that changes something."""

    run: Run
    tells: Callable[[Draft], str] = silent
    """What it answers, from what it changed."""


class Question(Struct, frozen=True):
    """A verb that only answers."""

    answer: Answer


SERVED: Final[Mapping[CommandVerb, Change | Question]] = {
    CommandVerb.HELP: Question(_help),
    CommandVerb.STATUS: Question(_status),
    CommandVerb.WHY: Question(_why),
    CommandVerb.ENQUEUE: Change(_enqueue),
    CommandVerb.START: Change(_start),
    CommandVerb.ORDER: Change(_order),
    CommandVerb.PAUSE: Change(_pause),
    CommandVerb.RESUME: Change(_resume),
    CommandVerb.STOP: Change(_stop),
    CommandVerb.ABANDON: Change(_abandon),
    CommandVerb.REQUEUE: Change(_requeue),
    CommandVerb.EVICT: Change(_evict),
    CommandVerb.HOLD: Change(_hold),
    CommandVerb.UNHOLD: Change(_unhold),
    CommandVerb.PRIORITY: Change(_priority),
    CommandVerb.APPROVE: Change(_approve, _approved),
    CommandVerb.SHIP: Change(_ship),
    CommandVerb.UNDO: Change(_undo, _undone),
}
"""What every verb does."""
