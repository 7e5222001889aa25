"""Consequence: what each verdict does to a member, to a suite, and what the forge's words mean.

1. Every table here is total over its closed set; a test holds it.
2. A gate that failed runs once more on the same tree before its member is blamed.
3. Doubt never evicts: what proves neither good nor bad is inconclusive, for a suite it blocks.
4. Of several gates the deciding one is failed, then the one to run again, then inconclusive; among equals
   the first declared.
5. Where no suite follows, nothing ships on a skipped gate alone.

See docs/explanation/gating.md, "Green only for the right reason".
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from gitsched.domain.verdicts import Conclusion, Verdict


class GateConsequence(StrEnum):
    """What a gate's verdict does to its member."""

    ON = "on"
    SKIP = "skip"
    """Journaled, never shown as passed; the suite covers it."""
    RETRY_ONCE = "retry-once"
    INCONCLUSIVE = "inconclusive"
    """The member lands and keeps its tree; the batch blocks once all members are resolved."""
    EVICT = "evict"


class SuiteConsequence(StrEnum):
    """What a suite's verdict does to its batch."""

    REVIEW = "review"
    ATTRIBUTE = "attribute"
    BLOCK = "block"


class CheckAction(StrEnum):
    """What to do about one of the forge's checks."""

    SETTLE = "settle"
    """Its verdict stands."""
    ASK_AGAIN = "ask-again"
    WAIT = "wait"
    WAIT_FOR_PERSON = "wait-for-person"


GATE_FIRST: Final[Mapping[Verdict, GateConsequence]] = {
    Verdict.PASSED: GateConsequence.ON,
    Verdict.FAILED: GateConsequence.RETRY_ONCE,
    Verdict.UNEVIDENCED: GateConsequence.INCONCLUSIVE,
    Verdict.UNREADABLE: GateConsequence.INCONCLUSIVE,
    Verdict.EMPTY: GateConsequence.INCONCLUSIVE,
    Verdict.BROKEN: GateConsequence.INCONCLUSIVE,
    Verdict.TIMED_OUT: GateConsequence.SKIP,
    Verdict.UNAVAILABLE: GateConsequence.SKIP,
    Verdict.STALE: GateConsequence.INCONCLUSIVE,
    Verdict.FLAKY: GateConsequence.ON,
    Verdict.CANCELLED: GateConsequence.INCONCLUSIVE,
    Verdict.SKIPPED: GateConsequence.INCONCLUSIVE,
}
"""After a gate's first run."""

GATE_AGAIN: Final[Mapping[Verdict, GateConsequence]] = {
    **GATE_FIRST,
    Verdict.FAILED: GateConsequence.EVICT,
    # It failed with evidence before: a deadline does not wipe that out.
    Verdict.TIMED_OUT: GateConsequence.INCONCLUSIVE,
}
"""After the second run, by the verdict of both (`gitsched.policy.judge.settle_rerun`)."""

SUITE: Final[Mapping[Verdict, SuiteConsequence]] = {
    Verdict.PASSED: SuiteConsequence.REVIEW,
    Verdict.FAILED: SuiteConsequence.ATTRIBUTE,
    Verdict.UNEVIDENCED: SuiteConsequence.BLOCK,
    Verdict.UNREADABLE: SuiteConsequence.BLOCK,
    Verdict.EMPTY: SuiteConsequence.BLOCK,
    Verdict.BROKEN: SuiteConsequence.BLOCK,
    Verdict.TIMED_OUT: SuiteConsequence.BLOCK,
    Verdict.UNAVAILABLE: SuiteConsequence.BLOCK,
    Verdict.STALE: SuiteConsequence.BLOCK,
    Verdict.FLAKY: SuiteConsequence.REVIEW,
    Verdict.CANCELLED: SuiteConsequence.BLOCK,
    Verdict.SKIPPED: SuiteConsequence.BLOCK,
}
"""With `suite.flaky = "block"` a flaky one blocks as well."""


class Meaning(Struct, frozen=True, kw_only=True):
    """What one of the forge's words comes to."""

    action: CheckAction
    verdict: Verdict | None = None
    """None while there is none."""
    told: bool = False
    """Said in the pull request although it counts as a pass."""


CONCLUSIONS: Final[Mapping[Conclusion, Meaning]] = {
    Conclusion.SUCCESS: Meaning(action=CheckAction.SETTLE, verdict=Verdict.PASSED),
    Conclusion.NEUTRAL: Meaning(action=CheckAction.SETTLE, verdict=Verdict.PASSED, told=True),
    Conclusion.FAILURE: Meaning(action=CheckAction.SETTLE, verdict=Verdict.FAILED),
    # A commit status tells `error` apart from `failure`: what ran the check broke, not the code.
    Conclusion.ERROR: Meaning(action=CheckAction.SETTLE, verdict=Verdict.BROKEN),
    Conclusion.TIMED_OUT: Meaning(action=CheckAction.SETTLE, verdict=Verdict.TIMED_OUT),
    Conclusion.STARTUP_FAILURE: Meaning(action=CheckAction.SETTLE, verdict=Verdict.BROKEN),
    Conclusion.CANCELLED: Meaning(action=CheckAction.ASK_AGAIN, verdict=Verdict.CANCELLED),
    # GitHub's `stale` is a check it gave up waiting for; our `stale` is a check that changed its tree.
    Conclusion.STALE: Meaning(action=CheckAction.ASK_AGAIN, verdict=Verdict.CANCELLED),
    Conclusion.ACTION_REQUIRED: Meaning(action=CheckAction.WAIT_FOR_PERSON),
    Conclusion.SKIPPED: Meaning(action=CheckAction.SETTLE, verdict=Verdict.SKIPPED),
    Conclusion.PENDING: Meaning(action=CheckAction.WAIT),
    Conclusion.UNKNOWN: Meaning(action=CheckAction.WAIT_FOR_PERSON),
}

_OPEN_WORDS = ("queued", "in_progress", "requested", "waiting", "expected")
_WORDS = {**{str(word): word for word in Conclusion}, **dict.fromkeys(_OPEN_WORDS, Conclusion.PENDING)}


def conclusion_of(word: str | None) -> Conclusion:
    """Read a conclusion or state as the forge writes it, in any case; None has not ended."""
    return Conclusion.PENDING if word is None else _WORDS.get(word.lower(), Conclusion.UNKNOWN)


class GateVerdict(Struct, frozen=True, kw_only=True):
    """What one declared gate of a member has come to so far."""

    name: str
    verdict: Verdict
    again: bool = False
    """The gate has had its second run, and `verdict` is that of both."""


class GatesFold(Struct, frozen=True, kw_only=True):
    """What all gates of one member come to."""

    consequence: GateConsequence
    deciding: str | None = None
    """Name of the gate that decided; None when all let the member on."""
    reason: str | None = None
    """`gate-failed:<name>` or `gate-inconclusive:<name>`."""


def gate_consequence(verdict: Verdict, *, again: bool = False, suite_runs: bool = True) -> GateConsequence:
    """Say what a gate's verdict does; without a suite nothing covers one that ran out of time."""
    if verdict is Verdict.TIMED_OUT and not suite_runs:
        return GateConsequence.INCONCLUSIVE
    return (GATE_AGAIN if again else GATE_FIRST)[verdict]


def fold_gates(gates: Sequence[GateVerdict], *, suite_runs: bool) -> GatesFold:
    """Say what a member's gates, in the order of their declaration, come to together.

    `skip` when none ran to a pass and at least one was skipped; `on` also for a member without any gate.
    """
    found = {gate.name: gate_consequence(gate.verdict, again=gate.again, suite_runs=suite_runs) for gate in gates}
    if not suite_runs and GateConsequence.ON not in found.values():
        found = {name: _uncovered(consequence) for name, consequence in found.items()}
    for decides in (GateConsequence.EVICT, GateConsequence.RETRY_ONCE, GateConsequence.INCONCLUSIVE):
        for name, consequence in found.items():
            if consequence is decides:
                return GatesFold(consequence=decides, deciding=name, reason=gate_reason(decides, name))
    skipped = GateConsequence.SKIP in found.values() and GateConsequence.ON not in found.values()
    return GatesFold(consequence=GateConsequence.SKIP if skipped else GateConsequence.ON)


def gate_reason(consequence: GateConsequence, name: str) -> str | None:
    """Give the reason word that a gate puts on its member or batch, where it stops one."""
    word = {GateConsequence.EVICT: "gate-failed", GateConsequence.INCONCLUSIVE: "gate-inconclusive"}
    return f"{word[consequence]}:{name}" if consequence in word else None


def suite_consequence(verdict: Verdict, *, flaky_blocks: bool = False) -> SuiteConsequence:
    """Say what a suite's verdict does to its batch (`flaky_blocks`: `suite.flaky = "block"`)."""
    if verdict is Verdict.FLAKY and flaky_blocks:
        return SuiteConsequence.BLOCK
    return SUITE[verdict]


def suite_reason(verdict: Verdict) -> str:
    """Give the reason word of a batch that its suite blocks."""
    return f"suite-{verdict}"


def _uncovered(consequence: GateConsequence) -> GateConsequence:
    return GateConsequence.INCONCLUSIVE if consequence is GateConsequence.SKIP else consequence
