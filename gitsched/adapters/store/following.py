"""Let the local refs follow what the remote has: the clone is a cache of it.

A ref that only the remote moved follows. Of one that both moved, the remote's place holds for what is changed by
transactions alone; the newer generation holds for a run; evidence is joined; a branch is left as it is on both sides
and told of as astray, because either may hold somebody's work.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING

from gitsched.adapters.git.place import Place
from gitsched.adapters.git.remote import SEEN
from gitsched.adapters.store.book import Book, places
from gitsched.adapters.store.holding import held
from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.refs import Locked, Moved, read_ref, swap
from gitsched.adapters.store.rivalry import clone_of
from gitsched.codec.runs import decode_run
from gitsched.domain.ids import ARCHIVE_REF, FORGE_REF, KEEP_REF, RUNS_PREFIX, STATE_REF
from gitsched.domain.state import RefMove
from gitsched.errors import ApartError, BusyError, RecordUnreadableError, StateLostError, StateRewoundError

if TYPE_CHECKING:
    import pygit2

EVIDENCE = "refs/gitsched/evidence/"
BRANCHES = "refs/heads/"
APART = "refs/gitsched-apart/"
"""Below it stands, numbered, what a clone did apart from the remote, until that has taken it in."""
LASTING = (STATE_REF, KEEP_REF, FORGE_REF, ARCHIVE_REF)
"""What nobody ever removes on purpose: it does not follow a remote that has lost it."""
_BY_TRANSACTION = (*LASTING, "refs/notes/")
_FOLLOWED = ("refs/gitsched/", "refs/notes/gitsched/", "refs/heads/gitsched/")
_LOOKED_AT = 512
_TRIES = 200
_PAUSE_S = 0.02

Join = Callable[[str, str, str], str]
"""Joins a local and a remote evidence commit (ref, local, remote) and names the result."""


def is_by_transaction(name: str) -> bool:
    """Say whether a ref is changed by transactions alone, so that the remote's place is the true one."""
    return name.startswith(_BY_TRANSACTION)


def is_followed(name: str) -> bool:
    """Say whether a ref here is where the remote's is: all that are ours, and none of the user's."""
    return name.startswith(_FOLLOWED)


Tell = Callable[[str, str], None]
"""Tells the other writers of the clone that the state went from one commit to another."""


class Follower:
    """Moves the refs of one clone after a remote's."""

    def __init__(self, place: Place, repository: "pygit2.Repository", join: Join, tell: Tell) -> None:
        """Stand on an open repository."""
        self._tell = tell
        self._place = place
        self._repository = repository
        self._join = join

    def follow(self, book: Book, seen: Mapping[str, str], *, is_meeting: bool = False) -> None:
        """Judge what waits by what the remote has, then let every ref follow; the book is changed accordingly.

        Raises ApartError where this clone changed the state apart from the remote, StateLostError where the remote
        has lost it, and StateRewoundError where it has an older or another one again, unless it `is_meeting` that:
        then what is here is set aside, or offered to it.
        """
        knew, has = book.known.get(STATE_REF), seen.get(STATE_REF)
        if knew is not None and has is None and not is_meeting:
            raise _lost_there(knew)
        is_rewound = knew is not None and has is not None and self._is_rewound(knew, has, seen)
        if is_rewound and not is_meeting:
            raise StateRewoundError(knew or "", has or "")
        is_apart = self._is_apart(book, seen)
        if is_apart and not is_meeting:
            raise ApartError
        is_behind = knew is not None and (has is None or (is_rewound and self._descends(knew, has)))
        if is_apart or (is_rewound and not is_behind):
            self._set_aside(seen)
        self._judge(book, seen)
        known = dict(seen)
        # The state comes last: whoever reads it finds what it names.
        for name, before, after in sorted(places(book.known, seen), key=lambda step: step[0] == STATE_REF):
            if is_behind and before is not None and self._is_newer(name, after):
                continue  # it was set back together with the state, and goes there again with it
            if not self._step(book, name, before, after):
                known.pop(name, None)
                known |= {name: before} if before is not None else {}  # the next fetch tries again
        self._restore(seen)
        after = known.get(STATE_REF)
        if knew is not None and after is not None and knew != after == read_ref(self._place, STATE_REF):
            self._tell(knew, after)
        book.known = known

    def _is_newer(self, name: str, there: str | None) -> bool:
        """Say whether a ref here is ahead of a place."""
        here = read_ref(self._place, name)
        if here is None or there is None:
            return here is not None
        if name.startswith(RUNS_PREFIX):
            return self._gen(there) <= self._gen(here)
        return self._descends(here, there)

    def _restore(self, seen: Mapping[str, str]) -> None:
        """Bring back what somebody removed here: no transaction removes any of these."""
        for name in sorted(filter(is_by_transaction, seen), key=lambda name: name == STATE_REF):
            if read_ref(self._place, name) is None:
                self.bring(RefMove(name, None, seen[name]))

    def _is_apart(self, book: Book, seen: Mapping[str, str]) -> bool:
        """Say whether the state here is neither where the remote was, nor on the way to where it is."""
        here, there = read_ref(self._place, STATE_REF), seen.get(STATE_REF)
        if here is None or there is None or here in (there, book.known.get(STATE_REF)):
            return False
        return not self._descends(there, here)

    def _is_rewound(self, knew: str, has: str, seen: Mapping[str, str]) -> bool:
        """Say whether the remote had a state that it has no more.

        A compaction keeps the old history in the archive, and a meeting keeps it in the keep ref.
        """
        if knew not in self._repository or self._descends(has, knew) or knew == has:
            return False
        kept = (seen[name] for name in (ARCHIVE_REF, KEEP_REF) if name in seen)
        return self._descends(knew, has) or not any(self._descends(tip, knew) for tip in kept)

    def _set_aside(self, seen: Mapping[str, str]) -> None:
        """Keep what is here under names of its own, and put what the remote has in its place, the state last."""
        ours = (name for name in self._repository.references if is_by_transaction(name) and is_followed(name))
        numbers = (name.removeprefix(APART).split("/")[0] for name in self._repository.references if APART in name)
        number = max(map(int, numbers), default=0) + 1
        for name in sorted(ours, key=lambda name: name == STATE_REF):
            here = read_ref(self._place, name)
            if here is not None and here != seen.get(name):
                self.bring(RefMove(f"{APART}{number}/{name.removeprefix('refs/')}", None, here))
                self.bring(RefMove(name, here, seen.get(name)))

    def writers(self, before: str | None, after: str | None) -> set[str]:
        """Name the clones that made the newest commits of the state between two of them."""
        if before is None or after is None or before == after:
            return set()
        import pygit2

        found, repository = set[str](), self._repository
        with suppress(KeyError, pygit2.GitError):  # what is not whole tells nobody
            walk = repository.walk(after, pygit2.enums.SortMode.NONE)
            walk.hide(before)
            for commit in islice(walk, _LOOKED_AT):
                found.add(clone_of(commit.committer.email.partition("@")[0]))
        return found

    def holding(self, oids: Iterable[str], writer: LooseWriter) -> AbstractContextManager[bool]:
        """Keep objects from garbage collections while they are on their way (see `held`)."""
        return held(self._place, self._repository, oids, writer)

    def bring(self, move: RefMove) -> bool:
        """Move one local ref; False: it is elsewhere than expected."""
        for _ in range(_TRIES):
            match swap(self._repository, self._place, [move]):
                case Moved():
                    return True
                case Locked():
                    Event().wait(_PAUSE_S)  # git holds a ref lock for milliseconds
                case _:
                    return False
        raise BusyError(f"'{move.name}' was to follow the remote.", "Another process keeps it locked.")

    def _judge(self, book: Book, seen: Mapping[str, str]) -> None:
        count = max((number for number, one in enumerate(book.waiting, 1) if self._landed(one.moves, seen)), default=0)
        if book.sent_count > count:
            book.accept(count)
            book.void()  # it was asked for, and did not happen: it is to be decided again
        elif count:
            book.accept(count)
        firsts: dict[str, str | None] = {}
        for move in (move for one in book.waiting for move in one.moves if is_followed(move.name)):
            firsts.setdefault(move.name, move.old)
        if any(seen.get(name) not in (old, book.known.get(name)) for name, old in firsts.items()):
            book.void()

    def _landed(self, moves: list[RefMove], seen: Mapping[str, str]) -> bool:
        """Say whether the remote has accepted a transaction, others on top of it or not."""
        state = next((move.new for move in moves if move.name == STATE_REF), None)
        if state is None:
            return all(self._is_there(move, seen) for move in moves)
        tip = seen.get(STATE_REF)
        return tip is not None and (tip == state or self._descends(tip, state))

    def _is_there(self, move: RefMove, seen: Mapping[str, str]) -> bool:
        """Say whether a ref is where it was to go; a branch of the user's may have gone further since."""
        if is_followed(move.name):
            return seen.get(move.name) == move.new
        there = read_ref(self._place, f"{SEEN}{move.name.removeprefix('refs/')}")
        return there is not None and move.new is not None and (there == move.new or self._descends(there, move.new))

    def _descends(self, tip: str, commit: str) -> bool:
        """Say whether a history that is whole holds a commit; one that was collected meanwhile it does not hold."""
        import pygit2

        try:
            return commit in self._repository and bool(self._repository.descendant_of(tip, commit))
        except (KeyError, pygit2.GitError):
            return False

    def _step(self, book: Book, name: str, before: str | None, after: str | None) -> bool:
        """Let one ref follow; False: somebody moved it at that moment, or a collection took what it was to name."""
        local = read_ref(self._place, name)
        if local == after or (after is None and name in LASTING):
            book.astray.pop(name, None)
            return True
        if is_by_transaction(name) and local is not None and after is not None and self._descends(local, after):
            return True  # the remote was set back: what is here goes there with the next move of it
        if (local == before and not (name.startswith(BRANCHES) and self._is_held(name))) or is_by_transaction(name):
            return self.bring(RefMove(name, local, after))
        if name.startswith(EVIDENCE) and local is not None and after is not None:
            return self.bring(RefMove(name, local, self._join(name, local, after)))
        if not name.startswith(RUNS_PREFIX):
            book.astray[name] = local or ""
            return True
        return self._gen(after) <= self._gen(local) or self.bring(RefMove(name, local, after))

    def _is_held(self, name: str) -> bool:
        """Say whether a worktree has a branch checked out."""
        from gitsched.adapters.git.branches import holder
        from gitsched.adapters.git.registry import main_checkout

        common = self._place.common
        return holder(common, main_checkout(common), name.removeprefix(BRANCHES)) is not None

    def _gen(self, oid: str | None) -> int:
        """Tell the generation that a run ref stands at; one that was deleted, or is no record, has none."""
        if oid is None or oid not in self._repository:
            return -1
        try:
            return decode_run(bytes(self._repository.read(oid)[1]), "", oid).gen
        except RecordUnreadableError:
            return -1


def _lost_there(known: str) -> StateLostError:
    return StateLostError(
        "What the remote has was to be brought.",
        f"It has no '{STATE_REF}' any more, which was at {known} when this clone last asked.",
        "`gitsched sync` gives it this clone's; do it in the clone that has the newest. What is here is left as it is.",
    )
