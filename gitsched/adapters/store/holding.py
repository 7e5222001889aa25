"""Hold what is being pushed: no ref leads there yet, and a garbage collection of that moment would take it.

The remote may have it before the clone's own refs follow; what is gone by then would be missing here and named already.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsched.adapters.git.place import Place
from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.refs import Moved, swap
from gitsched.adapters.store.shelter import sheltered
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError

if TYPE_CHECKING:
    import pygit2

HELD = "refs/gitsched-sent/"
"""Below it stand, numbered, the ends of what is on its way; whoever pushes next takes away what a kill left."""


@contextmanager
def held(place: Place, repository: "pygit2.Repository", oids: Iterable[str], writer: LooseWriter) -> Iterator[bool]:
    """Let refs of our own lead there inside the block; False: something of it has been collected already."""
    _let_go(repository)
    moves = [RefMove(f"{HELD}{number}", None, oid) for number, oid in enumerate(dict.fromkeys(oids))]
    try:
        with sheltered(place, writer, moves):
            is_held = isinstance(swap(repository, place, moves), Moved)
    except BusyError:
        is_held = False
    try:
        yield is_held
    finally:
        _let_go(repository)


def _let_go(repository: "pygit2.Repository") -> None:
    for name in [name for name in repository.references if name.startswith(HELD)]:
        repository.references.delete(name)
