"""Gates: which one a member needs next, and what those that are done come to.

1. Gates run one after the other in the order of the file, in the member's own tree, at its pinned head.
2. One that failed runs once more on the same tree before its member is blamed.
3. As soon as one gate decides against the member, the rest is not run.

See docs/explanation/gating.md, "Green only for the right reason".
"""

from gitsched.config.checking import GateSettings
from gitsched.config.settings import Settings
from gitsched.domain.records import GateResult, Member
from gitsched.domain.verdicts import Verdict
from gitsched.policy.consequence import GateConsequence, GatesFold, GateVerdict, fold_gates, gate_consequence


def next_gate(member: Member, settings: Settings) -> GateSettings | None:
    """Choose the gate to run now; None when all are done, or one has decided against the member."""
    if fold_of(member, settings).consequence is GateConsequence.EVICT:
        return None
    return next((gate for gate in settings.gates if is_due(member.gates.get(gate.name), settings)), None)


def is_due(result: GateResult | None, settings: Settings) -> bool:
    """Say whether a gate is still to be run: never so far, or failed once and not yet again."""
    if result is None:
        return True
    verdict = gate_verdict("", result)
    return consequence(verdict, settings) is GateConsequence.RETRY_ONCE


def consequence(verdict: GateVerdict, settings: Settings) -> GateConsequence:
    """Say what one gate's verdict does to its member under these settings."""
    return gate_consequence(verdict.verdict, again=verdict.again, suite_runs=not settings.suite.is_waived)


def gate_verdict(name: str, result: GateResult) -> GateVerdict:
    """Read a recorded gate result as the fold wants it."""
    return GateVerdict(name=name, verdict=Verdict(result.verdict), again=result.runs > 1)


def fold_of(member: Member, settings: Settings) -> GatesFold:
    """Say what the gates that are done come to, in the order of the settings."""
    done = [gate_verdict(g.name, member.gates[g.name]) for g in settings.gates if g.name in member.gates]
    return fold_gates(done, suite_runs=not settings.suite.is_waived)
