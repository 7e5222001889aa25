"""Sweeping: what a killed driver left between two steps and no record names any more.

A run ref without a run or job on record was settled and not forgotten; a tree whose owner is in no record was handed
out and not recorded. Both are looked for when a driver begins, and when it finds that another one is gone. Everything
is on record before it is made in the world, but for the trees of suites: so the world is looked at first, the records
after it, and what a living driver does is left alone.
"""

from contextlib import suppress
from pathlib import Path

from gitsched.domain.state import State
from gitsched.domain.words import Liveness, RunStatus
from gitsched.engine.desk import Desk
from gitsched.errors import BusyError, GitFailedError, RefusedError
from gitsched.policy.runs import CONFIRMING, SUITE_JOB

UNSETTLED_RUNS = (RunStatus.ASSIGNED, RunStatus.RECOVERING, RunStatus.RUNNING)


def sweep(desk: Desk) -> None:
    """Move dead locks aside, forget settled runs and give back trees that nobody has."""
    desk.around.refs.heal()
    runs, owners = desk.around.runner.runs(), desk.around.trees.owners()
    state = _state_with_what_waits(desk)
    working = {(job.batch, job.run) for job in state.jobs.values()}
    # A lease outlives its run: while gates judge what the run left, the run itself is settled.
    working |= {(one.batch, str(one.issue)) for one in state.leases.values() if one.status in UNSETTLED_RUNS}
    # What there was no space for is still to be kept.
    working |= {(member.batch, str(member.issue)) for member in state.members.values() if member.owed}
    working |= {(batch.id, owed["run"]) for batch in state.batches.values() for owed in batch.owed.values()}
    for (batch, name), gen in runs.items():
        if (batch, name) not in working:
            desk.around.runner.forget(batch, name, gen)
    for path, owner in owners.items():
        if owner is not None and not _is_owned(desk, state, path, owner) and not _holds_work(desk, path, owner):
            with suppress(BusyError):  # a driver that was stopped keeps the turn: another sweep comes
                desk.around.trees.release(path, [owner])


def _state_with_what_waits(desk: Desk) -> State:
    """Read the state as a transaction would: what other drivers of the clone are about to share is in it."""
    found: list[State] = []
    desk.record(lambda draft: found.append(draft.state))
    return found[-1]


def _holds_work(desk: Desk, path: Path, owner: str) -> bool:
    """Say whether a member's tree that no record names holds changes all the same: a person's, then, to look at."""
    if owner.split("/")[1] in (SUITE_JOB, CONFIRMING) or not (path / ".git").exists():
        return False
    try:
        return bool(desk.around.work.uncommitted(path))
    except RefusedError:  # what stands there is no worktree of ours any more: giving it back says so
        return False
    except GitFailedError:  # it is broken: whether there is work in it cannot be told
        return True


def _is_owned(desk: Desk, state: State, path: Path, owner: str) -> bool:
    """Say whether some record stands behind the owner of a tree: a member, its lease, a job, or a driver at work."""
    batch, name, *rest = owner.split("/")
    if name in (SUITE_JOB, CONFIRMING):
        is_claimed = any(job.batch == batch and job.place == str(path) for job in state.jobs.values())
        return is_claimed or (bool(rest) and _lives(desk, state, rest[0]))
    key = (batch, int(name)) if name.isdigit() else (batch, 0)
    member, lease = state.members.get(key), state.leases.get(key)
    is_leased = lease is not None and lease.holder.host == desk.me.host
    return is_leased or (member is not None and member.tree == str(path))


def _lives(desk: Desk, state: State, driver: str) -> bool:
    """Say whether another driver may be at work there; this one sweeps between its acts, and holds nothing then."""
    if driver == desk.me.driver:
        return False
    record = state.drivers.get(driver)
    if record is None:
        return False
    return desk.around.processes.liveness(record.process) is not Liveness.GONE


def release_earlier_trees(desk: Desk, batch: str, issue: int, owner: str) -> None:
    """Give back trees that earlier generations of a member were handed and never recorded, or are done with."""
    desk.around.store.settle()
    for path, held_by in desk.around.trees.owners().items():
        if held_by is not None and held_by != owner and held_by.startswith(f"{batch}/{issue}/"):
            desk.around.trees.release(path, [held_by])
