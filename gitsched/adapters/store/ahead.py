"""Prepare a transaction on what another writer is just making true, so that only the writing is left for its turn."""

from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from gitsched.adapters.store.reading import Known
from gitsched.adapters.store.transaction import Based, Prepared, Writer
from gitsched.adapters.store.trees import Trees
from gitsched.codec.changes import changed_by
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import Draft, State
from gitsched.errors import GitschedError


class Ahead(Struct, frozen=True):
    """A draft on a state that is true once the other's transaction is."""

    known: Known
    draft: Draft
    prepared: Prepared


def look_ahead(writer: Writer, trees: Trees, known: Known, decided: Callable[[State], Draft]) -> Ahead | None:
    """Decide on what is being made of the state that is known; None where nothing is, or only a turn can tell.

    A draft that moves other refs, or comes to a refusal, is left for then.
    """
    commit, tree, state = known
    change = writer.latest.upon(commit)
    if change is None:
        return None
    made = change.new, trees.follow(tree, [change]), changed_by(state, [change])
    with suppress(GitschedError):
        draft = decided(made[2])
        if draft.events and not (draft.moves or draft.keeps or draft.notes):
            prepared = writer.prepare(draft, Based(*made[:2]), _refs_are_elsewhere)
            if not isinstance(prepared, RefMoved):
                return Ahead(made, draft, prepared)
    return None


def _refs_are_elsewhere(_: str) -> str | None:
    """Stand for reading refs: a draft that names none asks for none."""
    return None
