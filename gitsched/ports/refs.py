"""Refs: what points where, and compare-and-swap on it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from gitsched.domain.outcomes import RefMoved
from gitsched.domain.state import RefMove


class Refs(Protocol):
    """Reads and moves the refs of one repository."""

    def resolve(self, name: str) -> str | None:
        """Name the object that a full ref name points at; None when there is no such ref."""

    def there(self, name: str) -> str | None:
        """Name where the remote had a ref at the last look; None without a remote, or when it had none."""

    def below(self, prefix: str) -> Mapping[str, str]:
        """List the refs whose names start with `prefix`, with what they point at."""

    def held_in(self, branch: str) -> Path | None:
        """Find the worktree that has a branch checked out; none whose folder is gone."""

    def heal(self) -> None:
        """Move locks aside that processes of ours left when they died."""

    def move(self, moves: Sequence[RefMove]) -> RefMoved | None:
        """Move all of these refs or none, each only from its expected old value; None: all were moved."""
