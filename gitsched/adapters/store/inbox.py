"""The inbox on `refs/gitsched/inbox`: deliveries below `seen` until they are done, and below `done` for two weeks.

Those who come at the same time share one commit and one file: each puts its delivery down, and the first one writes
all that lie there; what was put down meanwhile is for the first of those. Durable by the store's redo log, so that one
synced write serves them all. What is in the files is kept at hand; only files that are new are read.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_hex
from threading import Event, Lock
from typing import assert_never

from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.bounds import Bounds
from gitsched.adapters.store.commits import Signer
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.patience import Patience
from gitsched.adapters.store.queue import Queue, Turn
from gitsched.adapters.store.refs import Locked, read_ref
from gitsched.adapters.store.transaction import Attempt, Done, Lost, Writer
from gitsched.adapters.store.trees import Trees
from gitsched.codec.deliveries import decode_delivery, encode_delivery
from gitsched.domain.deliveries import Delivery
from gitsched.domain.ids import INBOX_REF
from gitsched.domain.outcomes import RefMoved
from gitsched.errors import GitschedError, InternalError
from gitsched.ports.runner import Clock

REMEMBERED_DAYS = 14
"""How long a delivery that is done is known: deliveries come again for about three days."""

Edit = Mapping[str, bytes | None]
Decide = Callable[["Files"], tuple[Edit, str]]


class Files:
    """What the inbox's files hold, kept at hand by their paths."""

    def __init__(self, objects: ObjectReader, trees: Trees) -> None:
        """Begin with nothing."""
        self._objects = objects
        self._trees = trees
        self._tree: Oid | None = None
        self.seen: dict[str, tuple[Delivery, ...]] = {}
        self.done: dict[str, frozenset[str]] = {}
        self._paths: dict[str, str] = {}
        """By id of a delivery: the file in which it was told of last."""

    def look(self, tree: Oid | None) -> None:
        """Look at the tree of another commit, by what differs."""
        if tree == self._tree:
            return
        changes = self._trees.changes(self._tree, tree) if tree else dict.fromkeys((*self.seen, *self.done))
        contents = self._objects.read_many(oid for oid in changes.values() if oid is not None)
        for path, oid in sorted(changes.items(), key=lambda change: change[1] is not None):
            self._forget(path)
            if oid is not None:
                self._learn(path, contents.get(oid, b"").splitlines())
        self._tree = tree

    def knows(self, delivery_id: str) -> bool:
        """Say whether a delivery is seen or done."""
        return delivery_id in self._paths

    def waiting(self) -> dict[str, Delivery]:
        """Give what is seen and not done, by id."""
        found = (delivery for deliveries in self.seen.values() for delivery in deliveries)
        return {delivery.id: delivery for delivery in found if not self._paths[delivery.id].startswith("done/")}

    def emptied(self, outcomes: Mapping[str, str]) -> list[str]:
        """List the files of which nothing waits any more once these are done."""
        waiting = self.waiting().keys() - outcomes.keys()
        return [path for path, held in self.seen.items() if not any(delivery.id in waiting for delivery in held)]

    def outlived(self) -> list[str]:
        """List the files of what was done so long ago that nothing of it can come again."""
        days = sorted({path.split("/")[1] for path in self.done})
        kept = {delivery.id for held in self.seen.values() for delivery in held}
        old = days[:-REMEMBERED_DAYS]
        return [path for path, ids in self.done.items() if path.split("/")[1] in old and kept.isdisjoint(ids)]

    def _learn(self, path: str, lines: list[bytes]) -> None:
        if path.startswith("seen/"):
            found = tuple(delivery for line in lines if (delivery := decode_delivery(line)) is not None)
            self.seen[path] = found
            for delivery in found:
                self._paths.setdefault(delivery.id, path)
        else:
            ids = frozenset(line.decode("utf-8", "replace").split("\t")[0] for line in lines)
            self.done[path] = ids
            self._paths.update(dict.fromkeys(ids, path))

    def _forget(self, path: str) -> None:
        gone = [delivery.id for delivery in self.seen.pop(path, ())] + list(self.done.pop(path, ()))
        for delivery_id in gone:
            if self._paths.get(delivery_id) == path:
                del self._paths[delivery_id]


class Slot:
    """A delivery that was put down to be written."""

    def __init__(self, delivery: Delivery) -> None:
        """Put it down."""
        self.delivery = delivery
        self.is_mine_to_write = False
        self.failure: GitschedError | OSError | None = None
        self.turned = Event()
        """It is written, or its owner is the next to write."""


class InboxRef:
    """The Inbox port on a ref of one repository; it never leaves this machine."""

    def __init__(self, repository: Path, clock: Clock, *, fsync: bool = True, bounds: Bounds | None = None) -> None:
        """Stand on the repository at or above a path."""
        self._place = find_place(repository)
        self._clock = clock
        self._bounds = bounds or Bounds()
        self._objects = ObjectReader(self._place)
        self._trees = Trees(self._objects)
        self._queue = Queue(self._place.own / "queue", self._bounds.queue_s)
        self._writer = Writer(self._place, self._objects, self._trees, "inbox", fsync=fsync, tell=_warn)
        self._pen = Lock()
        self._desk = Lock()
        self._put_down: list[Slot] = []
        self._is_written_to = False
        self._files = Files(self._objects, self._trees)

    def receive(self, delivery: Delivery) -> None:
        """Mark a delivery as seen, together with all that come meanwhile; durable when this returns."""
        slot = Slot(delivery)
        with self._desk:
            self._put_down.append(slot)
            if not self._is_written_to:
                self._is_written_to = slot.is_mine_to_write = True
                slot.turned.set()
        slot.turned.wait()
        if slot.is_mine_to_write:
            self._write_all()
        if slot.failure is not None:
            raise slot.failure

    def waiting(self) -> tuple[Delivery, ...]:
        """List what is seen and not done, oldest first."""
        with self._pen:
            found = self._looked()[1].waiting().values()
        return tuple(sorted(found, key=lambda delivery: (delivery.received_at, delivery.id)))

    def settle(self, outcomes: Mapping[str, str]) -> None:
        """Mark deliveries as done, and forget those that were done long ago."""

        def decide(files: Files) -> tuple[Edit, str]:
            today = self._clock.now()
            told = "".join(f"{name}\t{outcome}\n" for name, outcome in outcomes.items())
            edit: dict[str, bytes | None] = {f"done/{today[:10]}/{today[11:13]}/{token_hex(8)}": told.encode()}
            edit.update(dict.fromkeys(files.emptied(outcomes)))
            edit.update(dict.fromkeys(files.outlived()))
            return edit, f"Have done {len(outcomes)} deliveries"

        if outcomes:
            with self._pen:
                self._change(decide)

    def knows(self, delivery_id: str) -> bool:
        """Say whether a delivery is seen or done."""
        with self._pen:
            return self._looked()[1].knows(delivery_id)

    def _write_all(self) -> None:
        """Write everything that was put down, and let somebody else write what comes meanwhile."""
        with self._desk:
            slots, self._put_down = self._put_down, []
        try:
            with self._pen:
                self._write(slots)
        except (GitschedError, OSError) as failed:
            for slot in slots:
                slot.failure = failed
        finally:
            with self._desk:
                self._is_written_to = bool(self._put_down)
                following = self._put_down[:1]
            for slot in following:
                slot.is_mine_to_write = True
            for slot in (*slots, *following):
                slot.turned.set()

    def _write(self, slots: list[Slot]) -> None:
        def decide(files: Files) -> tuple[Edit, str]:
            new = {slot.delivery.id: slot.delivery for slot in slots if not files.knows(slot.delivery.id)}
            if not new:
                return {}, ""
            told = b"".join(map(encode_delivery, new.values()))
            return {f"seen/{token_hex(8)}": told}, f"See {len(new)} deliveries"

        self._change(decide)

    def _looked(self) -> tuple[str | None, Files]:
        tip = read_ref(self._place, INBOX_REF)
        self._files.look(self._writer.tree_of(tip) if tip else None)
        return tip, self._files

    def _change(self, decide: Decide) -> None:
        """Change the files by one commit, decided anew after each lost race."""
        patience = Patience(self._place, self._bounds, _warn)
        while True:
            with self._queue.turn() as turn:
                self._writer.recovery.mend(turn)
                outcome = self._once(decide, turn)
            match outcome:
                case Locked():
                    patience.locked(outcome.ref)
                case Lost():
                    patience.lost(outcome.ref)
                case Done() | None:
                    return
                case RefMoved():
                    raise InternalError(f"'{INBOX_REF}' was to be moved.", "Nobody expected anything of another ref.")
                case _:
                    assert_never(outcome)

    def _once(self, decide: Decide, turn: Turn) -> Attempt | None:
        tip, files = self._looked()
        edit, sentence = decide(files)
        tree = self._writer.tree_of(tip) if tip else None
        if not edit:
            return None

        def change(loose: LooseWriter) -> tuple[Oid, str]:
            blobs = {path: None if data is None else loose.put("blob", data) for path, data in edit.items()}
            return self._trees.edit(tree, blobs, loose.put) or loose.put("tree", b""), f"{sentence}\n"

        return self._writer.files(INBOX_REF, tip, change, turn, Signer("inbox", "gitsched", self._clock.now()))


def _warn(text: str) -> None:
    logging.getLogger(__name__).warning(text)
