"""Signs of life of what runs on this host, for verbs and pages that only look."""

from gitsched.domain.state import State
from gitsched.domain.words import LIVE_RUNS
from gitsched.ports.runner import Runner
from gitsched.view.overview import Sign


def signs_of(state: State, runner: Runner) -> dict[tuple[str, int], Sign]:
    """Find when each live run was last heard of: its output, its last milestone, its start."""
    found = {}
    for (batch, issue), lease in state.leases.items():
        if lease.status not in LIVE_RUNS:
            continue
        look = runner.look(batch, str(issue), lease.gen)
        milestones = look.record.milestones if look.record is not None else ()
        heard = (lease.spawned_at or lease.acquired_at, look.output_at or "", *(posted.at for posted in milestones))
        found[batch, issue] = Sign(max(heard), milestones[-1].phase if milestones else None)
    return found
