"""Resume: what letting a blocked batch go on means, by the reason that blocked it.

1. A gate that could not decide is run again, alone, for the landed members that it left undecided.
2. A suite that could not decide is run again, whatever verdict is stored for its tree; over a red base the batch is
   put on the present target first.
3. A hold is lifted from the member whose turn it is.
4. Commits of a member that left are taken off the integration branch before anything else.
5. Where nothing that an operator can let through stands in the way, resume cannot help and says what can.
6. Everything else is tried again where it stopped: at its own state before validation, else from validation on.

See docs/reference/states.md, "Batch".
"""

from collections.abc import Mapping

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.records import Batch, Member
from gitsched.domain.words import GATHERING_BATCHES, BatchStatus, MemberStatus
from gitsched.policy.consequence import GateConsequence
from gitsched.policy.dissolve import has_stale_work
from gitsched.policy.gates import consequence, gate_verdict
from gitsched.policy.situation import first_unresolved

_AFTER_MERGE = frozenset({BatchStatus.MERGED, BatchStatus.DEPLOYED})
_HOPELESS: Mapping[str, tuple[str, str]] = {
    "dissolve-refused": (
        "what has landed is never thrown away, and it is not proven good",
        "`gitsched abandon {batch} --keep` parks every member with its work.",
    ),
    "pr-closed-unmerged": (
        "its pull request was closed and its issues have failed",
        "`gitsched stop {batch}` ends it, and its issues can be enqueued again.",
    ),
    "merge-unproven": (
        "the forge says that it merged and the target does not prove it",
        "`gitsched why {batch}` tells what was looked for.",
    ),
}


class RunGateAgain(Struct, frozen=True):
    """Run this one gate again for these landed members, in the trees that were kept for it."""

    gate: str
    issues: tuple[int, ...]


class RunSuiteAgain(Struct, frozen=True):
    """Run the suite again."""


class RenewBase(Struct, frozen=True):
    """Put the batch on the present target, and judge base and tip afresh."""


class LiftHold(Struct, frozen=True):
    """Take the hold off this member."""

    issue: int


class GoOn(Struct, frozen=True):
    """Try again from this state on."""

    status: BatchStatus


class CannotHelp(Struct, frozen=True):
    """Resume changes nothing about it."""

    against: str
    remedy: str


Resumption = RunGateAgain | RunSuiteAgain | RenewBase | LiftHold | GoOn | CannotHelp


def resumption(batch: Batch, members: tuple[Member, ...], settings: Settings) -> Resumption:
    """Say how a batch goes on; `members` are all of its members, `settings` those that hold for it."""
    if batch.status is not BatchStatus.BLOCKED:
        against = f"{batch.id} is {batch.status}, not blocked."
        return CannotHelp(against, f"`gitsched why {batch.id}` tells what it waits for.")
    word, _, rest = (batch.reason or "").partition(":")
    if word in _HOPELESS:
        why, remedy = _HOPELESS[word]
        return CannotHelp(f"{batch.id} is blocked `{batch.reason}`: {why}.", remedy.format(batch=batch.id))
    if batch.came_from not in _AFTER_MERGE and has_stale_work(members):
        return GoOn(BatchStatus.EVICTING)
    if word == "gate-inconclusive":
        issues = tuple(member.issue for member in members if is_undecided(member, rest, settings))
        return RunGateAgain(rest, issues) if issues else GoOn(BatchStatus.EXECUTING)
    if word == "base-red":
        return RenewBase()
    if word.startswith("suite-"):
        return RunSuiteAgain()
    turn = first_unresolved(members)
    if word == "held" and turn is not None and turn.hold is not None:
        return LiftHold(turn.issue)
    return GoOn(where_to(batch))


def is_undecided(member: Member, gate: str, settings: Settings) -> bool:
    """Say whether a member landed although this gate could not decide on it."""
    result = member.gates.get(gate)
    if member.status is not MemberStatus.LANDED or result is None:
        return False
    return consequence(gate_verdict(gate, result), settings) is GateConsequence.INCONCLUSIVE


def where_to(batch: Batch) -> BatchStatus:
    """Name the state from which a batch that was blocked goes on."""
    if batch.came_from in _AFTER_MERGE:
        return BatchStatus.MERGED
    return batch.came_from if batch.came_from in GATHERING_BATCHES else BatchStatus.VALIDATING
