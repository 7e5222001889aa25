"""Walk the state's history with what each commit changed, for the audit."""

from collections.abc import Iterator

from gitsched.adapters.store.journal import Journal, Link
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.trees import Trees
from gitsched.codec.journal import events_of
from gitsched.domain.integrity import Audited


def audited(objects: ObjectReader, trees: Trees, tip: str | None) -> Iterator[Audited]:
    """Give each commit, newest first; the walk ends at the beginning or at a cut."""
    journal = Journal(objects, trees)
    here = journal.link(tip) if tip is not None else None
    while here is not None:
        below = _below(journal, objects, here)
        is_cut = here.previous is not None or (here.parent is not None and below is None)
        changed = frozenset[str]() if is_cut else frozenset(trees.changes(below.tree if below else None, here.tree))
        yield Audited(commit=here.commit, events=events_of(here.message), changed=changed, cut=is_cut)
        here = None if is_cut else below


def _below(journal: Journal, objects: ObjectReader, link: Link) -> Link | None:
    """Give the commit before; None at the beginning, and at the edge of a shallow clone."""
    if link.parent is None or objects.read(bytes.fromhex(link.parent)) is None:
        return None
    return journal.link(link.parent)
