"""One attempt at a transaction: objects to the disk, then all refs at once, the state's ref first."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.store.commits import Signer, put_commit
from gitsched.adapters.store.durability import Durability, Way, way_for
from gitsched.adapters.store.keep import KeepChain
from gitsched.adapters.store.loose import LooseWriter, Oid, full_disk
from gitsched.adapters.store.notes import NotesTree
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.place import Place
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.ref_locks import move_aside
from gitsched.adapters.store.refs import Locked, Missing, Moved, Swapped, read_ref, swap
from gitsched.adapters.store.shelter import collects_garbage, shelter
from gitsched.adapters.store.trees import Trees
from gitsched.codec.journal import message_of
from gitsched.codec.records import encode_record
from gitsched.domain.ids import KEEP_REF, STATE_REF
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.errors import GitFailedError, InternalError, RecordUnreadableError

if TYPE_CHECKING:
    import pygit2

_NO_SPACE = ("No space left", "quota exceeded", "File too large")
_LOOKED_BACK = 64
_WHY_CHARS = 100


class Based(Struct, frozen=True):
    """The state commit on which a draft stands, and its tree; None before the first."""

    commit: str | None
    tree: Oid | None


class Done(Struct, frozen=True):
    """All refs of the attempt have moved; `seal` makes that durable."""

    commit: str
    tree: Oid
    refs: tuple[str, ...]


class Lost(Struct, frozen=True):
    """Somebody else was quicker at a ref that the store moves by itself: read again, decide again."""

    ref: str


Change = Callable[[LooseWriter], tuple[Oid, str]]
"""Writes a tree, and gives it with the message of the commit that is to hold it."""

Attempt = Done | RefMoved | Lost | Locked


class Writer:
    """Writes drafts of one repository."""

    def __init__(
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
        self._trees = trees
        self._driver = driver
        self._tell = tell
        self._durability = Durability(way_for(place.objects, fsync=fsync))
        self.repository = _opened(place, fsync=self._durability.way is Way.EACH)
        self._careful: pygit2.Repository | None = None
        self._keep = KeepChain(objects)
        self._notes = NotesTree(trees)
        objects.through = _through(self.repository)

    def state(self, draft: Draft, based: Based, turn: Turn) -> Attempt:
        """Write a draft in its turn: its records, events, notes and kept commits, and move its refs along."""
        for move in draft.moves:
            found = read_ref(self._place, move.name)
            if found != move.old:
                return RefMoved(name=move.name, expected=move.old, found=found)
        writer = LooseWriter(self._place.objects, self._durability)
        try:
            tree, commit = based.tree, based.commit
            if draft.events:
                tree = self._changed_tree(draft, based, writer)
                commit = self._committed(draft, based, tree, writer)
            assert tree is not None, "a draft without events needs a state"
            assert commit is not None, "a draft without events needs a state"
            stated = [RefMove(STATE_REF, based.commit, commit)] if draft.events else []
            moves = [*stated, *self._keeping(draft, writer), *draft.moves, *self._noting(draft, writer)]
            return self._moved(writer, moves, turn, draft.moves) or _done(commit, tree, moves)
        finally:
            writer.close()

    def files(
        self, ref: str, old: str | None, change: Callable[[LooseWriter], tuple[Oid, str]], turn: Turn, signer: Signer
    ) -> Attempt:
        """Write one commit on a ref of its own."""
        writer = LooseWriter(self._place.objects, self._durability)
        try:
            tree, message = change(writer)
            commit = put_commit(writer, signer, tree.hex(), [old] if old else [], message)
            moves = [RefMove(ref, old, commit)]
            return self._moved(writer, moves, turn, ()) or _done(commit, tree, moves)
        finally:
            writer.close()

    def seal(self, done: Done) -> None:
        """Return when the moved refs, and so all that they name, are on the disk."""
        self._durability.seal(self._place.common / ref for ref in reversed(done.refs))

    def mend(self, turn: Turn) -> None:
        """Finish or forget what a writer left that was killed in its turn: past the deciding ref, it is finished."""
        moves = turn.left_behind()
        if not moves:
            return
        for move in moves:
            move_aside(self._place, move.name, 0, self._tell)
        deciding, *rest = moves
        if deciding.new is not None and self._holds(deciding.name, deciding.new):
            for move in rest:
                if read_ref(self._place, move.name) == move.old:
                    swap(self.repository, self._place, [move])
        turn.clear()

    def _changed_tree(self, draft: Draft, based: Based, writer: LooseWriter) -> Oid:
        held = draft.changed.keys() & draft.base.unreadable.keys()
        if held and based.tree is not None:
            path = min(held)
            oid = self._trees.find(based.tree, path)
            raise RecordUnreadableError(path, oid.hex() if oid else "", draft.base.unreadable[path])
        blobs = {
            path: None if record is None else writer.put("blob", encode_record(record))
            for path, record in draft.changed.items()
        }
        tree = self._trees.edit(based.tree, blobs, writer.put)
        assert tree is not None, "the format record is in it"
        return tree

    def _committed(self, draft: Draft, based: Based, tree: Oid, writer: LooseWriter) -> str:
        parents = [based.commit] if based.commit else []
        return put_commit(writer, self._signer(draft), tree.hex(), parents, message_of(draft.events))

    def _keeping(self, draft: Draft, writer: LooseWriter) -> list[RefMove]:
        if not draft.keeps:
            return []
        tip = read_ref(self._place, KEEP_REF)
        link = self._keep.anchored(writer, tip, draft.keeps, self._signer(draft), _why(draft))
        return [RefMove(KEEP_REF, tip, link)] if link else []

    def _noting(self, draft: Draft, writer: LooseWriter) -> list[RefMove]:
        by_ref: dict[str, list[Note]] = {}
        for note in draft.notes:
            by_ref.setdefault(note.ref, []).append(note)
        moves = []
        for ref, notes in by_ref.items():
            tip = read_ref(self._place, ref)
            tree = self._notes.with_notes(writer, self.tree_of(tip) if tip else None, notes)
            message = f"Notes added: {_why(draft)}\n"
            commit = put_commit(writer, self._signer(draft), tree.hex(), [tip] if tip else [], message)
            moves.append(RefMove(ref, tip, commit))
        return moves

    def _moved(
        self, writer: LooseWriter, moves: Sequence[RefMove], turn: Turn, asked: Sequence[RefMove]
    ) -> RefMoved | Lost | Locked | None:
        """Move the refs; None when they have moved. Only a ref that was `asked` for is told of as moved by others."""
        writer.settle()
        turn.note(moves)
        swapped = self._swapped(moves)
        turn.clear()  # not after an exception: some refs may have moved, and the next turn finishes the others
        match swapped:
            case Moved():
                if collects_garbage(self._place):
                    shelter(self._place, writer, moves)
                return None
            case RefMoved():
                return swapped if any(move.name == swapped.name for move in asked) else Lost(swapped.name)
            case Locked():
                return swapped
            case Missing():
                if writer.restore():
                    return Lost(swapped.ref)
                raise InternalError(f"'{swapped.ref}' was to be moved to {swapped.oid}.", "There is no such object.")

    def _swapped(self, moves: Sequence[RefMove]) -> Swapped:
        try:
            return swap(self._fit_for(moves), self._place, moves)
        except GitFailedError as refused:
            if any(words in refused.detail for words in _NO_SPACE):
                raise full_disk(refused.detail) from refused
            raise

    def _fit_for(self, moves: Sequence[RefMove]) -> "pygit2.Repository":
        """Choose who writes the refs: ext4 writes out a file that replaces another one, but not a new one."""
        if self._durability.way is not Way.ORDERED or all(move.old for move in moves):
            return self.repository
        if self._careful is None:
            self._careful = _opened(self._place, fsync=True)
        return self._careful

    def tree_of(self, commit: str) -> Oid:
        """Name the tree of a commit."""
        content = bytes(self.repository.read(commit)[1])
        return bytes.fromhex(content[5:45].decode())

    def _holds(self, ref: str, commit: str) -> bool:
        """Say whether a commit is the ref's tip or one of the last below it."""
        here = read_ref(self._place, ref)
        for _ in range(_LOOKED_BACK):
            if here is None or here == commit:
                break
            head = bytes(self.repository.read(here)[1]).partition(b"\n\n")[0]
            here = next((line[7:].decode() for line in head.split(b"\n") if line.startswith(b"parent ")), None)
        return here == commit

    def _signer(self, draft: Draft) -> Signer:
        return Signer(driver=self._driver, actor=draft.actor, at=draft.at)


def _done(commit: str, tree: Oid, moves: Sequence[RefMove]) -> Done:
    return Done(commit, tree, tuple(move.name for move in moves))


def _why(draft: Draft) -> str:
    sentence = draft.events[0].sentence if draft.events else "by hand"
    return " ".join(sentence.split())[:_WHY_CHARS]


def _opened(place: Place, *, fsync: bool) -> "pygit2.Repository":
    """Open the repository; with `fsync`, libgit2 fsyncs each ref before it is renamed into its place."""
    import pygit2
    from pygit2.enums import Option

    pygit2.option(Option.ENABLE_FSYNC_GITDIR, fsync)
    try:
        repository = open_repository(place.common)
        repository.references.get(STATE_REF)  # libgit2 looks at the option when it opens the refs
    finally:
        pygit2.option(Option.ENABLE_FSYNC_GITDIR, False)
    return repository


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
