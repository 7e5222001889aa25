"""What a look at GitHub means for the doctor: whether it is reached, by whom, and whether batches could ship there."""

from collections.abc import Iterator

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.forge import ShipRules
from gitsched.domain.merging import Mechanism
from gitsched.policy.precondition import Precondition, amber, green, red
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
    prefix_rules: tuple[str, ...] = ()
    """Rules that stand against pushes to branches of ours."""
    has_merge_group: bool | None = None
    """Whether a workflow of the target runs for a merge queue; None: there is no workflow."""
    rules: ShipRules | None = None


def forge_lines(look: ForgeLook, settings: Settings) -> Iterator[Precondition]:
    """Name what stands between this clone and GitHub, in the order in which it builds on each other."""
    if look.credential_fault is not None:
        yield red("github-credential", look.credential_fault, "export GITHUB_TOKEN=…, or gitsched app create")
        return
    if look.reach_fault is not None:
        yield red("github-reach", f"GitHub gives no answer: {look.reach_fault}.", "Look at the connection.")
        return
    if look.denial is not None:
        yield red("github-credential", look.denial, "Give it the rights in docs/how-to/github.md.")
        return
    yield green("github-credential", f"GitHub is asked as {look.login}.")
    yield _repository(look)
    yield _rights(look)
    if abs(look.skew_s) > CLOCK_S:
        told = f"This clock is {abs(look.skew_s):.0f} s {'behind' if look.skew_s > 0 else 'ahead of'} GitHub's."
        yield amber("github-clock", told, "Set it: App claims are dated by it.")
    else:
        yield green("github-clock", "This clock agrees with GitHub's.")
    yield _prefix(look)
    if look.rules is not None:
        yield from _shipping(look.rules, settings)
        if look.has_merge_group is False and settings.ship.merge_by.mechanism is Mechanism.QUEUE:
            yield from _queue(look.rules)


def _repository(look: ForgeLook) -> Precondition:
    if look.is_archived:
        return red("github-repository", f"{look.full_name} is archived.", "Unarchive it.")
    if look.configured and look.configured.lower() != look.full_name.lower():
        fix = f'Write github.repository = "{look.full_name}".'
        return amber("github-repository", f"{look.configured} is called {look.full_name} now.", fix)
    return green("github-repository", f"The repository is {look.full_name}.")


def _rights(look: ForgeLook) -> Precondition:
    if look.can_push is False:
        told = f"{look.login or 'This credential'} may not write to {look.full_name}."
        return red("github-rights", told, "Give it contents, issues and pull requests: write.")
    return green("github-rights", "It may write there.")


def _queue(rules: ShipRules) -> Iterator[Precondition]:
    if rules.required:
        told = f"No workflow of the target runs on `merge_group`: the queue would wait for {rules.required[0]}."
        yield amber("github-merge-group", told, "Add `merge_group:` to the events of what checks there.")


def _prefix(look: ForgeLook) -> Precondition:
    if not look.prefix_rules:
        return green("github-prefix", "No rule stands against branches below gitsched/.")
    told = f"Rules hold for branches below gitsched/: {', '.join(look.prefix_rules)}."
    return amber("github-prefix", told, "Leave gitsched/** out of them, or let this account pass them by.")


def _shipping(rules: ShipRules, settings: Settings) -> Iterator[Precondition]:
    fault = shipping_fault(settings.ship, 2, rules)
    if fault is not None:
        yield red("github-merge", f"Batches could not ship: {fault.detail}.", "Change [ship], or the repository.")
    else:
        yield green("github-merge", f"Pull requests are merged by '{settings.ship.merge}'.")
    if rules.required:
        yield green("github-checks", f"Required checks: {', '.join(rules.required)}.")
    elif settings.ship.merge_by.mechanism.traits.is_offered:
        told = "No check is required on the target: a pull request merges on the suite's word alone."
        yield amber("github-checks", told, "Require checks in the branch's rules, or leave it so.")
    if not rules.closes_issues:
        told = "The target is not the default branch: GitHub closes no issue by a closing line, gitsched does."
        yield amber("github-closing", told)
