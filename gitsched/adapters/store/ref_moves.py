"""Refs of the repository behind the port `Refs`: read without libgit2, moved under git's own locks."""

import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event

from gitsched.adapters.git.lock_notes import lock_notes
from gitsched.adapters.git.place import Place
from gitsched.adapters.git.ref_locks import move_aside
from gitsched.adapters.store.refs import Locked, Missing, Moved, read_ref, swap
from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import RefMove
from gitsched.errors import BusyError, GitFailedError

_TRIES = 200
_PAUSE_S = 0.02
_DEAD_LOCK_S = 30.0


class GitRefs:
    """Reads and moves the refs of one repository."""

    def __init__(self, place: Place) -> None:
        """Stand on a repository; libgit2 is loaded by the first move or listing."""
        self._place = place

    def resolve(self, name: str) -> str | None:
        """Name the object that a full ref name points at; None when there is no such ref."""
        return read_ref(self._place, name)

    def there(self, name: str) -> str | None:
        """Know of no remote (see the port)."""

    def below(self, prefix: str) -> Mapping[str, str]:
        """List the refs whose names start with `prefix`, with what they point at."""
        from gitsched.adapters.git.objects import open_repository

        repository = open_repository(self._place.common)
        names = [name for name in repository.references if name.startswith(prefix)]
        return {name: oid for name in names if (oid := read_ref(self._place, name)) is not None}

    def held_in(self, branch: str) -> Path | None:
        """Find the worktree that has a branch checked out; none whose folder is gone."""
        from gitsched.adapters.git.branches import holder

        found = holder(self._place.common, self._main, branch)
        return found if found is not None and found.is_dir() else None

    @cached_property
    def _main(self) -> Path | None:
        from gitsched.adapters.git.registry import main_checkout

        return main_checkout(self._place.common)

    def heal(self) -> None:
        """Move locks aside that processes of ours left when they died."""
        lock_notes(self._place.common).heal()

    def move(self, moves: Sequence[RefMove]) -> RefMoved | None:
        """Move all of these refs or none; a lock that is held is waited for with a bound, then BusyError."""
        from gitsched.adapters.git.objects import open_repository

        repository = open_repository(self._place.common)
        notes = lock_notes(self._place.common)
        for _ in range(_TRIES):
            with notes.noted(*(move.name for move in moves)):
                answer = swap(repository, self._place, moves, repository.__contains__)
            match answer:
                case Moved():
                    return None
                case RefMoved():
                    return answer
                case Missing():
                    raise GitFailedError(f"update-ref {answer.ref}", None, f"{answer.oid} is not in the repository")
                case Locked():
                    notes.heal()
                    Event().wait(_PAUSE_S)  # git holds a ref lock for milliseconds
        names = ", ".join(move.name for move in moves)
        for move in moves:
            move_aside(self._place, move.name, _DEAD_LOCK_S, logging.getLogger(__name__).warning)
        raise BusyError(f"The refs {names} were to be moved.", "Another process keeps one of them locked.")
