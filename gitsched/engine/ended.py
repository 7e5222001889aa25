"""What is known of a run that has ended: found around it, kept of it, and to follow it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from gitsched.config.profiles import AgentProfile
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.runs import RunEnd, RunRecord
from gitsched.domain.words import Tier
from gitsched.engine.rescuing import Saved
from gitsched.policy.settle import RunFacts
from gitsched.ports.worktrees import CheckoutChange


class Kept(Struct, frozen=True, kw_only=True):
    """Where a run's evidence is, and what proves that it is whole; or what is still to be kept."""

    folder: str
    digest: str | None = None
    """Of the files in the folder; the state names it, so that evidence and journal prove each other."""
    owed: Mapping[str, Any] | None = None
    """The run's summary where there was no space for it: the state keeps it until there is."""

    def told(self) -> dict[str, Any]:
        """Give the fields by which an event names it."""
        return {"evidence": self.folder, "evidence_sha256": self.digest}


class Climb(Struct, frozen=True, kw_only=True):
    """What follows a run that ended without being verified: the next rung, or the word to leave under."""

    tier: Tier | None
    reason: str
    """Meaningful without a tier."""
    detail: str | None = None
    """What of its work was found elsewhere, for whoever reads why it left."""
    evidence: str | None = None
    """Where what is left of the run is kept, when no other event tells that."""


class Ended(Struct, frozen=True, kw_only=True):
    """A run that has ended, with all that was found around it."""

    batch: Batch
    member: Member
    lease: Lease
    record: RunRecord
    end: RunEnd
    profile: AgentProfile | None
    facts: RunFacts
    head: str
    """Head of the member's branch."""
    is_branch_gone: bool = False
    """Its agent has deleted the branch; it is made again, for a parked member's stays."""
    made: tuple[str, ...] = ()
    """Its newest commits, wherever it made them: what it amended or made on no branch is not lost with its tree."""
    kept: Kept | None = None
    leaves_files: bool = False
    """There is uncommitted work that no closing commit takes, since it looks like a secret or is to be ignored."""
    rescued: Saved | None = None
    """What of its uncommitted work was saved."""
    is_charged: bool = True
    """What failed for its surroundings costs its budgets nothing."""
    climb: Climb | None = None
    """What follows when it ended unverified."""
    checkout: CheckoutChange | None = None
    """What happened to the user's checkout meanwhile."""
    is_unread: bool = False
    """The forge could not be asked what it published by itself."""
