"""Which gate a member needs next, and what those that are done come to."""

from gitsched.domain.records import GateResult
from gitsched.domain.words import MemberStatus
from gitsched.policy.consequence import GateConsequence
from gitsched.policy.gates import fold_of, is_due, next_gate
from tests.policy.situations import a_member, settings

TWO = settings('\n[[gates]]\nname = "lint"\nrun = ["x"]\n[[gates]]\nname = "unit"\nrun = ["y"]\n')


def member(**verdicts: str) -> object:
    """Build a verifying member with these verdicts; `failed2` is the second failure."""
    gates = {
        name: GateResult(verdict=v.removesuffix("2"), runs=2 if v.endswith("2") else 1) for name, v in verdicts.items()
    }
    return a_member(1, MemberStatus.VERIFYING, gates=gates)


def name_of(**verdicts: str) -> str | None:
    """Name the gate that is next."""
    gate = next_gate(member(**verdicts), TWO)  # type: ignore[arg-type]
    return gate.name if gate else None


def test_gates_run_in_the_order_of_the_file() -> None:
    """One after the other."""
    assert name_of() == "lint"
    assert name_of(lint="passed") == "unit"
    assert name_of(lint="passed", unit="passed") is None


def test_a_failed_gate_runs_once_more_and_then_decides() -> None:
    """After the second failure the rest is not run."""
    assert name_of(lint="failed") == "lint"
    assert name_of(lint="failed2") is None
    assert name_of(lint="flaky") == "unit"
    assert fold_of(member(lint="failed2"), TWO).consequence is GateConsequence.EVICT  # type: ignore[arg-type]


def test_a_doubtful_gate_does_not_stop_the_others() -> None:
    """L-09: both verdicts are seen."""
    assert name_of(lint="broken") == "unit"
    assert fold_of(member(lint="broken", unit="timed-out"), TWO).reason == "gate-inconclusive:lint"  # type: ignore[arg-type]


def test_what_is_due() -> None:
    """Never run, or failed once."""
    assert is_due(None, TWO)
    assert not is_due(GateResult(verdict="passed"), TWO)
