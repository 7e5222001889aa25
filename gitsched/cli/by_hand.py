"""By hand: the last word of a person who has claimed an issue, told by the tree in which it is said."""

from collections.abc import Mapping
from pathlib import Path

from gitsched.cli.call import Call
from gitsched.domain.records import Lease


def claim_here(call: Call) -> Lease | None:
    """Find the claim whose tree the call was made in; None outside any."""
    from gitsched.engine.claiming import claimed_in
    from gitsched.errors import GitschedError

    try:
        state = call.clone.store.read()
    except GitschedError:
        return None
    return claimed_in(state, Path(call.directory).resolve(), call.clone.processes.own().host)


def say(call: Call, lease: Lease, phase: str, status: str, keys: Mapping[str, str]) -> None:
    """Record a person's last word and its end.

    Raises UsageError for bad values, SupersededError when it is too late.
    """
    from gitsched.codec.milestones import milestone_of
    from gitsched.domain.ids import branch_ref
    from gitsched.engine.claiming import say_done
    from gitsched.errors import SupersededError

    clone = call.clone
    now, member = clone.clock.now(), clone.store.read().members[lease.batch, lease.issue]
    milestone = milestone_of(phase, status, keys, gen=lease.gen, at=now)
    head = clone.refs.resolve(branch_ref(member.branch))
    if not say_done(clone.run_refs, lease, milestone, head, clone.processes.own()):
        raise SupersededError(
            f"Issue {lease.issue} of {lease.batch} was to be finished.",
            "Its last word has been said already.",
            f"`gitsched why {lease.issue}` tells what comes next.",
        )
    clone.wake_all()
    call.tell(f"Said for issue {lease.issue}: {phase} {status}. A driver takes it from here: `gitsched run`.")
