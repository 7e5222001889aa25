"""Health: when dispatch as a whole is sick, and not one member.

1. Two unverified exits within a minute of their spawn, of different issues in a row, pause everything.
2. Two provider errors in a row pause as well. A usage limit stops its own profile alone, and from the first time on,
   until the reset that the provider stated; any other trouble stops everything.
3. A pause with a stated reset ends there by itself. One without is tried every half hour: the streak is then one short
   of the next pause.
4. A verified completion resets both streaks.
"""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.dispatch_effects import EndPause
from gitsched.domain.instants import Instant, after, seconds_between
from gitsched.domain.records import Control, EarlyExit
from gitsched.policy.settle import ProviderTrouble

EARLY_S = 60.0
UNHEALTHY_COUNT = 2
PROBE_S = 1800.0
UNHEALTHY = "dispatch-unhealthy"
OPERATOR, ENGINE, PROVIDER = "operator", "engine", "provider"
"""Who paused."""


def healthy() -> dict[str, Any]:
    """Name the fields of `Control` as they are after a verified completion."""
    return {"early_exits": (), "provider_errors": 0}


def stops_everything(control: Control) -> bool:
    """Say whether nothing at all may start; a provider's limit stops its own profile alone."""
    return control.paused and control.paused_by != PROVIDER


def is_paused_by_operator(control: Control) -> bool:
    """Say whether a person paused; only a person ends that."""
    return control.paused and control.paused_by == OPERATOR


def is_limited(control: Control, profile: str, now: Instant) -> bool:
    """Say whether a profile is under a usage limit whose reset has not come."""
    return profile in control.limited and not _is_past(control.limited[profile], now)


def after_early_exit(control: Control, issue: int, spawned_at: Instant, at: Instant) -> tuple[Control, tuple[int, ...]]:
    """Count an unverified exit; gives the control and, when dispatch is sick now, the issues that show it."""
    if seconds_between(spawned_at, at) > EARLY_S:
        return control, ()
    streak = (*control.early_exits, EarlyExit(issue=issue, at=at))[-UNHEALTHY_COUNT:]
    issues = tuple(dict.fromkeys(seen.issue for seen in streak))
    counted = replace(control, early_exits=streak)
    if len(issues) < UNHEALTHY_COUNT or stops_everything(control):
        return counted, ()
    return _paused(counted, ENGINE, None, at), issues


def after_provider_error(control: Control, profile: str, trouble: ProviderTrouble, at: Instant) -> Control:
    """Count a provider error: a usage limit binds its profile, and the second error in a row pauses."""
    counted = replace(control, provider_errors=control.provider_errors + 1)
    if trouble.is_usage_limit:
        unstated = counted.probe_at if trouble.resets_at is not None else after(at, PROBE_S)
        counted = replace(counted, limited={**control.limited, profile: trouble.resets_at}, probe_at=unstated)
    if counted.provider_errors < UNHEALTHY_COUNT or stops_everything(control):
        return counted
    return _paused(counted, PROVIDER if trouble.is_usage_limit else ENGINE, trouble.resets_at, at)


def _paused(control: Control, by: str, resets_at: Instant | None, at: Instant) -> Control:
    probe_at = control.probe_at if resets_at is not None else after(at, PROBE_S)
    return replace(control, paused=True, pause_reason=UNHEALTHY, paused_by=by, resets_at=resets_at, probe_at=probe_at)


def ending(control: Control, now: Instant) -> EndPause | None:
    """Name the limits and the pause that are over by now."""
    over = tuple(name for name, at in sorted(control.limited.items()) if _is_past(at, now))
    is_probe = control.probe_at is not None and now >= control.probe_at
    return EndPause(over, is_probe) if over or is_probe else None


def endings_at(control: Control) -> tuple[Instant, ...]:
    """Tell when limits and pauses are over by themselves, or are tried again."""
    return tuple(at for at in (*control.limited.values(), control.probe_at) if at is not None)


def after_ending(control: Control, end: EndPause) -> Control:
    """Give the control as it is once those limits, and what is tried again, stop nothing any more."""
    kept = control.limited.items()
    left = {name: at for name, at in kept if name not in end.profiles and not (end.is_probe and at is None)}
    tried = replace(control, limited=left, provider_errors=0)
    if end.is_probe:
        one_short = UNHEALTHY_COUNT - 1
        exits, errors = control.early_exits[-one_short:], min(control.provider_errors, one_short)
        tried = replace(tried, probe_at=None, early_exits=exits, provider_errors=errors)
    is_over = end.is_probe if control.paused_by == ENGINE else control.paused_by == PROVIDER and not left
    return replace(tried, paused=False, pause_reason=None, paused_by=None, resets_at=None) if is_over else tried


def _is_past(at: Instant | None, now: Instant) -> bool:
    return at is not None and now >= at
