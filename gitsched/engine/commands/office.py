"""The office: what commands need of the world, gathered for one repository."""

from collections.abc import Callable

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.engine.intake.issues import IssueReader
from gitsched.policy.situation import Situation
from gitsched.ports.conversation import Conversation
from gitsched.ports.refs import Refs
from gitsched.ports.runner import Clock
from gitsched.ports.store import Store
from gitsched.view.picture import Picture


class Office(Struct, frozen=True, kw_only=True):
    """Where the comments of one repository are heard."""

    store: Store
    forge: IssueReader
    talk: Conversation
    clock: Clock
    settings: Settings
    look: Callable[[], Picture]
    """Look at everything as it is now, for commands that only read."""
    situation: Callable[[], Situation]
    """Look at everything as policy needs it, for commands that decide by it."""
    refs: Refs
    ship: Callable[[str], str]
    """Merge the pull request of a batch now, and say what stood against it; empty where nothing did."""
    reconcile: Callable[[], object]
    """Bring forming batches to what the GitHub milestones say. May raise TemporaryError."""
    wake: Callable[[], None]
    """Wake the drivers of this repository."""
