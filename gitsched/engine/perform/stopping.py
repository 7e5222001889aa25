"""Stopping: send TERM or KILL to an agent that is to end, each once."""

from msgspec.structs import replace

from gitsched.domain.effects import StopAgent
from gitsched.domain.events import EventName
from gitsched.domain.records import Lease
from gitsched.domain.state import Draft, State
from gitsched.engine.desk import Desk, was_applied
from gitsched.policy.stall import STALLED


def stop_agent(effect: StopAgent, desk: Desk) -> None:
    """Send TERM or KILL to an agent's group, and record that, once each.

    TERM is on record before it is sent: else a driver that dies between the two leaves an end that nobody asked for.
    """
    lease = _lease(desk.state, effect)
    if lease is None:
        return
    is_fenced = lease.reason == STALLED
    if is_fenced:
        desk.around.runner.fence(effect.batch, str(effect.issue), effect.gen + 1)
    if effect.kill:
        _signal(effect, desk)
        desk.record(lambda draft: _note_kill(draft, effect))
    elif was_applied(desk.record(lambda draft: _note_term(draft, effect, is_fenced=is_fenced))):
        _signal(effect, desk)


def _lease(state: State, effect: StopAgent) -> Lease | None:
    lease = state.leases.get((effect.batch, effect.issue))
    return lease if lease is not None and lease.gen == effect.gen else None


def _note_term(draft: Draft, effect: StopAgent, *, is_fenced: bool) -> None:
    lease = _lease(draft.state, effect)
    if lease is None or lease.stop_sent_at is not None:
        return
    if is_fenced:
        sentence = f"Fence off run {lease.gen} of issue {lease.issue} of {lease.batch}"
        draft.note(EventName.FENCED, sentence, batch=lease.batch, issue=lease.issue, gen=lease.gen)
    _note(draft, EventName.STOP_SENT, "TERM", replace(lease, stop_sent_at=draft.at))


def _note_kill(draft: Draft, effect: StopAgent) -> None:
    lease = _lease(draft.state, effect)
    if lease is not None and lease.kill_sent_at is None:
        _note(draft, EventName.KILL_SENT, "KILL", replace(lease, kill_sent_at=draft.at))


def _note(draft: Draft, event: EventName, signal: str, lease: Lease) -> None:
    sentence = f"Send {signal} to the agent of issue {lease.issue} of {lease.batch}"
    draft.note(event, sentence, lease, batch=lease.batch, issue=lease.issue, gen=lease.gen)


def _signal(effect: StopAgent, desk: Desk) -> None:
    desk.around.runner.stop(effect.batch, str(effect.issue), effect.gen, kill=effect.kill)
