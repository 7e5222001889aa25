"""What the doctor asks of the ports; nothing is changed by asking."""

from collections.abc import Mapping
from pathlib import Path

from gitsched.domain.ids import branch_ref, run_ref
from gitsched.domain.state import State
from gitsched.domain.words import Liveness
from gitsched.policy.left_checkup import PREFIX
from gitsched.ports.refs import Refs
from gitsched.ports.runner import Processes, Runner
from gitsched.ports.worktrees import TreeWork, Worktrees

_RESCUES = "refs/gitsched/rescue/"


def driver_liveness(state: State, processes: Processes) -> Mapping[str, Liveness]:
    """Tell of every registered driver whether it lives."""
    return {driver.id: processes.liveness(driver.process) for driver in state.drivers.values()}


def worker_liveness(state: State, runner: Runner, refs: Refs) -> Mapping[tuple[str, int], Liveness]:
    """Tell of every lease whether its worker lives; one without a run ref has none."""
    return {
        key: runner.look(key[0], str(key[1]), lease.gen).worker
        if refs.resolve(run_ref(key[0], str(key[1]))) is not None
        else Liveness.GONE
        for key, lease in state.leases.items()
    }


def held_trees(trees: Worktrees, work: TreeWork) -> Mapping[str, bool]:
    """List our worktrees that somebody holds, with whether there is uncommitted work in them."""
    return {str(path): Path(path).is_dir() and bool(work.uncommitted(path)) for path in trees.owners()}


def branches(refs: Refs) -> tuple[str, ...]:
    """List the branches whose name is one of ours."""
    heads = branch_ref("")
    return tuple(sorted(name.removeprefix(heads) for name in refs.below(heads + PREFIX)))


def rescues(refs: Refs) -> tuple[str, ...]:
    """List the refs of uncommitted work that was saved."""
    return tuple(sorted(refs.below(_RESCUES)))
