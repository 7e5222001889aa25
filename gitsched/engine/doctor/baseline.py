"""What is known of the target: a red suite on its very tree, or a batch that found it red."""

from gitsched.domain.state import State
from gitsched.domain.verdicts import Verdict
from gitsched.domain.words import BatchStatus
from gitsched.engine.perform.validating import SUITE_CHECK

BASE_RED = "base-red"
_NAMED = 3


def base_fault(state: State, target: str, tree: str) -> str | None:
    """Say what the target fails, from what was run on it; nothing is run. `target` is its head, `tree` that one's."""
    judged = state.judged.get(tree)
    for stored in judged.verdicts.values() if judged is not None else ():
        if stored.check == SUITE_CHECK and stored.verdict == Verdict.FAILED:
            named = ", ".join(stored.failing[:_NAMED]) or "the suite as a whole"
            return f"{named} failed on it in {stored.batch}"
    for batch in state.batches_in_order():
        if (batch.status, batch.reason, batch.base) == (BatchStatus.BLOCKED, BASE_RED, target):
            return f"{batch.id} is blocked {BASE_RED}"
    return None
