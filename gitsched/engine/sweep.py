"""Sweeping: what a killed driver left between two steps and no record names any more.

A run ref without a lease or job was settled and not forgotten; a tree whose owner is in no record was handed out and
not recorded. Both are looked for when a driver begins.
"""

from pathlib import Path

from gitsched.domain.ids import RUNS_PREFIX
from gitsched.domain.state import State
from gitsched.engine.desk import Desk
from gitsched.policy.runs import SUITE_JOB


def sweep(desk: Desk) -> None:
    """Forget settled runs and give back trees that nobody has."""
    state = desk.state
    for ref in desk.around.refs.below(RUNS_PREFIX):
        batch, _, name = ref.removeprefix(RUNS_PREFIX).partition("/")
        is_leased = name.isdigit() and (batch, int(name)) in state.leases
        if not is_leased and (batch, name) not in state.jobs:
            desk.around.runner.forget(batch, name)
    for path, owner in desk.around.trees.owners().items():
        if owner is not None and not is_owned(state, path, owner):
            desk.around.trees.release(path)


def is_owned(state: State, path: Path, owner: str) -> bool:
    """Say whether some record stands behind the owner of a tree: a member, its lease, or a job."""
    batch, _, rest = owner.partition("/")
    name = rest.partition("/")[0]
    if name == SUITE_JOB or not name.isdigit():
        return any(job.batch == batch and job.place == str(path) for job in state.jobs.values())
    key = (batch, int(name))
    member = state.members.get(key)
    return key in state.leases or (member is not None and member.tree == str(path))


def release_earlier_trees(desk: Desk, batch: str, issue: int, owner: str) -> None:
    """Give back trees that earlier generations of a member were handed and never recorded."""
    for path, held_by in desk.around.trees.owners().items():
        if held_by is not None and held_by != owner and held_by.startswith(f"{batch}/{issue}/"):
            desk.around.trees.release(path)
