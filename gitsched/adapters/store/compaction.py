"""Compaction: sum the old part of the state's history up in a checkpoint, and set the younger part on top of it.

The checkpoint has the tree of the commit that it stands for, no parent, and one event with the count of everything that
happened until then. Younger commits keep tree, author, instant and message. One more commit on top raises the store's
generation, so that a clone which still has the old history knows the new one for its successor. The old tip stays
reachable from the archive: whatever id of a state commit was told to anybody can still be looked at.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from gitsched.adapters.store.commits import Signer, put_commit
from gitsched.adapters.store.journal import Journal, Link
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.shared import SharedStore
from gitsched.adapters.store.store import GitStore
from gitsched.adapters.store.transaction import Attempt, Done
from gitsched.codec.journal import events_of, message_of
from gitsched.codec.records import encode_record
from gitsched.domain.events import Claim, Event, EventName, FieldValue
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unchanged
from gitsched.domain.records import Format
from gitsched.domain.state import RefMove

_WORTH = 4
"""The younger part is written anew only where the old one is at least a fourth of it: the cost stays in proportion."""


class _Old(Struct, frozen=True):
    """The part of the history that is to be summed up."""

    last: Link
    at: Instant
    since: Instant
    count: int
    names: tuple[str, ...]
    """How often each event happened, as `name count`."""


class _Plan(NamedTuple):
    """Objects that are to be written, and the moves to them."""

    loose: LooseWriter
    moves: list[RefMove]
    head: str
    tree: Oid


def compact(store: GitStore, before: Instant) -> int:
    """Squash what is older than an instant, and say how many transactions that were; 0: it is not worth while."""
    store.read()
    store.writer()  # once it is open, libgit2 reads what is packed, and no process of git's
    journal = Journal(store.objects, store.trees)
    old = _old(journal, read_ref(store.place, STATE_REF), before)
    if old is None:
        return 0

    def planned() -> _Plan | Unchanged:
        tip = read_ref(store.place, STATE_REF)
        younger = _younger(journal, tip, old.last.commit)
        if tip is None or younger is None or old.count * _WORTH < len(younger):
            return Unchanged()
        return _squashed(store, tip, old, younger)

    if isinstance(store, SharedStore):
        plan = planned()
        if isinstance(plan, Unchanged):
            return 0
        plan.loose.settle()
        return old.count if store.publish(plan.moves) else 0

    def once(turn: Turn) -> Attempt | Unchanged:
        plan = planned()
        if isinstance(plan, Unchanged):
            return plan
        return store.writer().moved(plan.loose, plan.moves, turn) or Done(plan.head, plan.tree)

    return old.count if isinstance(store.repeated(once), Done) else 0


def _old(journal: Journal, tip: str | None, before: Instant) -> _Old | None:
    last: Link | None = None
    at = since = ""
    count, names = 0, Counter[str]()
    for link in journal.line(tip):
        events = events_of(link.message)
        moment = events[0].at if events else since or before
        if last is None and moment >= before:
            continue
        if last is None:
            last, at = link, moment
        if link.previous is None:
            count += 1
            names.update(event.name.value for event in events)
        else:
            names.update(_summed(events[0]))
        since = moment
    # A lone commit, or a checkpoint with nothing above it, is as short as it gets.
    if last is None or count < 2:
        return None
    told = tuple(f"{name} {number}" for name, number in sorted(names.items()))
    return _Old(last, at, since, count, told)


def _summed(checkpoint: Event) -> Counter[str]:
    """Read the counts of an earlier checkpoint, which the new one takes over."""
    told = checkpoint.fields.get("names")
    rows = (str(row).rpartition(" ") for row in (told if isinstance(told, list) else ()))
    return Counter({name: int(number) for name, _, number in rows})


def _younger(journal: Journal, tip: str | None, last: str) -> list[Link] | None:
    """List the commits above `last`, newest first; None where the history does not stand on it any more."""
    found: list[Link] = []
    for link in journal.line(tip):
        if link.commit == last:
            return found
        found.append(link)
    return None


def _squashed(store: GitStore, tip: str, old: _Old, younger: Sequence[Link]) -> _Plan:
    loose, signer = LooseWriter(store.place.objects), store.signer()
    here = _checkpoint(loose, replace(signer, at=old.at), old)
    for link in reversed(younger):
        here = _on(loose, store, link, here)
    head, tree = _raised(store, loose, signer, (tip, here), old.count)
    archive = read_ref(store.place, ARCHIVE_REF)
    kept = _archived(store, loose, signer, archive, tip)
    moves = [RefMove(STATE_REF, tip, head), RefMove(ARCHIVE_REF, archive, kept)]
    return _Plan(loose, moves, head, tree)


def _checkpoint(loose: LooseWriter, signer: Signer, old: _Old) -> str:
    sentence = f"Sum up {old.count} transactions"
    facts: dict[str, FieldValue] = {
        "count": old.count,
        "since": old.since,
        "names": list(old.names),
        "previous": old.last.commit,
    }
    event = Event(name=EventName.CHECKPOINTED, at=old.at, sentence=sentence, fields=facts)
    return put_commit(loose, signer, old.last.tree.hex(), [], message_of([event]))


def _on(loose: LooseWriter, store: GitStore, link: Link, parent: str) -> str:
    """Write a commit as it is on another parent."""
    content = store.objects.read(bytes.fromhex(link.commit))
    assert content is not None, "it was read a moment ago"
    assert link.parent is not None, "there is an older one"
    return loose.put(
        "commit", content.replace(f"parent {link.parent}\n".encode(), f"parent {parent}\n".encode(), 1)
    ).hex()


def _raised(store: GitStore, loose: LooseWriter, signer: Signer, line: tuple[str, str], count: int) -> tuple[str, Oid]:
    """Write the commit that raises the generation, on top of the new line; it tells which tip it takes the place of."""
    tip, here = line
    state = store.read()
    raised: Format = replace(state.format, generation=state.format.generation + 1)
    tree = store.trees.edit(
        store.writer().tree_of(tip), {"format": loose.put("blob", encode_record(raised))}, loose.put
    )
    assert tree is not None, "the format record is in it"
    event = Event(
        name=EventName.COMPACTED,
        at=signer.at,
        sentence=f"Compact the history: {count} transactions are summed up",
        fields={"count": count, "instead_of": tip},
        claims={"format": Claim()},
    )
    return put_commit(loose, signer, tree.hex(), [here], message_of([event])), tree


def _archived(store: GitStore, loose: LooseWriter, signer: Signer, archive: str | None, tip: str) -> str:
    """Write the link of the archive that keeps the old history reachable."""
    if archive is not None:
        tree = store.writer().tree_of(archive).hex()
    else:
        own = store.trees.find(store.writer().tree_of(tip), "format")
        made = store.trees.edit(None, {"format": own}, loose.put)
        assert made is not None, "the format record is in it"
        tree = made.hex()
    parents: Iterator[str] = (one for one in (archive, tip) if one is not None)
    return put_commit(loose, signer, tree, parents, "Keep the history before a checkpoint\n")
