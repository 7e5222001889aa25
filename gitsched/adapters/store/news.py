"""What a fetch has brought, told to the other writers of the clone, so that one alone looks into trees for it."""

from collections.abc import Callable
from contextlib import suppress

from gitsched.adapters.store.latest import Latest
from gitsched.adapters.store.reading import Known, Reader
from gitsched.adapters.store.trees import Trees
from gitsched.codec.changes import change_of
from gitsched.codec.records import Unreadable
from gitsched.errors import FormatError, InternalError, RecordUnreadableError


class News:
    """Tells how the state of one clone went from one commit to another that was made elsewhere."""

    def __init__(self, reader: Reader, trees: Trees, latest: Latest, known: Callable[[], Known | None]) -> None:
        """Read by `reader` and `trees`, and tell it in `latest`; `known` is what this process has read of the state."""
        self._known = known
        self._reader = reader
        self._trees = trees
        self._latest = latest

    def tell(self, before: str, after: str) -> None:
        """Tell of a step; nothing where trees alone can tell it, or where this process has not read the state yet."""
        known = self._known()
        if known is None or not self._reader.is_plain(known[2]):
            return
        with suppress(InternalError, FormatError, RecordUnreadableError):  # whoever needs the state is told of that
            old, new = self._reader.tree_of(before), self._reader.tree_of(after)
            found = self._reader.records(old, new, known[2])
            records = {path: one for path, one in found.items() if not isinstance(one, Unreadable)}
            change = change_of(before, after, records, new, self._trees.upper(old, new))
            if change is not None and len(records) == len(found):
                self._latest.tell(change)
