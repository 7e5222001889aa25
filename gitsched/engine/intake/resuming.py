"""`resume` of a batch or an issue: let go on what waits for a person."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.encoding import decode_settings, encode_settings, fingerprint
from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry
from gitsched.domain.records import Settings as SealedSettings
from gitsched.domain.state import Draft
from gitsched.domain.words import TERMINAL_BATCHES, BatchStatus, EntryStatus
from gitsched.engine.intake.holding import is_held, lift_hold, resume_batch
from gitsched.engine.intake.names import BatchUnit, unit_of
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError
from gitsched.policy.resume import CannotHelp, GoOn, LiftHold, RenewBase, RunGateAgain, RunSuiteAgain, resumption
from gitsched.ports.store import Store


class ResumeRequest(Struct, frozen=True):
    """Which batch or issue, and whether its batch takes the settings as they are now."""

    unit: str
    reload: bool = False


class ResumeAnswer(Struct, frozen=True, kw_only=True):
    """What goes on."""

    unit: str
    status: str
    """The status of the batch, or of the entry, from here on."""
    gate: str | None = None
    """The one gate that is run again."""
    reloaded: bool = False


def resume(store: Store, settings: Settings, request: ResumeRequest, actor: str) -> ResumeAnswer:
    """Let a blocked batch, or a held issue, go on; with `reload`, also one that only takes new settings.

    Raises RefusedError, with the reason, where that cannot help.
    """

    def build(draft: Draft) -> ResumeAnswer:
        unit = unit_of(draft.state, request.unit)
        if isinstance(unit, BatchUnit):
            return _batch(draft, draft.state.batches[unit.batch], settings, reload=request.reload)
        return _entry(draft, draft.state.entries[unit.issue], settings, reload=request.reload)

    return transact(store, actor, build)


def _batch(draft: Draft, batch: Batch, settings: Settings, *, reload: bool) -> ResumeAnswer:
    if reload:
        batch = _reload(draft, batch, settings)
        if batch.status is not BatchStatus.BLOCKED:
            return ResumeAnswer(unit=batch.id, status=batch.status, reloaded=True)
    kept = draft.state.settings.get(batch.id)
    holding = settings if kept is None else decode_settings(kept.data)
    return _go_on(draft, batch, holding, reload=reload)


def _go_on(draft: Draft, batch: Batch, settings: Settings, *, reload: bool) -> ResumeAnswer:
    gate: str | None = None
    step = resumption(batch, draft.state.members_of(batch), settings)
    match step:
        case CannotHelp(against, remedy):
            raise RefusedError(f"{batch.id} was to go on.", against, remedy)
        case RunGateAgain():
            gate = step.gate
            _run_gate_again(draft, batch, step)
        case RunSuiteAgain():
            resume_batch(draft, batch, BatchStatus.VALIDATING, fresh_suite=True)
        case RenewBase():
            again = resume_batch(draft, batch, BatchStatus.VALIDATING, fresh_suite=True)
            sentence = f"Put {batch.id} on {batch.target} as it is now"
            draft.note(EventName.PROGRESS, sentence, replace(again, renews_base=True), batch=batch.id)
        case LiftHold(issue):
            lift_hold(draft, draft.state.entries[issue])
        case GoOn(status):
            resume_batch(draft, batch, status)
        case _:
            assert_never(step)
    status = draft.state.batches[batch.id].status
    return ResumeAnswer(unit=batch.id, status=status, gate=gate, reloaded=reload)


def _run_gate_again(draft: Draft, batch: Batch, step: RunGateAgain) -> None:
    resume_batch(draft, batch, BatchStatus.EXECUTING)
    for issue in step.issues:
        member = draft.state.members[batch.id, issue]
        gates = {name: result for name, result in member.gates.items() if name != step.gate}
        again = replace(member, gates=gates, regate=(*member.regate, step.gate))
        draft.note(
            EventName.GATE_RETRIED,
            f"Run gate {step.gate} again on issue {issue} of {batch.id}",
            again,
            batch=batch.id,
            issue=issue,
            gate=step.gate,
        )


def _reload(draft: Draft, batch: Batch, settings: Settings) -> Batch:
    if batch.status in TERMINAL_BATCHES or batch.id not in draft.state.settings:
        against = f"{batch.id} is {batch.status}: it " + (
            "is over." if batch.status in TERMINAL_BATCHES else "takes the settings as they are when it is sealed."
        )
        raise RefusedError(
            f"{batch.id} was to take new settings.", against, f"`gitsched show {batch.id}` shows its own."
        )
    data = encode_settings(settings)
    taken = SealedSettings(batch=batch.id, hash=fingerprint(data), data=data)
    reloaded = replace(batch, settings_hash=taken.hash)
    sentence = f"Let {batch.id} take the settings as they are now"
    draft.note(
        EventName.SETTINGS_RELOADED,
        sentence,
        reloaded,
        taken,
        batch=batch.id,
        before=batch.settings_hash,
        hash=taken.hash,
    )
    return reloaded


def _entry(draft: Draft, entry: Entry, settings: Settings, *, reload: bool) -> ResumeAnswer:
    if reload and entry.batch is not None:
        _reload(draft, draft.state.batches[entry.batch], settings)
    elif not is_held(draft, entry):
        raise RefusedError(f"Issue {entry.issue} was to go on.", *_why_not(draft, entry))
    if is_held(draft, entry):
        lift_hold(draft, entry)
    return ResumeAnswer(unit=str(entry.issue), status=entry.status, reloaded=reload and entry.batch is not None)


def _why_not(draft: Draft, entry: Entry) -> tuple[str, str]:
    """Say what stands against resuming an issue that is not held, and what helps."""
    batch = draft.state.batches.get(entry.batch or "")
    if batch is not None and batch.status is BatchStatus.BLOCKED:
        return f"Its batch {batch.id} is blocked, {batch.reason}.", f"`gitsched resume {batch.id}` lets it go on."
    why = f" ({entry.reason})" if entry.reason else ""
    if entry.status is EntryStatus.PARKED:
        return f"It is parked{why}.", f"`gitsched requeue {entry.issue}` continues its work."
    return f"It is {entry.status}{why}, and not held.", f"`gitsched why {entry.issue}` tells what it waits for."
