"""Effects: what policy asks for. The engine performs each by one row of its table and records what came of it.

An effect names the unit and generation it was decided for; performing checks, when it records, that this still holds.
"""

from msgspec import Struct

from gitsched.domain.dispatch_effects import DispatchEffect
from gitsched.domain.queue_effects import QueueEffect
from gitsched.domain.records import Exit
from gitsched.domain.search_effects import SearchEffect
from gitsched.domain.ship_effects import ShipEffect


class LoseDriver(Struct, frozen=True):
    """Mark a driver that is gone and drop its registration."""

    driver: str


class FormSolo(Struct, frozen=True):
    """Make the batch of a single issue and seal it."""

    issue: int


class StartBatch(Struct, frozen=True):
    """Cut a ready batch's integration branch from its target and fix how it is dispatched."""

    batch: str


class Admit(Struct, frozen=True):
    """Reserve a slot for a member (first section of admission)."""

    batch: str
    issue: int


class Launch(Struct, frozen=True):
    """Prepare a member's tree, confirm the lease and spawn its agent (second section of admission)."""

    batch: str
    issue: int
    gen: int


class Recover(Struct, frozen=True):
    """Start a run again under the next generation, without using a rung of the ladder."""

    batch: str
    issue: int
    gen: int
    cause: str
    """`lost`, for instance: its worker is gone and left no end."""


class SettleRun(Struct, frozen=True):
    """Judge a run that has ended or has said its last word."""

    batch: str
    issue: int
    gen: int


class StopAgent(Struct, frozen=True):
    """Send TERM, or KILL, to the group of an agent that is to end."""

    batch: str
    issue: int
    gen: int
    kill: bool


class ClaimGate(Struct, frozen=True):
    """Run one gate on a member's tree, or take its stored verdict."""

    batch: str
    issue: int
    gate: str


class SettleJob(Struct, frozen=True):
    """Record what a job came to."""

    batch: str
    job: str


class RestartJob(Struct, frozen=True):
    """Run a job again whose process is gone and left no end."""

    batch: str
    job: str


class EndJob(Struct, frozen=True):
    """End a job whose batch is over, or whose member has left, and drop it."""

    batch: str
    job: str


class AcceptHeld(Struct, frozen=True):
    """Take up a member whose changes outside its declared files an operator has accepted."""

    batch: str
    issue: int


class ConcludeMember(Struct, frozen=True):
    """Say what a member's gates come to: verified, or evicted."""

    batch: str
    issue: int


class Land(Struct, frozen=True):
    """Put a verified member's commits on the integration branch."""

    batch: str
    issue: int


class Validate(Struct, frozen=True):
    """Every member is resolved: the suite is due, or is said to be none."""

    batch: str


class ClaimSuite(Struct, frozen=True):
    """Run the suite on the integration tree, or take its stored verdict."""

    batch: str


class Evict(Struct, frozen=True):
    """Take members out of their batch for cause."""

    batch: str
    exits: tuple[Exit, ...]


class Rebuild(Struct, frozen=True):
    """Build the integration branch again, from its base or from the moved target, with the members that are left."""

    batch: str


class Review(Struct, frozen=True):
    """Check that landed commits and landed members agree, and have the reviewer read the whole."""

    batch: str
    wait: str | None = None
    """Why the reviewer does not start yet."""


class OpenRequest(Struct, frozen=True):
    """Open the batch's pull request, or update it."""

    batch: str


class Merge(Struct, frozen=True):
    """Merge the pull request as `ship.merge` says."""

    batch: str


class AcceptMerge(Struct, frozen=True):
    """Take a merge that the forge reports for true once the target proves it."""

    batch: str


class CloseRequest(Struct, frozen=True):
    """Record that the pull request was closed without being merged."""

    batch: str


class Deploy(Struct, frozen=True):
    """Have the deployment checked, or pass through where nobody asks for that."""

    batch: str


class Report(Struct, frozen=True):
    """Have the report's agent write, and post the reports."""

    batch: str
    wait: str | None = None
    """Why that agent does not start yet."""


class TearDown(Struct, frozen=True):
    """Clear away what the batch has used: trees, run refs, branches that nobody needs."""

    batch: str


class Block(Struct, frozen=True):
    """Stop a batch until a person acts."""

    batch: str
    reason: str
    basis: tuple[str, ...]
    """What that was decided on; once it is otherwise, nothing is blocked."""
    detail: str = ""


class Dissolve(Struct, frozen=True):
    """Give a batch up."""

    batch: str
    reason: str


class FinishDissolve(Struct, frozen=True):
    """Put a dissolving batch's members where they belong."""

    batch: str


class EndLeases(Struct, frozen=True):
    """End the runs of a batch that is over, and give their slots back."""

    batch: str
    issue: int


class ReleaseTree(Struct, frozen=True):
    """Give the tree of a member that needs it no more back to the pool."""

    batch: str
    issue: int


Effect = (
    LoseDriver
    | QueueEffect
    | FormSolo
    | StartBatch
    | Admit
    | Launch
    | Recover
    | SettleRun
    | StopAgent
    | DispatchEffect
    | ShipEffect
    | SearchEffect
    | ClaimGate
    | SettleJob
    | RestartJob
    | EndJob
    | AcceptHeld
    | ConcludeMember
    | Land
    | Validate
    | ClaimSuite
    | Evict
    | Rebuild
    | Review
    | OpenRequest
    | Merge
    | AcceptMerge
    | CloseRequest
    | Deploy
    | Report
    | TearDown
    | Block
    | Dissolve
    | FinishDissolve
    | EndLeases
    | ReleaseTree
)
