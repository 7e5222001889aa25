"""What is left in a town that has come to rest: nothing stands still, and nothing lies about."""

from typing import TYPE_CHECKING

from gitsched.domain.state import State
from gitsched.domain.words import TERMINAL_BATCHES, BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.engine.tick import Ticked
from gitsched.policy.idle import is_settled
from tests.real_git import run_git

if TYPE_CHECKING:
    from tests.walks.town import Town

_FOR_A_PERSON = (BatchStatus.FORMING, BatchStatus.BLOCKED, BatchStatus.AWAITING_MERGE)


def expect_rest(town: "Town", state: State, last: Ticked) -> None:
    """Look at everything that a town must not have once it is at rest."""
    _expect_reasons(state, last)
    assert not state.drivers, state.drivers
    assert not state.jobs, state.jobs
    assert not town.runner.runs(), town.runner.runs()
    named = {member.tree for member in state.members.values()}
    owners = {str(path): owner for path, owner in town.clone.trees.owners().items()}
    assert set(owners) <= named, f"trees that no record names: {set(owners) - named}"
    over = {batch.id for batch in state.batches.values() if batch.status in TERMINAL_BATCHES}
    alive = [key for key in town.runner.live if key[0] in over]
    assert not alive, f"P10: processes of ended batches: {alive}"
    _p5_nothing_of_those_who_left(town, state)
    findings = findings_of(town.opened().premises())
    assert not findings, [(finding.code, finding.unit, finding.message) for finding in findings]


def _expect_reasons(state: State, last: Ticked) -> None:
    """Expect that whatever is not over has a reason, or waits for a person."""
    waits = last.plan.waits
    told = {issue: (str(e.status), e.batch, e.reason, e.hold) for issue, e in state.entries.items()}
    shown = f"{told}, {[(b.id, str(b.status), b.reason) for b in state.batches.values()]}, {waits}"
    assert not last.fruitless, f"{last.fruitless} are tried for ever, {last.troubles}: {shown}"
    has_landed = {member.issue for member in state.members.values() if member.status is MemberStatus.LANDED}
    told_of = has_landed | {issue for issue, reasons in waits.items() if reasons}
    still = [issue for issue in state.entries if issue not in told_of and not is_settled(state, {issue})]
    assert not still, f"issues {still} stand still: {shown}"
    for batch in state.batches.values():
        is_over = batch.status in TERMINAL_BATCHES or batch.status in _FOR_A_PERSON
        is_told = any(waits.get(member.issue) or member.hold for member in state.members_of(batch))
        assert is_over or is_told, f"{batch.id} stands still: {shown}"


def _p5_nothing_of_those_who_left(town: "Town", state: State) -> None:
    shipped = {m.issue for m in state.members.values() if m.status is MemberStatus.SHIPPED}
    paths = set(run_git(town.repo, "ls-tree", "-r", "--name-only", "main").splitlines())
    for issue in state.entries:
        if issue not in shipped:
            own = {f"file{issue}.txt", f"tests/test_m{issue}.py", f"poison{issue}.txt", f"half{issue}.txt"} & paths
            assert not own, f"P5: {own} of {issue} is in the target, and it has not shipped"
    done = [i for i, entry in state.entries.items() if entry.status is EntryStatus.DONE and entry.batch is not None]
    assert set(done) <= shipped, f"done without having shipped: {set(done) - shipped}"
