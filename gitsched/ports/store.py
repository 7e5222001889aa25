"""The store: the whole live state under one ref, changed by compare-and-swap."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from gitsched.domain.events import Event
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Transacted, Unreachable
from gitsched.domain.state import Draft, State

Intent = Callable[[Draft], None]
"""Builds a change on the draft it is given. May be called again on a newer state after a lost race, so it decides
afresh each time from `draft.state` and touches nothing else. Leaves the draft empty to change nothing; may raise
RefusedError."""


class Entry(Struct, frozen=True, kw_only=True):
    """One commit of the state's history: the journal entry."""

    commit: str
    at: Instant
    actor: str
    events: tuple[Event, ...]


class Store(Protocol):
    """Reads and changes the state of one repository."""

    @property
    def tip(self) -> str | None:
        """Name the state commit that `read` last gave; None before `init`."""

    def read(self) -> State:
        """Give the current state: one ref read when nothing changed, else only what changed is decoded.

        Raises FormatError for a newer format. A record that does not decode stands in `State.unreadable`.
        """

    def read_at(self, commit: str) -> State:
        """Give the state as it was at that commit of the state ref's history."""

    def ended(self) -> State:
        """Give the ended batches that were moved out of the state, with their members and settings."""

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Change the state by one durable commit together with the draft's ref moves, keeps and notes.

        The intent is re-run on a newer state after a lost race, with jittered back-off and a bound; then BusyError.
        Raises StorageFullError with the state before intact. Never blocks on a dead holder's lock beyond 30 s.
        With a remote the commit counts once the remote has accepted it; raises RemoteRefusedError in the remote's
        words, or RemoteAwayError, and nothing has changed.
        """

    def catch_up(self) -> Unreachable | None:
        """Bring what a remote has; without one there is nothing to bring. Unreachable: decide nothing."""

    @property
    def away(self) -> Unreachable | None:
        """Tell what stood against the last `catch_up` of any process of this clone; nothing is asked for it."""

    def together(self) -> AbstractContextManager[None]:
        """Let transactions wait for one another inside the block, where each would cost a push of its own.

        What waits is seen by this process and by nobody else before `settle`; leaving the block settles.
        """

    def settle(self) -> None:
        """Have accepted what waits, before the world outside is touched.

        Raises RaceLostError when somebody else was quicker: all that waited is void and must be decided again.
        Raises as `apply` does.
        """

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something to the world once all that waits is accepted, and never when it is void; else at once."""

    def history(self, path: str | None = None, since: str | None = None) -> Iterator[Entry]:
        """Walk the journal, newest first.

        `path` limits it to commits that changed that path of the state tree; `since` stops before that commit.
        """

    def keep_evidence(self, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        """Add files to the batch's evidence (path → bytes), refresh its manifest, and name the evidence commit."""

    def evidence(self, batch: str) -> Mapping[str, bytes]:
        """Read all evidence of a batch by path; empty when there is none."""

    def evidence_paths(self, batch: str) -> tuple[str, ...]:
        """List the paths of a batch's evidence without reading it."""
