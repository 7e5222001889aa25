"""The store of one repository: its state, journal and evidence, behind the port `Store`."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.bounds import Bounds
from gitsched.adapters.store.cache import ColdStart
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.migrations import FORMATS, Formats
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.queue import Queue, Turn, nothing
from gitsched.adapters.store.reading import Known, Reader, migrate, refuse_foreign
from gitsched.adapters.store.refs import Locked, read_ref
from gitsched.adapters.store.trees import Trees
from gitsched.codec.changes import changed_by
from gitsched.domain.events import EventName
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF, evidence_ref
from gitsched.domain.outcomes import Applied, RefMoved, Transacted, Unchanged, Unreachable
from gitsched.domain.records import Control, Format
from gitsched.domain.state import Draft, State
from gitsched.ports.runner import Clock
from gitsched.ports.store import Entry, Intent

if TYPE_CHECKING:
    from gitsched.adapters.store.commits import Signer
    from gitsched.adapters.store.evidence import Evidence, SignManifest
    from gitsched.adapters.store.transaction import Attempt, Based, Done, Writer


class GitStore:
    """Keeps the state of a repository under `refs/gitsched/state`, one commit per transaction."""

    beginning = "`gitsched init` sets it up."

    def __init__(  # many-parameters: what it stands on, and what tests set shorter
        self,
        repository: Path,
        clock: Clock,
        driver: str = "cli",
        *,
        fsync: bool = True,
        bounds: Bounds | None = None,
        tell: Callable[[str], None] | None = None,
        formats: Formats = FORMATS,
        mark: str = "",
    ) -> None:
        """Stand on the repository at or above a path.

        `driver` signs as committer; `tell` hears what was healed, else the log does; `mark` ends ids that are made.
        Nothing is written, no git library loaded before it is needed. Raises RefusedError without a usable repository.
        """
        self.place = find_place(repository)
        self._clock = clock
        self._driver = driver
        self._fsync = fsync
        self._mark = mark
        self._bounds = bounds or Bounds()
        self._tell = tell or _warn
        self.objects = ObjectReader(self.place)
        self.trees = Trees(self.objects)
        self.reader = Reader(self.objects, self.trees, formats)
        self._queue = Queue(self.place.own / "queue", self._bounds.queue_s)
        self._known: Known | None = None
        self._opened: Writer | None = None
        self._cold = ColdStart(self.place.own / "cache" / "objects", self.objects)
        self.sign_manifest: SignManifest | None = None

    @property
    def tip(self) -> str | None:
        """Name the state commit that `read` last gave."""
        return self._known[0] if self._known else None

    def read(self) -> State:
        """Give the current state (see the port). Raises NotSetUpError before `initialise`, StateLostError."""
        state = self._current()
        if state is None:
            from gitsched.adapters.store.lost import missing

            asked = f"The state of '{self.place.common}' was to be read."
            raise missing(self.place, self.objects, asked, self.beginning)
        return state

    def read_at(self, commit: str) -> State:
        """Give the state as it was at a commit of the state's history."""
        from gitsched.adapters.store.journal import Journal

        tree = Journal(self.objects, self.trees).link(commit).tree
        return self.reader.state(tree, self._known[1:] if self._known else None)

    def ended(self) -> State:
        """Give the ended batches that were moved out of the state (see the port)."""
        tip = read_ref(self.place, ARCHIVE_REF)
        return State() if tip is None else self.reader.state(self.reader.tree_of(tip), None)

    def initialise(self, control: Control) -> Transacted:
        """Set the store up with a new id; one that is there stays as it is. Raises StateLostError (see `read`)."""
        from secrets import token_hex

        from gitsched.adapters.store.lost import refuse_lost

        def intent(draft: Draft) -> None:
            if self.tip is None:
                refuse_lost(self.place, self.objects)
                made = Format(format=self.reader.formats.newest, store=token_hex(8))
                draft.note(EventName.INITIALISED, "Set up gitsched.", made, control, store=made.store)

        return self._apply(intent, "gitsched", lambda: self._current() or State())

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Change the state by one durable commit (see the port); one of an older format is migrated before."""
        found = self._known[2] if self._known else self._current()  # None: torn, which the transaction itself mends
        if found is not None and found.format.format < self.reader.formats.newest:
            self._apply(self._migrate, "gitsched", self.read)
        return self._apply(intent, actor, self.read)

    def _migrate(self, draft: Draft) -> None:
        assert self._known is not None, "the draft stands on what was read"
        migrate(draft, self.reader, self._known[1])

    def history(self, path: str | None = None, since: str | None = None) -> Iterator[Entry]:
        """Walk the journal, newest first (see the port)."""
        from gitsched.adapters.store.journal import Journal

        self.writer()  # opening writes nothing, and libgit2 reads packed commits quickest
        yield from Journal(self.objects, self.trees).walk(read_ref(self.place, STATE_REF), path, since)

    def keep_evidence(self, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        """Add files to a batch's evidence and name the evidence commit."""
        ref, writer, evidence = evidence_ref(batch), self.writer(), self._kept()

        def once(turn: Turn) -> "Attempt | Unchanged":
            tip = read_ref(self.place, ref)
            tree = writer.tree_of(tip) if tip else None

            def change(loose: LooseWriter) -> tuple[Oid, str]:
                return evidence.added(loose, tree, files, batch), f"{sentence}\n"

            return writer.files(ref, tip, change, turn, self.signer())

        done = self.repeated(once)
        assert not isinstance(done, Unchanged | RefMoved), "nobody expected anything of its one ref"
        return done.commit

    def evidence(self, batch: str) -> Mapping[str, bytes]:
        """Read all evidence of a batch by path, its manifest among it."""
        tip = read_ref(self.place, evidence_ref(batch))
        return self._kept().files(self.writer().tree_of(tip)) if tip else {}

    def _kept(self) -> "Evidence":
        from gitsched.adapters.store.evidence import Evidence

        return Evidence(self.objects, self.trees, self.sign_manifest)

    def evidence_paths(self, batch: str) -> tuple[str, ...]:
        """List the paths of a batch's evidence without reading it."""
        return tuple(sorted(self.evidence(batch)))

    def signer(self, actor: str = "gitsched") -> "Signer":
        """Sign as this driver, now, for whoever causes it."""
        from gitsched.adapters.store.commits import Signer

        return Signer(self._driver, actor, self._clock.now())

    def catch_up(self) -> Unreachable | None:
        """Have all there is: this clone is the truth (see the port)."""

    @property
    def away(self) -> Unreachable | None:
        """Be here (see the port)."""

    @contextmanager
    def together(self) -> Iterator[None]:
        """Share nothing: a transaction of this clone alone costs less than waiting would (see the port)."""
        yield

    def settle(self) -> None:
        """Have nothing that waits (see the port)."""

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do it: nothing waits (see the port)."""
        act()

    def _apply(self, intent: Intent, actor: str, current: Callable[[], State]) -> Transacted:
        from gitsched.adapters.store.ahead import Ahead, look_ahead

        writer, drafted, ahead = self.writer(), list[Draft](), list[Ahead]()

        def decided(state: State) -> Draft:
            intent(draft := Draft(state, self._clock.now(), actor, self._mark))
            return draft

        def prepare() -> None:
            known = self._kept_up()
            if known is not None and not ahead:
                ahead.extend(filter(None, [look_ahead(writer, self.trees, known, decided)]))

        def once(turn: Turn) -> "Attempt | Unchanged":
            if ahead and (made := ahead.pop()).known[0] == self._newest():
                self._known, drafted[:] = made.known, [made.draft]
                return writer.make(made.draft, self._based(), made.prepared, turn)
            state, based = current(), self._based()  # before the intent, which may read what others made meanwhile
            drafted[:] = [draft := decided(state)]
            if not (draft.events or draft.moves or draft.keeps or draft.notes):
                return Unchanged()
            return writer.state(draft, based, turn)

        done = self.repeated(once, prepare)
        if isinstance(done, Unchanged | RefMoved):
            return done
        self._known = (done.commit, done.tree, drafted[0].state)
        self._cold.refresh(done.tree, len(drafted[0].state.entries), len(drafted[0].changed))
        return Applied(commit=done.commit, events=tuple(drafted[0].events))

    def _based(self) -> "Based":
        from gitsched.adapters.store.transaction import Based

        return Based(*self._known[:2]) if self._known else Based(None, None)

    def repeated(
        self, once: "Callable[[Turn], Attempt | Unchanged]", meanwhile: Callable[[], object] = nothing
    ) -> "Done | RefMoved | Unchanged":
        """Try until it is done or decided, each time in a turn of the queue; see there for `meanwhile`."""
        from gitsched.adapters.store.patience import Patience
        from gitsched.adapters.store.transaction import Done, Lost

        patience, writer = Patience(self.place, self._bounds, self._tell), self.writer()
        while True:
            with self._queue.turn(meanwhile) as turn:
                writer.recovery.mend(turn)
                outcome = once(turn)
            match outcome:
                case Locked():
                    patience.locked(outcome.ref)
                case Lost():
                    patience.lost(outcome.ref)
                case Done() | RefMoved() | Unchanged():
                    return outcome
                case _:
                    assert_never(outcome)

    def _current(self) -> State | None:
        if (tip := self._newest()) is None:
            return None
        if self._known is None:
            self._read_cold(tip)
        elif self._known[0] != tip:
            self._read_on(tip, self._known)
        assert self._known is not None
        return self._known[2]

    def _newest(self) -> str | None:
        return read_ref(self.place, STATE_REF)

    def _read_on(self, tip: str, known: Known) -> None:
        if not self._is_told(known, tip):
            tree = self.reader.tree_of(tip)
            state = self.reader.state(tree, known[1:])
            refuse_foreign(known[2].format, state.format)
            self._known = (tip, tree, state)

    def _kept_up(self) -> Known | None:
        """Read on as far as others tell, and give what is known if others can tell more of it."""
        known, tip = self._known, self._newest()
        if known is None or tip is None or not (known[0] == tip or self._is_told(known, tip)):
            return None
        return self._known if self.reader.is_plain(known[2]) else None

    def _is_told(self, known: Known, tip: str) -> bool:
        """Read on to the tip by what others tell; False where they do not tell all of it."""
        commit, tree, state = known
        if self._opened is None or not self.reader.is_plain(state):
            return False
        changes = self._opened.latest.since(commit, tip)
        if changes:
            self._known = changes[-1].new, self.trees.follow(tree, changes), changed_by(state, changes)
        return bool(changes)

    def _read_cold(self, tip: str) -> None:
        with self._cold.start():
            tree = self.reader.tree_of(tip)
            self._known = (tip, tree, self.reader.state(tree, None))

    def writer(self) -> "Writer":
        """Open the repository for writing, once."""
        if self._opened is None:
            from gitsched.adapters.store.transaction import Writer

            self._opened = Writer(
                self.place, self.objects, self.trees, self._driver, fsync=self._fsync, tell=self._tell
            )
        return self._opened


def _warn(text: str) -> None:
    import logging

    logging.getLogger(__name__).warning(text)
