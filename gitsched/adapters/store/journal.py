"""Walk the history of the state ref as journal entries, newest first."""

from collections.abc import Iterator

from msgspec import Struct

from gitsched.adapters.store.loose import Oid
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.trees import Trees
from gitsched.codec.journal import events_of
from gitsched.domain.events import EventName
from gitsched.domain.instants import instant_of
from gitsched.errors import UnknownUnitError
from gitsched.ports.store import Entry

_COMPACTED = f'"event":"{EventName.COMPACTED.value}"'
_JOINED = f'"event":"{EventName.JOINED.value}"'


class Link(Struct, frozen=True):
    """A commit of the state's history as it is stored."""

    commit: str
    tree: Oid
    parent: str | None
    author: str
    at_s: int
    message: str

    @property
    def previous(self) -> str | None:
        """Name the commit whose state a checkpoint holds, in the history that was cut off; None: it is none."""
        return self._told(EventName.CHECKPOINTED, "previous") if self.parent is None else None

    @property
    def instead_of(self) -> str | None:
        """Name the tip of the history that this commit of a compaction took the place of; None: it is none."""
        return self._told(EventName.COMPACTED, "instead_of") if _COMPACTED in self.message else None

    @property
    def other(self) -> tuple[str, str] | None:
        """Name the tip of a history that was joined here, and where it left this one; None: none was."""
        if _JOINED not in self.message:
            return None
        return self._told(EventName.JOINED, "other") or "", self._told(EventName.JOINED, "base") or ""

    def _told(self, name: EventName, field: str) -> str | None:
        fields = (event.fields for event in events_of(self.message) if event.name is name)
        return next((str(told[field]) for told in fields), None)


class Journal:
    """Reads the commits of the state's history."""

    def __init__(self, objects: ObjectReader, trees: Trees) -> None:
        """Read by `objects` and `trees`."""
        self._objects = objects
        self._trees = trees

    def link(self, commit: str) -> Link:
        """Read one commit. Raises UnknownUnitError when there is none of that name."""
        content = self._objects.read(bytes.fromhex(commit))
        if content is None or not content.startswith(b"tree "):
            raise UnknownUnitError(
                f"The state commit '{commit}' was asked for.",
                "The repository has no such commit.",
                "`git log refs/gitsched/state` lists those that are there.",
            )
        head, _, message = content.partition(b"\n\n")
        fields = dict(reversed([line.partition(b" ")[::2] for line in head.split(b"\n")]))
        name, _, stamp = fields[b"author"].decode("utf-8", "replace").rpartition(" <")
        parent = fields.get(b"parent")
        return Link(
            commit=commit,
            tree=bytes.fromhex(fields[b"tree"].decode()),
            parent=parent.decode() if parent else None,
            author=name,
            at_s=int(stamp.rpartition(" ")[0].rpartition(" ")[2]),
            message=message.decode("utf-8", "replace"),
        )

    def walk(self, tip: str | None, path: str | None, since: str | None) -> Iterator[Entry]:
        """Give the entries from `tip` down; `path` limits them to those that changed it, `since` ends before it.

        Below a checkpoint it goes on in the history that was cut off, where that is still there; a history that was
        joined is told of before the one that it was joined to.
        """
        here = self.link(tip) if tip is not None and tip != since else None
        while here is not None:
            parent = self._parent(here, since)
            below = None if parent is None else self.link(parent)
            if path is None or self._at(here, path) != self._at(below, path):
                yield _entry(here)
            if here.other is not None and self._there(here.other[0]) is not None:
                yield from self.walk(here.other[0], path, here.other[1] or None)
            here = None if parent == since else below

    def line(self, tip: str | None) -> Iterator[Link]:
        """Give the commits from `tip` down to the beginning, a checkpoint, or the edge of a shallow clone."""
        here = self._there(tip)
        while here is not None:
            link = self.link(here)
            yield link
            here = self._there(link.parent)

    def _parent(self, link: Link, since: str | None) -> str | None:
        """Name the commit before, as far as it is there.

        A reader that stopped in the history which a compaction took the place of goes on in that one.
        """
        if since is not None and link.instead_of is not None and not self._holds(link.parent, since):
            return self._there(link.instead_of)
        return self._there(link.parent or link.previous)

    def _there(self, commit: str | None) -> str | None:
        return commit if commit is not None and self._objects.read(bytes.fromhex(commit)) is not None else None

    def _holds(self, tip: str | None, commit: str) -> bool:
        return any(link.commit == commit for link in self.line(tip))

    def _at(self, link: Link | None, path: str) -> Oid | None:
        return None if link is None else self._trees.find(link.tree, path)


def _entry(link: Link) -> Entry:
    from datetime import UTC, datetime

    events = events_of(link.message)
    at = events[0].at if events else instant_of(datetime.fromtimestamp(link.at_s, UTC))
    return Entry(commit=link.commit, at=at, actor=link.author, events=events)
