"""Inside a run: who calls, by the environment that the run was started with."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsched.cli.by_hand import claim_here, say
from gitsched.cli.call import Call
from gitsched.domain.runs import POST_TOKEN
from gitsched.errors import UsageError

if TYPE_CHECKING:
    from gitsched.wiring.clone import Clone

_NEEDED = ("GITSCHED_BATCH", "GITSCHED_ISSUE", "GITSCHED_GEN")


class Identity(NamedTuple):
    """One run of one member."""

    batch: str
    name: str
    gen: int
    token: str
    """What proves that the caller is this run; empty where the variable is not set."""
    branch: str | None
    worktree: str | None


def identity(environment: Mapping[str, str] | None = None) -> Identity:
    """Read the identity of the calling run. Raises UsageError outside any."""
    env = os.environ if environment is None else environment
    needed = [name for name in _NEEDED if name != "GITSCHED_ISSUE" or not env.get("GITSCHED_JOB")]
    missing = [name for name in needed if not env.get(name)]
    if missing:
        raise UsageError(
            "A word to the run that this call belongs to was to be recorded.",
            f"This is not inside a run: {', '.join(missing)} is not set.",
            "`gitsched status` shows the runs; agents are started by `gitsched run`.",
        )
    gen = env["GITSCHED_GEN"]
    if not gen.isdecimal():
        raise UsageError(
            "The generation of this run was to be read.",
            f"GITSCHED_GEN is {gen[:40]!r}, which is no whole number.",
            "Leave the variable as the run was given it; `gitsched status` shows the runs.",
        )
    return Identity(
        batch=env["GITSCHED_BATCH"],
        # A job, such as a fix or a review, has a run of its own name.
        name=env.get("GITSCHED_JOB") or env["GITSCHED_ISSUE"],
        gen=int(gen),
        token=env.get(POST_TOKEN, ""),
        branch=env.get("GITSCHED_BRANCH"),
        worktree=env.get("GITSCHED_WORKTREE"),
    )


def post(call: Call, phase: str, status: str, keys: Mapping[str, str], *, names_head: bool = False) -> None:
    """Append a milestone to the calling run. Raises UsageError for bad values, SupersededError for an older gen."""
    from gitsched.codec.milestones import milestone_of

    lease = claim_here(call) if not any(os.environ.get(name) for name in _NEEDED) else None
    if lease is not None:
        say(call, lease, phase, status, keys)
        return
    who = identity()
    clone = at_work(call, who)
    known = dict(keys)
    if names_head and who.branch:
        head = clone.refs.resolve(f"refs/heads/{who.branch}")
        known |= {"head": head} if head else {}
    milestone = milestone_of(phase, status, known, gen=who.gen, at=clone.clock.now())
    clone.poster.post(who.batch, who.name, milestone, who.token)
    call.tell(f"Posted: {phase} {status}.")


def at_work(call: Call, who: Identity) -> "Clone":
    """Open the clone of the run, wherever in the file system its agent stands."""
    if who.worktree and Path(who.worktree).is_dir():
        return Call(Path(who.worktree)).clone
    return call.clone
