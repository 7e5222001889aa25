"""Stopping: send TERM or KILL to an agent that is to end, each once."""

from msgspec.structs import replace

from gitsched.domain.effects import StopAgent
from gitsched.domain.events import EventName
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk, was_applied
from gitsched.policy.stall import STALLED


def stop_agent(effect: StopAgent, desk: Desk) -> None:
    """Send TERM or KILL to an agent's group, and record that, once each.

    TERM is on record before it is sent: else a driver that dies between the two leaves an end that nobody asked for.
    """
    key = (effect.batch, effect.issue)
    lease = desk.state.leases.get(key)
    if lease is None or lease.gen != effect.gen:
        return
    is_fenced = lease.reason == STALLED
    if is_fenced:
        desk.around.runner.fence(effect.batch, str(effect.issue), effect.gen + 1)
    if effect.kill:
        _signal(effect, desk)

    def intent(draft: Draft) -> None:
        lease = draft.state.leases.get(key)
        if lease is None or lease.gen != effect.gen:
            return
        if (lease.kill_sent_at if effect.kill else lease.stop_sent_at) is not None:
            return
        if is_fenced and not effect.kill:
            sentence = f"Fence off run {lease.gen} of issue {lease.issue} of {lease.batch}"
            draft.note(EventName.FENCED, sentence, batch=lease.batch, issue=lease.issue, gen=lease.gen)
        sent = replace(lease, kill_sent_at=draft.at) if effect.kill else replace(lease, stop_sent_at=draft.at)
        word = "KILL" if effect.kill else "TERM"
        draft.note(
            EventName.KILL_SENT if effect.kill else EventName.STOP_SENT,
            f"Send {word} to the agent of issue {effect.issue} of {effect.batch}",
            sent,
            batch=effect.batch,
            issue=effect.issue,
            gen=effect.gen,
        )

    if was_applied(desk.record(intent)) and not effect.kill:
        _signal(effect, desk)


def _signal(effect: StopAgent, desk: Desk) -> None:
    desk.around.runner.stop(effect.batch, str(effect.issue), effect.gen, kill=effect.kill)
