"""Refs that hold one blob each, changed by compare-and-swap: run records.

A blob is all that a run needs: its record is replaced as a whole, and older ones interest nobody. Two ways to
the same refs: libgit2 for a driver, which reads many of them and has it loaded anyway; the git program for a
worker, whose start would take twice as long with libgit2. Both lock the ref with git's own lock file and
compare under the lock, absence included.
"""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gitsched.adapters.git.outlasting import outlast
from gitsched.adapters.git.process import Git

if TYPE_CHECKING:
    import pygit2


_DURABLE = ("-c", "core.fsync=committed,reference")


class Held(NamedTuple):
    """What a ref holds."""

    oid: str
    data: bytes


class BlobRefs(Protocol):
    """Reads and swaps refs that hold a blob."""

    def below(self, prefix: str) -> tuple[str, ...]:
        """List the refs whose names start with `prefix`."""

    def read(self, ref: str) -> Held | None:
        """Read a ref; None when it is not there."""

    def write(self, data: bytes) -> str:
        """Write a blob that a ref is to hold, and name it."""

    def swap(self, ref: str, expected: str | None, data: bytes | None) -> str | None:
        """Replace what the ref holds if it is `expected` (None: if it is not there); None as data deletes it.

        None: done. Else a few words why not: another was quicker, or holds the lock.
        """


class LoadedBlobRefs:
    """Goes through libgit2."""

    def __init__(self, repository: "pygit2.Repository") -> None:
        """Stand on an open repository."""
        from gitsched.adapters.git.lock_notes import lock_notes
        from gitsched.adapters.git.sequencer import common_folder

        self._repository = repository
        self._common = common_folder(repository)
        self._notes = lock_notes(self._common)

    def read(self, ref: str) -> Held | None:
        """Read a ref; None when it is not there."""
        import pygit2

        oid = self._oid(ref)
        if oid is None:
            return None
        blob = self._repository[oid]
        assert isinstance(blob, pygit2.Blob)
        return Held(oid, blob.data)

    def write(self, data: bytes) -> str:
        """Write a blob that a ref is to hold, and name it."""
        from pygit2.enums import ObjectType

        from gitsched.adapters.git.objects import write_object

        return write_object(self._repository, ObjectType.BLOB, data)

    def swap(self, ref: str, expected: str | None, data: bytes | None) -> str | None:
        """Replace what the ref holds if it is `expected`; None: done."""
        import pygit2

        new = None if data is None else self.write(data)
        try:
            with self._notes.noted(ref), self._repository.transaction() as transaction:
                transaction.lock_ref(ref)
                found = self._oid(ref)
                if found != expected:
                    return "another writer was quicker"
                if new is not None:
                    transaction.set_target(ref, new)
                elif found is not None:
                    transaction.remove(ref)
        except (pygit2.GitError, OSError) as held:  # the ref's own lock, or that of the packed refs it is taken out of
            self._notes.heal()
            return str(held).strip().rstrip(".")
        if new is not None and data is not None:
            outlast(self._common, [new], partial(self.write, data))
        return None

    def below(self, prefix: str) -> tuple[str, ...]:
        """List the refs whose names start with `prefix`."""
        return tuple(name for name in self._repository.references if name.startswith(prefix))

    def _oid(self, ref: str) -> str | None:
        found = self._repository.references.get(ref)
        return None if found is None else str(found.target)


class SpawnedBlobRefs:
    """Goes through the git program, three milliseconds a command and nothing to load before."""

    def __init__(self, git: Git) -> None:
        """Stand on a repository's git."""
        self._git = git

    def read(self, ref: str) -> Held | None:
        """Read a ref; None when it is not there."""
        # A batch answers "missing" for a ref that is not there, where other commands fail in several ways.
        answer = self._git.run("cat-file", "--batch", stdin=f"{ref}\n".encode()).out
        header, _, rest = answer.partition(b"\n")
        words = header.split()
        if words[-1] == b"missing":
            return None
        return Held(words[0].decode(), rest[: int(words[2])])

    def write(self, data: bytes) -> str:
        """Write a blob that a ref is to hold, and name it."""
        return self._git.run(*_DURABLE, "hash-object", "-w", "--stdin", stdin=data).text()

    def swap(self, ref: str, expected: str | None, data: bytes | None) -> str | None:
        """Replace what the ref holds if it is `expected`; None: done."""
        if data is None:
            if expected is None:
                return None
            done = self._git.run(*_DURABLE, "update-ref", "--no-deref", "-d", ref, expected, check=False)
        else:
            new = self.write(data)
            # An empty old value means: the ref must not exist.
            swap = ("update-ref", "--no-deref", ref, new, expected or "")
            done = self._git.run(*_DURABLE, *swap, check=False)
            if done.ok:
                outlast(self._git.directory, [new], partial(self.write, data))
        return None if done.ok else done.complaint()

    def below(self, prefix: str) -> tuple[str, ...]:
        """List the refs whose names start with `prefix`."""
        return tuple(self._git.run("for-each-ref", "--format=%(refname)", prefix).lines())
