"""One attempt at a transaction: what it writes, and which refs move with the state's."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.place import Place
from gitsched.adapters.store.commits import Signer, put_commit
from gitsched.adapters.store.keep import KeepChain
from gitsched.adapters.store.latest import Latest
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.moving import Mover
from gitsched.adapters.store.notes import NotesTree
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.recovery import Recovery
from gitsched.adapters.store.redo import RedoLog, sync_file_system
from gitsched.adapters.store.refs import Locked, Missing, Moved, read_ref
from gitsched.adapters.store.trees import Trees
from gitsched.codec.changes import Entries, change_of
from gitsched.codec.journal import message_of
from gitsched.codec.records import encode_record
from gitsched.domain.ids import KEEP_REF, STATE_REF
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.errors import BusyError, InternalError, RecordUnreadableError

if TYPE_CHECKING:
    import pygit2

_WHY_CHARS = 100


class Based(Struct, frozen=True):
    """The state commit on which a draft stands, and its tree; None before the first."""

    commit: str | None
    tree: Oid | None


class Done(Struct, frozen=True):
    """The attempt is durable, and all its refs have moved."""

    commit: str
    tree: Oid


class Lost(Struct, frozen=True):
    """Somebody else was quicker at a ref that the store moves by itself: read again, decide again."""

    ref: str


Change = Callable[[LooseWriter], tuple[Oid, str]]
"""Writes a tree, and gives it with the message of the commit that is to hold it."""

Attempt = Done | RefMoved | Lost | Locked

Read = Callable[[str], str | None]
"""Tells where a ref is, or will be once all that waits is done."""


class Prepared(Struct, frozen=True):
    """A draft as objects that are not written yet, and the moves that make it so, the state's first."""

    commit: str
    tree: Oid
    moves: list[RefMove]
    writer: LooseWriter
    upper: dict[str, Entries]
    """What changes in the tree itself, at '', and in its folders."""


class Writer:
    """Writes drafts of one repository."""

    def __init__(  # many-parameters: what it stands on, and what tests set shorter
        self,
        place: Place,
        objects: ObjectReader,
        trees: Trees,
        driver: str,
        *,
        fsync: bool,
        tell: Callable[[str], None],
    ) -> None:
        """Open the repository for writing; reading goes through libgit2 from now on."""
        self._place = place
        self._folder = place.objects
        self._trees = trees
        self._driver = driver
        self.repository = open_repository(place.common)
        sync_all = partial(sync_file_system, self._folder)
        redo = RedoLog(place.own / "redo", sync_all) if fsync else None
        self.latest = Latest(place.own / "latest")
        self.recovery = Recovery(place, self.repository, redo, tell)
        self._mover = Mover(place, self.repository, redo, sync_all)
        self._keep = KeepChain(objects)
        self._notes = NotesTree(trees)
        objects.through = _through(self.repository)

    def state(self, draft: Draft, based: Based, turn: Turn) -> Attempt:
        """Write a draft in its turn: its records, events, notes and kept commits, and move its refs along."""
        prepared = self.prepare(draft, based, partial(read_ref, self._place))
        return prepared if isinstance(prepared, RefMoved) else self.make(draft, based, prepared, turn)

    def make(self, draft: Draft, based: Based, prepared: Prepared, turn: Turn) -> Attempt:
        """Make true in its turn what was prepared: tell the others, write it and move the refs."""
        if turn.fd is not None:
            self.tell(draft, based, prepared)
        moved = self.moved(prepared.writer, prepared.moves, turn, draft)
        return moved or Done(prepared.commit, prepared.tree)

    def tell(self, draft: Draft, based: Based, prepared: Prepared) -> None:
        """Tell the others in its turn what was prepared (see `Latest`)."""
        if based.commit is not None and draft.events:
            change = change_of(based.commit, prepared.commit, draft.changed, prepared.tree, prepared.upper)
            if change is not None:
                self.latest.tell(change)

    def prepare(self, draft: Draft, based: Based, read: Read) -> "Prepared | RefMoved":
        """Name the objects of a draft and the moves that it comes to; `read` tells where refs are."""
        for move in draft.moves:
            found = read(move.name)
            if found != move.old:
                return RefMoved(name=move.name, expected=move.old, found=found)
        writer = LooseWriter(self._folder)
        tree, commit = based.tree, based.commit
        upper = dict[str, Entries]()
        if draft.events:
            tree = self._changed_tree(draft, based, writer, upper)
            commit = self._committed(draft, based, tree, writer)
        assert tree is not None, "a draft without events needs a state"
        assert commit is not None, "a draft without events needs a state"
        stated = [RefMove(STATE_REF, based.commit, commit)] if draft.events else []
        moves = [*stated, *self._keeping(draft, writer, read), *draft.moves, *self._noting(draft, writer, read)]
        return Prepared(commit, tree, moves, writer, upper)

    def follow(self, moves: Sequence[RefMove], turn: Turn, writer: LooseWriter) -> bool:
        """Move refs to what was written, durably; False: one is elsewhere, locked or collected, and none moved."""
        try:
            return not moves or isinstance(self._mover.move(writer, moves, (), turn), Moved)
        except BusyError:
            return False

    def files(
        self, ref: str, old: str | None, change: Callable[[LooseWriter], tuple[Oid, str]], turn: Turn, signer: Signer
    ) -> Attempt:
        """Write one commit on a ref of its own."""
        writer = LooseWriter(self._folder)
        tree, message = change(writer)
        commit = put_commit(writer, signer, tree.hex(), [old] if old else [], message)
        return self.moved(writer, [RefMove(ref, old, commit)], turn) or Done(commit, tree)

    def _changed_tree(self, draft: Draft, based: Based, writer: LooseWriter, upper: dict[str, Entries]) -> Oid:
        held = draft.changed.keys() & draft.base.unreadable.keys()
        if held and based.tree is not None:
            path = min(held)
            oid = self._trees.find(based.tree, path)
            raise RecordUnreadableError(path, oid.hex() if oid else "", draft.base.unreadable[path])
        blobs = {
            path: None if record is None else writer.put("blob", encode_record(record))
            for path, record in draft.changed.items()
        }
        tree = self._trees.edit(based.tree, blobs, writer.put, upper)
        assert tree is not None, "the format record is in it"
        return tree

    def _committed(self, draft: Draft, based: Based, tree: Oid, writer: LooseWriter) -> str:
        parents = [based.commit] if based.commit else []
        return put_commit(writer, self._signer(draft), tree.hex(), parents, message_of(draft.events))

    def _keeping(self, draft: Draft, writer: LooseWriter, read: Read) -> list[RefMove]:
        if not draft.keeps:
            return []
        tip = read(KEEP_REF)
        link = self._keep.anchored(writer, tip, draft.keeps, self._signer(draft), _why(draft))
        return [RefMove(KEEP_REF, tip, link)] if link else []

    def _noting(self, draft: Draft, writer: LooseWriter, read: Read) -> list[RefMove]:
        by_ref: dict[str, list[Note]] = {}
        for note in draft.notes:
            by_ref.setdefault(note.ref, []).append(note)
        moves = []
        for ref, notes in by_ref.items():
            tip = read(ref)
            tree = self._notes.with_notes(writer, self.tree_of(tip) if tip else None, notes)
            message = f"Notes added: {_why(draft)}\n"
            commit = put_commit(writer, self._signer(draft), tree.hex(), [tip] if tip else [], message)
            moves.append(RefMove(ref, tip, commit))
        return moves

    def moved(
        self, writer: LooseWriter, moves: Sequence[RefMove], turn: Turn, draft: Draft | None = None
    ) -> RefMoved | Lost | Locked | None:
        """Move the refs; None when they have moved. Only a ref that the draft names is told of as moved by others."""
        swapped = self._mover.move(writer, moves, draft.keeps if draft else (), turn)
        asked = draft.moves if draft else ()
        match swapped:
            case Moved():
                return None
            case RefMoved():
                return swapped if any(move.name == swapped.name for move in asked) else Lost(swapped.name)
            case Locked():
                return swapped
            case Missing():
                if writer.restore():
                    return Lost(swapped.ref)
                raise InternalError(f"'{swapped.ref}' was to name {swapped.oid}.", "There is no such object.")

    def tree_of(self, commit: str) -> Oid:
        """Name the tree of a commit."""
        content = bytes(self.repository.read(commit)[1])
        return bytes.fromhex(content[5:45].decode())

    def _signer(self, draft: Draft) -> Signer:
        return Signer(driver=self._driver, actor=draft.actor, at=draft.at)


def _why(draft: Draft) -> str:
    sentence = draft.events[0].sentence if draft.events else "by hand"
    return " ".join(sentence.split())[:_WHY_CHARS]


def _through(repository: "pygit2.Repository") -> Callable[..., dict[Oid, bytes]]:
    from pygit2 import Oid as GitOid

    def read(oids: Sequence[Oid]) -> dict[Oid, bytes]:
        found = {}
        for oid in oids:
            try:
                found[oid] = bytes(repository.read(GitOid(raw=oid))[1])
            except KeyError:
                continue
        return found

    return read
