"""Property 4: what an integration branch holds, commit by commit."""

from collections.abc import Iterator
from pathlib import Path

import pygit2

from gitsched.domain.records import Batch, Member
from gitsched.policy.ship import past


class Chains:
    """Looks at each head of each integration branch once."""

    def __init__(self, repo: Path) -> None:
        """Read the objects of that repository."""
        self._repo = repo
        self._proven: set[tuple[str, str]] = set()

    def check(self, batch: Batch, members: list[Member], *, some_left: bool) -> None:
        """Expect the members' commits, contiguous and in order, fix commits after them, and no merges."""
        head, base = batch.integration.head, batch.base
        assert head is not None
        assert base is not None
        at = base
        for member in members:
            at = past(batch.beside, at, member.landed_from)
            assert member.landed_from == at, f"P4: {member.issue} of {batch.id} does not stand on the one before it"
            assert member.landed is not None
            at = member.landed
        if not some_left:
            at = past(batch.beside, at, None)
            assert at == head, f"P4: {batch.id} holds more than its members' commits"
        if (base, head) not in self._proven:
            self._one_by_one(batch, base, head)
            self._proven.add((base, head))

    def _one_by_one(self, batch: Batch, base: str, head: str) -> None:
        fixed: str | None = None
        for commit in self._commits(base, head):
            assert len(commit.parents) == 1, f"P4: {batch.id} has a merge: {commit.id}"
            text = commit.message
            assert f"Gitsched-Batch: {batch.id}" in text, f"P4: {batch.id} holds {commit.id}, which is not its own"
            if "Gitsched-Fix:" in text:
                fixed = str(commit.id)
            else:
                assert fixed is None, f"P4: {commit.id} of {batch.id} comes after the fix {fixed}"

    def _commits(self, base: str, head: str) -> Iterator[pygit2.Commit]:
        repository = pygit2.Repository(self._repo)
        walker = repository.walk(head, pygit2.enums.SortMode.TOPOLOGICAL | pygit2.enums.SortMode.REVERSE)
        walker.hide(base)
        yield from walker
