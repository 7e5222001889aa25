"""A state that was there and is gone: somebody removed its ref, here or on the remote.

What else there is of ours tells it from a repository that was never set up, and where it was is found without guessing
where the log knows it. Setting up anew would cut everything off that is still there, so it is refused until the state
is put back or the rest is cleared away.
"""

from collections.abc import Iterator

import msgspec

from gitsched.adapters.git.place import Place
from gitsched.adapters.git.process import engine_git
from gitsched.adapters.store.book import BookFile
from gitsched.adapters.store.journal import Journal, Link
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.redo import moves_logged
from gitsched.adapters.store.trees import Trees
from gitsched.domain.ids import ARCHIVE_REF, KEEP_REF, STATE_REF
from gitsched.domain.instants import instant_of
from gitsched.domain.records import Format
from gitsched.errors import GitFailedError, GitschedError, NotSetUpError, StateLostError

_WITNESSES = (KEEP_REF, ARCHIVE_REF, "refs/gitsched/evidence/")
"""Notes are none: they travel with the history, to where no state ever was."""
_DANGLING = "dangling commit "
_SIGNED = b"\ncommitter gitsched <"
_ANEW = f"To begin anew instead, remove '.git/gitsched' and all refs below '{STATE_REF.rpartition('/')[0]}/'."


def missing(place: Place, objects: ObjectReader, asked: str, beginning: str) -> GitschedError:
    """Say why there is no state to be read, and how it comes to be where there never was one; nothing is written."""
    if place.has_file_of(STATE_REF):
        remedy = "Any command that writes, for instance `gitsched tick`, brings it back from the log."
        return StateLostError(asked, f"The file of '{STATE_REF}' is torn, as a power cut may leave it.", remedy)
    return _lost(place, objects, asked) or NotSetUpError(asked, f"There is no '{STATE_REF}' in it.", beginning)


def refuse_lost(place: Place, objects: ObjectReader) -> None:
    """Refuse to set up anew what is not gone for good. Raises StateLostError."""
    lost = _lost(place, objects, f"'{place.common}' was to be set up.")
    if lost is not None:
        raise lost


def _lost(place: Place, objects: ObjectReader, asked: str) -> StateLostError | None:
    """Say what is left of a state whose ref is gone, and how it is put back; None: there never was one."""
    logged = _logged(place, objects)
    traces = {"the log of transactions": logged, "what is known of the remote": _there(place)}
    witness = _witness(place) or next((name for name, found in traces.items() if found is not None), None)
    if witness is None:
        return None
    against = f"There is no '{STATE_REF}' in it, but there was one: {witness} is left of it."
    newest = _newest(place, objects, logged)
    if newest is None:
        other = f"`git fetch CLONE {STATE_REF}:{STATE_REF}` takes it from another clone or the remote."
        return StateLostError(asked, against, f"No commit of it is left here. {other} {_ANEW}")
    at = _made_at(newest)
    remedy = f"`git update-ref {STATE_REF} {newest.commit}` puts it back as it was at {at}. {_ANEW}"
    return StateLostError(asked, against, remedy)


def _made_at(link: Link) -> str:
    """Tell when a state commit was made."""
    from datetime import UTC, datetime

    return instant_of(datetime.fromtimestamp(link.at_s, UTC))


def _witness(place: Place) -> str | None:
    """Name a ref that only a store has."""
    listed = engine_git(place.common).run(
        "--git-dir=.", "for-each-ref", "--count=1", "--format=%(refname)", *_WITNESSES
    )
    return f"'{name}'" if (name := listed.text()) else None


def _there(place: Place) -> str | None:
    """Name where the remote had the state when this clone last asked."""
    return BookFile(place.own / "shared" / "book").read().known.get(STATE_REF)


def _logged(place: Place, objects: ObjectReader) -> str | None:
    """Name the last state commit of the log; None where nothing was changed since the store was set up."""
    moves = [move for move in moves_logged(place.own / "redo") if move.name == STATE_REF]
    last = moves[-1] if moves else None
    if last is None or last.old is None or last.new is None or objects.read(bytes.fromhex(last.new)) is None:
        return None
    return last.new


def _newest(place: Place, objects: ObjectReader, logged: str | None) -> Link | None:
    """Find the newest commit of a state: of the youngest generation, the longest history.

    One that lost its race is no longer than the one that won; the log knows which that is.
    """
    trees = Trees(objects)
    journal = Journal(objects, trees)
    found: dict[tuple[int, int, bool, int], Link] = {}
    for commit in {*_dangling(place), *(one for one in (logged, _there(place)) if one is not None)}:
        link = _state_link(journal, objects, commit)
        held = trees.find(link.tree, "format") if link is not None else None
        if link is not None and held is not None and trees.find(link.tree, "control") is not None:
            length = sum(1 for _ in journal.line(commit))
            found[_generation(objects, held), length, commit == logged, link.at_s] = link
    return found[max(found)] if found else None


def _dangling(place: Place) -> Iterator[str]:
    words = ("--git-dir=.", "fsck", "--connectivity-only", "--dangling", "--no-progress")
    try:
        listed = engine_git(place.common).run(*words, check=False).lines()
    except GitFailedError:
        return  # it takes too long: the log has to do
    yield from (line.removeprefix(_DANGLING) for line in listed if line.startswith(_DANGLING))


def _state_link(journal: Journal, objects: ObjectReader, commit: str) -> Link | None:
    content = objects.read(bytes.fromhex(commit))
    return journal.link(commit) if content is not None and _SIGNED in content.partition(b"\n\n")[0] else None


def _generation(objects: ObjectReader, held: bytes) -> int:
    try:
        return msgspec.json.decode(objects.read(held) or b"", type=Format).generation
    except msgspec.DecodeError:
        return 0
