"""Effects on an open pull request: what the forge is asked for, and what its answers come to (see `effects`)."""

from msgspec import Struct


class Park(Struct, frozen=True):
    """Ask the forge to merge the pull request by itself."""

    batch: str


class NoteParked(Struct, frozen=True):
    """Record that a parked pull request has lost what was to merge it, or has it back."""

    batch: str
    is_lost: bool


class MakeReady(Struct, frozen=True):
    """Turn the draft into a pull request that can be merged."""

    batch: str


class MeetTarget(Struct, frozen=True):
    """Rebase a pull request that conflicts, or that must be up to date with its target."""

    batch: str
    conflicts: bool


class Split(Struct, frozen=True):
    """Cut a batch in two whose pull request conflicts for the second time."""

    batch: str


class TakeRedCheck(Struct, frozen=True):
    """Take a red required check that names tests for a red suite."""

    batch: str
    check: str


class Await(Struct, frozen=True):
    """Record what an open pull request waits for; None: nothing that has a name."""

    batch: str
    reason: str | None


class AwaitRollout(Struct, frozen=True):
    """Record that a merged batch waits for its deployment."""

    batch: str
    reason: str


class Reconcile(Struct, frozen=True):
    """Take a blocked batch for merged: its work is in the target, as proven."""

    batch: str
    proof: str


class RetireRequest(Struct, frozen=True):
    """Close the pull request of a batch that is over without having merged."""

    batch: str


ShipEffect = (
    Park | NoteParked | MakeReady | MeetTarget | Split | TakeRedCheck | Await | AwaitRollout | Reconcile | RetireRequest
)
