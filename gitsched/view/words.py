"""What the fixed words of reasons and states mean to people: a sentence, and what to do about it.

`{0}` stands for what follows the word's colon, `{issue}` and `{batch}` for the unit. A step is a command where
a person can do something, else a sentence.
"""

import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from gitsched.domain.events import EventName
from gitsched.domain.machines import Machine

S = TypeVar("S", bound=StrEnum)


class Meaning(NamedTuple):
    """One word's sentence and the step it asks for; an empty step leaves the choice to the state."""

    says: str
    step: str = ""


SEALED_WITHOUT: Final = "profile-missing-when-sealed"
"""Not a reason of its own: what `profile-missing` means where the profile was written after the batch was sealed."""

REASONS: Final[Mapping[str, Meaning]] = {
    # Why a candidate does not start.
    "not-sealed": Meaning("Its batch is not sealed.", "gitsched seal {batch}"),
    "awaiting-merge": Meaning("Its pull request waits to be merged.", ""),
    "no-open-issue": Meaning("It is due, and none of its issues is open.", "Open one, or end the batch."),
    "serial": Meaning("Issue {0} of its batch goes first.", "gitsched why {0}"),
    "parallelism": Meaning("Its batch runs as many members at once as it may.", "It starts when another one ends."),
    "landing-order": Meaning("It is verified; issue {0} lands before it.", "gitsched why {0}"),
    "verification-undeclared": Meaning(
        "No suite is declared, so nothing could prove the work.",
        'Write [suite] with run = ["your", "tests"] into gitsched.toml, or run = "none" to go without.',
    ),
    "paused": Meaning("Scheduling is paused.", "gitsched resume"),
    "capacity": Meaning("Every slot is taken.", "It starts when a slot is free."),
    "dependency": Meaning("It depends on issue {0}.", "gitsched why {0}"),
    "overlap": Meaning("Issue {0} writes the same files.", "It starts when issue {0} has landed or left."),
    "driver-lost": Meaning("Nobody drives.", "gitsched run"),
    "disk-floor": Meaning("There is less free disk than `disk.floor` asks for.", "gitsched doctor"),
    "remote-unreachable": Meaning("The remote or the forge does not answer.", "It goes on when that answers again."),
    "held": Meaning("It is held: {0}.", "gitsched resume {unit}"),
    "worker-not-gone": Meaning("Its earlier worker may still live.", "It starts when that process has ended."),
    "profile-missing": Meaning("The agent profile '{0}' cannot be used here.", "gitsched doctor"),
    SEALED_WITHOUT: Meaning(
        "Its batch was sealed before the agent profile '{0}' was written.", "gitsched resume {batch} --reload"
    ),
    "usage-limit": Meaning("The agent's provider stated a usage limit.", "It goes on by itself; reset: {0}."),
    "sequential": Meaning("Issue {0} has the terminal.", "It starts when issue {0} has ended."),
    "budget": Meaning("The budget '{0}' is used up.", "It goes on when there is budget again."),
    "window": Meaning("Its schedule's window opens at {0}.", "gitsched schedule list"),
    "approval": Meaning("Its schedule is not approved.", "gitsched schedule list"),
    "held:manual": Meaning("It is worked by hand.", "gitsched claim {issue}"),
    "held:cancelled": Meaning("Its schedule was cancelled.", "gitsched resume {unit}"),
    "held:missed-window": Meaning("Nobody drove while its window was open.", "gitsched schedule list"),
    "held:missed-latest-start": Meaning("It is too late to start by itself.", "gitsched schedule list"),
    # Why an entry is blocked.
    "label": Meaning("The label '{0}' keeps it out.", "gitsched issue edit {issue} --remove-label {0}"),
    "gone": Meaning("The forge has its issue no more: it was {0}."),
    "closed": Meaning("Its issue is closed.", "gitsched issue reopen {issue}"),
    "dep-failed": Meaning("Issue {0}, which it depends on, failed or was stopped.", "gitsched enqueue {0}"),
    "dep-missing": Meaning("Issue {0}, which it depends on, is in no queue.", "gitsched enqueue {0}"),
    "record-conflict": Meaning(
        "Two clones worked it apart from each other: the remote's version stands.", "gitsched unhold {issue}"
    ),
    "record-unreadable": Meaning("Its record does not decode.", "gitsched doctor"),
    # Why a member left.
    "landing-conflict": Meaning("It conflicted with what landed before it."),
    "gate-failed": Meaning("Its gate '{0}' failed, twice, with evidence."),
    "suite-failed": Meaning("The suite was red because of it."),
    "suite-red-after-fix": Meaning("The suite was red because of it, and after the one attempt at mending it as well."),
    "hazard": Meaning("Its work carries a hazard: {0}.", "gitsched requeue {issue} --allow hazard:{0}"),
    "environment": Meaning("Its surroundings failed it, twice or with work uncommitted: {0}.", "gitsched doctor"),
    "no-changes": Meaning("Its agent ended well and committed nothing on its branch."),
    "timeout": Meaning("Its agent ran into its time limit."),
    "killed": Meaning("Its agent was killed from outside."),
    "tree-broken": Meaning("Its run broke git's own files in its worktree; its commits are kept."),
    "agent-exited-unverified": Meaning("Its agent ended and nothing says that the work is done."),
    "stalled": Meaning("Its agent showed no sign of life for as long as it may."),
    "worker-lost": Meaning("The process that watches over its agent was lost again and again."),
    "sibling-commits": Meaning("Its branch holds commits of issue {0}, which have not landed."),
    "wrong-procedure": Meaning("Its agent opened pull requests of its own instead of handing its branch over."),
    "wrong-procedure-shipped": Meaning("Its agent merged by itself: {0}.", "gitsched log {issue}"),
    "interrupted": Meaning("Its operator interrupted the run; its tree is kept.", "gitsched run"),
    "released": Meaning("It was worked by hand and given back; its tree is kept.", "gitsched claim {issue}"),
    "claim-lost": Meaning("The claim was cut short before its tree was made.", "gitsched claim {issue}"),
    "window-closed": Meaning("Its window closed; its tree is kept.", "gitsched schedule list"),
    "escalation-cap": Meaning("It was tried as often as the ladder allows."),
    "setup-failed": Meaning("The setup step {0} failed, twice."),
    "out-of-scope": Meaning("It changed files outside its declared write set.", "gitsched resume {unit}"),
    "depends-on-evicted": Meaning("Issue {0}, which it depends on, left the batch."),
    "group-of": Meaning("It leaves together with issue {0} of its group."),
    "nothing-to-land": Meaning("Nothing of its work was left to land."),
    # Why a batch needs a person.
    "gate-inconclusive": Meaning("The gate '{0}' could not decide.", "gitsched resume {batch}"),
    "suite-ambiguous": Meaning(
        "The suite is red and the evidence names several members.", "gitsched report {batch} --md"
    ),
    "suite-unattributed": Meaning("The suite is red and the evidence names nobody.", "gitsched report {batch} --md"),
    "base-red": Meaning("The suite is red on the base already: mend the target first.", "gitsched resume {batch}"),
    "isolation-breach": Meaning(
        "A run touched your checkout, or by which rules git makes files of commits has changed.", "gitsched log {batch}"
    ),
    "push-refused": Meaning("The remote refused a change: {0}.", "gitsched resume {batch}"),
    "landing-refused": Meaning("git refused the landing: {0}.", "gitsched resume {batch}"),
    "member-branch-diverged": Meaning("A member's branch holds what is not its pinned head.", "gitsched log {batch}"),
    "members-mismatch": Meaning("What landed is not what should have: {0}.", "gitsched log {batch}"),
    "evict-conflict": Meaning(
        "What a member that left had changed cannot be taken back by reverts.", "gitsched abandon {batch} --keep"
    ),
    "suite-cannot-discriminate": Meaning(
        "The suite is red and no member can be proven to be the cause.", "gitsched resume {batch}"
    ),
    "landing-failed": Meaning("A landing could not be proven, or its branch is elsewhere.", "gitsched log {batch}"),
    "rebase-cap": Meaning("The target moved more often than a batch is rebased.", "gitsched resume {batch}"),
    "pr-watch-failed": Meaning("The forge will not merge its pull request.", "gitsched log {batch}"),
    "squash-refused": Meaning("A squash would hide whose change is whose: ship.allow_squash.", "gitsched log {batch}"),
    "no-merge-mechanism": Meaning("Nothing would merge its pull request.", "gitsched doctor"),
    "signatures-lost": Meaning("The target demands signatures, and landing makes none.", "gitsched doctor"),
    "checks-red": Meaning("The required check '{0}' is red.", "gitsched resume {batch}"),
    "check-missing": Meaning("The required check '{0}' never started.", "gitsched log {batch}"),
    "check-pending": Meaning("The required check '{0}' has not ended."),
    "check-skipped": Meaning("The required check '{0}' was skipped, which proves nothing."),
    "check-waits": Meaning("The required check '{0}' waits for a person."),
    "approval-missing": Meaning("An approval of this very head is missing."),
    "merge-refused-for-now": Meaning("The forge cannot merge it at this moment."),
    "conflicts-again": Meaning("Its pull request conflicted for the second time.", "gitsched abandon {batch} --keep"),
    "branch-checked-out": Meaning("Its branch is checked out somewhere: {0}.", "gitsched resume {unit}"),
    "worktree-root": Meaning("Worktrees cannot be made where they should be: {0}.", "gitsched doctor"),
    "target-missing": Meaning("The target branch does not exist.", "gitsched doctor"),
    "target-checked-out": Meaning(
        "git will not move the target where it is checked out: it has changes of its own.", "gitsched pr merge {pr}"
    ),
    "merge-time-missing": Meaning("The forge says that it merged, and not when.", "gitsched log {batch}"),
    "pr-head-moved": Meaning("Somebody else pushed to the pull request's branch.", "gitsched log {batch}"),
    "pr-closed-unmerged": Meaning("Its pull request was closed without a merge.", "gitsched log {batch}"),
    "merge-unproven": Meaning("The merge could not be proven.", "gitsched log {batch}"),
    "review-blocked": Meaning("Its reviewer objects: {0}.", "gitsched show {batch} --evidence"),
    "respawn-cap": Meaning("The agent of its {0} ended without a word, three times.", "gitsched resume {batch}"),
    "deploying": Meaning("It has merged, and waits for its deployment to '{0}'."),
    "deploy-failed": Meaning("The check of its deployment failed: {0}.", "gitsched resume {batch}"),
    "deploy-timed-out": Meaning("The check of its deployment ran into its time limit.", "gitsched resume {batch}"),
    "reconcile-error": Meaning("gitsched failed on this unit alone.", "gitsched log {batch}"),
    "dissolve-refused": Meaning("It cannot be given up: {0}.", "gitsched abandon {batch} --keep"),
    "no-landed-members": Meaning("Everybody left, and nothing had landed."),
    "too-many-evicted": Meaning("Too many members were evicted before anything landed."),
    "dispatch-unhealthy": Meaning("Agents, or their provider, failed several times in a row.", "gitsched resume"),
}

# What a unit in this state asks for, when no reason of its own says more.
ENTRY_STEPS: Final[Mapping[str, str]] = {
    "queued": "It starts as soon as a driver gives it a slot.",
    "assigned": "gitsched status {batch}",
    "parked": "gitsched requeue {issue}",
    "blocked": "It goes back to the queue when the cause is gone.",
    "shipped": "Its report follows.",
    "done": "Nothing is left to do.",
    "failed": "gitsched enqueue {issue}",
    "stopped": "gitsched enqueue {issue}",
}
MEMBER_STEPS: Final[Mapping[str, str]] = {
    "waiting": "It starts as soon as a driver gives it a slot.",
    "preparing": "Its agent starts when its tree is ready.",
    "running": "gitsched logs {issue} --follow",
    "verifying": "Its gates decide.",
    "verified": "It lands in its turn.",
    "landed": "gitsched why {batch}",
    "shipped": "Its report follows.",
}
BATCH_STEPS: Final[Mapping[str, str]] = {
    "forming": "gitsched seal {batch}",
    "ready": "It starts as soon as a driver gives a member a slot.",
    "executing": "gitsched status {batch}",
    "validating": "The suite decides.",
    "awaiting-merge": "gitsched pr merge {pr}",
    "done": "Nothing is left to do.",
    "dissolved": "gitsched report {batch} --md",
    "stopped": "gitsched report {batch} --md",
    "blocked": "gitsched resume {batch}",
}


def sentence_of(reason: str) -> str:
    """Say what a reason means; a reason in free words is its own sentence."""
    word, _, rest = reason.partition(":")
    if word.startswith("suite-") and word not in REASONS:
        return f"The suite came to '{word.removeprefix('suite-')}', which decides nothing."
    meaning = REASONS.get(reason) or REASONS.get(word)
    return meaning.says.format(rest.strip()) if meaning else f"{reason.rstrip('.')}."


def step_of(reason: str, names: Mapping[str, str]) -> str:
    """Say what a reason asks for; empty where the unit's state decides. `names` fills in the unit."""
    word, _, rest = reason.partition(":")
    meaning = REASONS.get(reason) or REASONS.get(word)
    if meaning is None or not meaning.step:
        return ""
    is_command = meaning.step.startswith("gitsched ")
    return meaning.step.format(shlex.quote(rest.strip()) if is_command else rest.strip(), **names)


def cause(machine: Machine[S], event: EventName, status: str) -> str | None:
    """Find the sentence of the table for an event that led to this state; None where it has no such row."""
    return next((edge.why for edge in machine.edges if edge.event is event and edge.target == status), None)
