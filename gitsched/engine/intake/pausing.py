"""`pause`, and `resume` of the scheduler: whether anything new is started at all."""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Lease
from gitsched.domain.state import Draft
from gitsched.engine.intake import values
from gitsched.engine.intake.transact import transact
from gitsched.policy.health import healthy
from gitsched.ports.store import Store

OPERATOR = "operator"
"""Who paused, or why something is held or was stopped, where nothing else was said."""


class PauseRequest(Struct, frozen=True):
    """Why, as one line."""

    reason: str = OPERATOR


class PauseAnswer(Struct, frozen=True, kw_only=True):
    """How the scheduler stands."""

    paused: bool
    changed: bool
    """False where it stood like that already."""


def pause(store: Store, request: PauseRequest, actor: str) -> PauseAnswer:
    """Start nothing new until `resume`; what is live goes on. An operator's pause takes an engine's place."""
    reason = values.checked_reason(request.reason)

    def build(draft: Draft) -> PauseAnswer:
        before = draft.state.control
        after = replace(before, paused=True, pause_reason=reason, paused_by=OPERATOR, resets_at=None)
        if after != before:
            draft.note(EventName.PAUSED, f"Pause: {reason}", after, reason=reason, by=OPERATOR)
        return PauseAnswer(paused=True, changed=after != before)

    return transact(store, actor, build)


def resume_scheduler(store: Store, actor: str) -> PauseAnswer:
    """Start new runs again: no pause, no usage limit and no streak of bad starts stands any more.

    Runs that waited for a provider's reset are due at once.
    """
    return transact(store, actor, _resume)


def _resume(draft: Draft) -> PauseAnswer:
    before = draft.state.control
    after = replace(before, paused=False, pause_reason=None, paused_by=None, resets_at=None, probe_at=None, limited={})
    after = replace(after, **healthy())
    waiting = [lease for _, lease in sorted(draft.state.leases.items()) if lease.not_before_at is not None]
    changed = after != before or bool(waiting)
    if changed:
        due = [_due(lease) for lease in waiting]
        draft.note(EventName.RESUMED, "Resume", after, *due, reason=before.pause_reason)
    return PauseAnswer(paused=False, changed=changed)


def _due(lease: Lease) -> Lease:
    return replace(lease, not_before_at=None)
