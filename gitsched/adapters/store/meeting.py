"""Meeting: what a clone did apart from the remote, taken in there, so that nothing of either side is lost.

The clone's own refs are set aside below `refs/gitsched-apart/` before the remote's take their place, and stay there
until a transaction has taken them in: a death in between is made good by the next call. The history that was apart is
kept reachable by the keep ref, and the journal goes on in it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from gitsched.adapters.git.process import engine_git
from gitsched.adapters.store.commits import put_commit
from gitsched.adapters.store.following import APART, is_by_transaction, is_followed
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.shared import SharedStore
from gitsched.codec.forge import Counters, UndecodableError, decode_counters, encode_counters
from gitsched.domain.events import EventName
from gitsched.domain.ids import ARCHIVE_REF, FORGE_REF, STATE_REF
from gitsched.domain.state import Draft, Note, RefMove, State
from gitsched.errors import FormatError
from gitsched.policy.joining import join

if TYPE_CHECKING:
    from gitsched.adapters.store.transaction import Writer

_NOTES: Final = "refs/notes/"
_FORGE_NUMBERS: Final = "next"


class Met(Struct, frozen=True, kw_only=True):
    """What came of it."""

    issues: tuple[int, ...]
    """Issues that both sides worked, or made: the remote's version stands, held; ours is in the history."""
    batches: tuple[str, ...]
    taken_in: int
    """How many records of ours the remote has now."""


def meet(store: SharedStore, actor: str) -> Met | None:
    """Have what the remote has, and the remote what this clone did apart from it; None: it had done nothing.

    Raises FormatError where the two are not of one store, RemoteAwayError.
    """
    store.need(is_meeting=True)
    _publish(store)
    found: list[Met] = []
    for number, aside in _aside(store).items():
        found += _taken_in(store, aside, actor)
        for name in aside:
            store.writer().repository.references.delete(f"{APART}{number}/{name.removeprefix('refs/')}")
    return _summed(found) if found else None


def _summed(found: Sequence[Met]) -> Met:
    return Met(
        issues=tuple(sorted({issue for met in found for issue in met.issues})),
        batches=tuple(sorted({batch for met in found for batch in met.batches})),
        taken_in=sum(met.taken_in for met in found),
    )


def _refs(store: SharedStore, below: str = "refs/") -> dict[str, str]:
    listed = engine_git(store.place.common).run("for-each-ref", "--format=%(objectname) %(refname)", below).lines()
    return {name: oid for oid, name in (line.split(" ", 1) for line in listed)}


def _aside(store: SharedStore) -> dict[str, dict[str, str]]:
    """List what is set aside: by its number, oldest first, each by the name of the ref that it was."""
    found: dict[str, dict[str, str]] = {}
    for name, oid in _refs(store, APART).items():
        number, _, rest = name.removeprefix(APART).partition("/")
        found.setdefault(number, {})[f"refs/{rest}"] = oid
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


def _publish(store: SharedStore) -> None:
    """Give a remote that has no state yet, or was set back to an older one, all that this clone has."""
    ours = (name for name in _refs(store) if is_by_transaction(name) and is_followed(name))
    here = {name: oid for name in ours if (oid := read_ref(store.place, name)) is not None}
    moves = [RefMove(name, oid, oid) for name, oid in here.items() if oid != store.there(name)]
    if any(move.name == STATE_REF for move in moves):
        store.publish(moves)


def _taken_in(store: SharedStore, aside: Mapping[str, str], actor: str) -> list[Met]:
    """Take one of them in, in one transaction; nothing where a death left it without a state."""
    theirs_tip, ours_tip = read_ref(store.place, STATE_REF), aside.get(STATE_REF)
    if theirs_tip is None or ours_tip is None:
        return []
    theirs = store.read()
    ours = store.read_at(ours_tip)
    _refuse_another_store(ours, theirs)
    fork = _fork(store, theirs_tip, ours_tip)
    base = store.read_at(fork) if fork is not None else State(format=theirs.format)
    found: list[Met] = []

    def intent(draft: Draft) -> None:
        found[:] = [Met(issues=(), batches=(), taken_in=0)]
        if _is_taken_in(store, ours_tip, fork):
            return
        joined = join(base, ours, draft.state)
        made_twice = _bring_trees(store, draft, aside)
        issues = tuple(sorted({*joined.issues, *made_twice}))
        draft.note(
            EventName.JOINED,
            f"Join what was done apart from {fork[:12] if fork is not None else 'the beginning'} on",
            *joined.changes,
            removed=joined.removed,
            other=ours_tip,
            base=fork or "",
            issues=list(issues),
            batches=list(joined.batches),
        )
        draft.keeps += [*aside.values(), *(oid for oid in joined.keeps if _is_here(store.writer(), oid))]
        draft.notes += _notes(store, aside)
        found[:] = [Met(issues=issues, batches=joined.batches, taken_in=len(joined.changes))]

    store.apply(intent, actor)
    return found


def _refuse_another_store(ours: State, theirs: State) -> None:
    if ours.format.store != theirs.format.store:
        raise FormatError(
            f"The state of this clone, of store '{ours.format.store}', was to be joined to the remote's.",
            f"That is of store '{theirs.format.store}': two stores are never joined.",
            f"`git bundle create state.bundle {APART}1/gitsched/state` exports what this clone had.",
        )


def _is_here(writer: "Writer", oid: str) -> bool:
    return oid in writer.repository


def _is_taken_in(store: SharedStore, ours_tip: str, fork: str | None) -> bool:
    """Say whether an earlier call came so far before it died."""
    told = (event for entry in store.history(since=fork) for event in entry.events if event.name is EventName.JOINED)
    return any(event.fields.get("other") == ours_tip for event in told)


def _fork(store: SharedStore, one: str, other: str) -> str | None:
    """Name the last commit that two histories have in common."""
    words = ("--git-dir=.", "merge-base", one, other)
    return engine_git(store.place.common).run(*words, check=False).text() or None


def _notes(store: SharedStore, aside: Mapping[str, str]) -> list[Note]:
    """List our notes on objects that have none there; where both have one the remote's stands, and ours is kept."""
    found: list[Note] = []
    for ref in (name for name in aside if name.startswith(_NOTES)):
        there = {path.replace("/", "") for path in _files(store, read_ref(store.place, ref))}
        for path, blob in _files(store, aside[ref]).items():
            text = store.objects.read(blob)
            if path.replace("/", "") not in there and text is not None:
                found.append(Note(ref, path.replace("/", ""), text.decode("utf-8", "replace")))
    return found


def _bring_trees(store: SharedStore, draft: Draft, aside: Mapping[str, str]) -> set[int]:
    """Let the embedded forge and the archive take in what is new here; give the numbers that both sides made."""
    twice: set[int] = set()
    for ref in (FORGE_REF, ARCHIVE_REF):
        tip, ours = read_ref(store.place, ref), aside.get(ref)
        if ours is None:
            continue
        changed = _changed(store, tip, ours)
        twice |= changed[1]
        loose = LooseWriter(store.place.objects)
        root = store.writer().tree_of(tip) if tip is not None else None
        blobs = {path: _joined_file(store, loose, path, (root, blob)) for path, blob in changed[0].items()}
        tree = store.trees.edit(root, blobs, loose.put)
        if tree is not None and tree != root:
            parents = [tip, ours] if tip is not None else [ours]
            commit = put_commit(loose, store.signer(draft.actor), tree.hex(), parents, f"Join what '{ref}' had apart\n")
            loose.settle()
            draft.moves.append(RefMove(ref, tip, commit))
    return twice


def _changed(store: SharedStore, tip: str | None, ours: str) -> tuple[dict[str, Oid | None], set[int]]:
    """List the files that only we changed since the fork, and the numbers that both sides gave out."""
    writer = store.writer()
    fork = _fork(store, tip, ours) if tip is not None else None
    before = writer.tree_of(fork) if fork is not None else None
    mine = store.trees.changes(before, writer.tree_of(ours))
    other = store.trees.changes(before, writer.tree_of(tip)) if tip is not None else {}
    known = set(_files(store, fork))
    taken = {_number(path) for path in other if _is_head(path) and path not in known}
    twice = {_number(path) for path in mine if _is_head(path) and path not in known} & taken - {None}
    twice |= {_number(path) for path in mine.keys() & other.keys() if _is_head(path) and mine[path] != other[path]}
    kept = {
        path: blob
        for path, blob in mine.items()
        if path == _FORGE_NUMBERS or (path not in other and _number(path) not in twice)
    }
    return kept, {number for number in twice if number is not None}


def _is_head(path: str) -> bool:
    """Say whether a file is an issue's or a request's own, and no comment's."""
    return path.split("/", maxsplit=1)[0] in ("issues", "pulls") and path.count("/") == 2


def _number(path: str) -> int | None:
    parts = path.split("/")
    return int(parts[1]) if len(parts) > 2 and parts[0] in ("issues", "pulls") and parts[1].isdecimal() else None


def _joined_file(store: SharedStore, loose: LooseWriter, path: str, sides: tuple[Oid | None, Oid | None]) -> Oid | None:
    """Give a file as it is afterwards; numbers that one side has given out are given out."""
    root, blob = sides
    there = store.trees.find(root, path) if root is not None else None
    if path != _FORGE_NUMBERS or there is None or blob is None:
        return blob
    try:
        one, other = (decode_counters(store.objects.read(oid) or b"") for oid in (there, blob))
    except UndecodableError:
        return there
    most = Counters(number=max(one.number, other.number), comment=max(one.comment, other.comment))
    return loose.put("blob", encode_counters(most))


def _files(store: SharedStore, commit: str | None) -> dict[str, Oid]:
    if commit is None:
        return {}
    found = store.trees.changes(None, store.writer().tree_of(commit))
    return {path: blob for path, blob in found.items() if blob is not None}
