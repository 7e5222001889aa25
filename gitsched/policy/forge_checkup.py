"""What a look at GitHub means for the doctor: whether it is reached, by whom, and whether batches could ship there."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.forge import ShipRules
from gitsched.policy.ship import shipping_fault

CLOCK_S = 60.0
"""GitHub dates its claims by its own clock: so far ours may be off before somebody should know."""


class ForgeLook(Struct, frozen=True, kw_only=True):
    """One look at GitHub; what could not be looked at is None."""

    credential_fault: str | None = None
    """Why there is nobody to ask as."""
    reach_fault: str | None = None
    denial: str | None = None
    full_name: str = ""
    configured: str = ""
    is_archived: bool = False
    can_push: bool | None = None
    login: str = ""
    skew_s: float = 0.0
    rules: ShipRules | None = None


class Line(NamedTuple):
    """One line of the doctor: code, colour, message, cure."""

    code: str
    level: str
    message: str
    fix: str | None = None


def forge_lines(look: ForgeLook, settings: Settings) -> Iterator[Line]:
    """Name what stands between this clone and GitHub, in the order in which it builds on each other."""
    if look.credential_fault is not None:
        yield Line("github-credential", "red", look.credential_fault, "export GITHUB_TOKEN=…, or gitsched app create")
        return
    if look.reach_fault is not None:
        yield Line("github-reach", "red", f"GitHub gives no answer: {look.reach_fault}.", "Look at the connection.")
        return
    if look.denial is not None:
        yield Line("github-credential", "red", look.denial, "Give it the rights in docs/how-to/github.md.")
        return
    yield Line("github-credential", "green", f"GitHub is asked as {look.login}.")
    yield _repository(look)
    yield _rights(look)
    if abs(look.skew_s) > CLOCK_S:
        told = f"This clock is {abs(look.skew_s):.0f} s {'behind' if look.skew_s > 0 else 'ahead of'} GitHub's."
        yield Line("github-clock", "amber", told, "Set it: App claims are dated by it.")
    else:
        yield Line("github-clock", "green", "This clock agrees with GitHub's.")
    if look.rules is not None:
        yield from _shipping(look.rules, settings)


def _repository(look: ForgeLook) -> Line:
    if look.is_archived:
        return Line("github-repository", "red", f"{look.full_name} is archived.", "Unarchive it.")
    if look.configured and look.configured.lower() != look.full_name.lower():
        fix = f'Write github.repository = "{look.full_name}".'
        return Line("github-repository", "amber", f"{look.configured} is called {look.full_name} now.", fix)
    return Line("github-repository", "green", f"The repository is {look.full_name}.")


def _rights(look: ForgeLook) -> Line:
    if look.can_push is False:
        told = f"{look.login or 'This credential'} may not write to {look.full_name}."
        return Line("github-rights", "red", told, "Give it contents, issues and pull requests: write.")
    return Line("github-rights", "green", "It may write there.")


def _shipping(rules: ShipRules, settings: Settings) -> Iterator[Line]:
    fault = shipping_fault(settings.ship, 2, rules)
    if fault is not None:
        yield Line(
            "github-merge", "red", f"Batches could not ship: {fault.detail}.", "Change [ship], or the repository."
        )
    else:
        yield Line("github-merge", "green", f"Pull requests are merged by '{settings.ship.merge}'.")
    if rules.required:
        yield Line("github-checks", "green", f"Required checks: {', '.join(rules.required)}.")
    elif settings.ship.merge_by.mechanism.traits.is_offered:
        told = "No check is required on the target: a pull request merges on the suite's word alone."
        yield Line("github-checks", "amber", told, "Require checks in the branch's rules, or leave it so.")
    if not rules.closes_issues:
        told = "The target is not the default branch: GitHub closes no issue by a closing line, gitsched does."
        yield Line("github-closing", "amber", told)
