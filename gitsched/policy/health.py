"""Health: when dispatch as a whole is sick, and not one member.

1. Two unverified exits within a minute of their spawn, of different issues in a row, pause everything.
2. Two provider errors in a row put the profile under a limit until the reset that the provider stated.
3. A verified completion resets both streaks.

Source: spec 03, "Ladder", "Verifying a run" 2.
"""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Control, EarlyExit
from gitsched.policy.settle import ProviderTrouble

EARLY_S = 60.0
UNHEALTHY_COUNT = 2


def healthy() -> dict[str, Any]:
    """Name the fields of `Control` as they are after a verified completion."""
    return {"early_exits": (), "provider_errors": 0}


def after_early_exit(control: Control, issue: int, spawned_at: Instant, at: Instant) -> tuple[Control, tuple[int, ...]]:
    """Count an unverified exit; gives the control and, when dispatch is sick now, the issues that show it."""
    if seconds_between(spawned_at, at) > EARLY_S:
        return control, ()
    streak = (*control.early_exits, EarlyExit(issue=issue, at=at))[-UNHEALTHY_COUNT:]
    issues = tuple(dict.fromkeys(seen.issue for seen in streak))
    counted = replace(control, early_exits=streak)
    if len(issues) < UNHEALTHY_COUNT or control.paused:
        return counted, ()
    return replace(counted, paused=True, pause_reason="dispatch-unhealthy", paused_by="engine"), issues


def after_provider_error(control: Control, profile: str, trouble: ProviderTrouble) -> Control:
    """Count a provider error; the second in a row, or a stated usage limit, puts the profile under a limit."""
    errors = control.provider_errors + 1
    counted = replace(control, provider_errors=errors)
    if errors < UNHEALTHY_COUNT and not trouble.is_usage_limit:
        return counted
    return replace(counted, limited={**control.limited, profile: trouble.resets_at})
