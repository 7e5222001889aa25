"""The care of one store behind the port `Care`."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from gitsched.adapters.git.process import engine_git, operator_git
from gitsched.adapters.git.ref_locks import is_dead, move_aside
from gitsched.adapters.store.archive import shelved
from gitsched.adapters.store.auditing import audited
from gitsched.adapters.store.commits import put_commit
from gitsched.adapters.store.compaction import compact
from gitsched.adapters.store.evidence import Evidence
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.domain.ids import STATE_REF
from gitsched.domain.instants import Instant, instant_of
from gitsched.domain.integrity import Audited, Damage, StaleLock
from gitsched.domain.records import Record
from gitsched.domain.state import RefMove

DEAD_LOCK_S = 30.0
"""How long a lock must have been unchanged to be taken for dead."""
_LOOSE_COUNT = "6700"
"""Git's own limit for `gc --auto`, which ours turn off."""
_REPACK_S = 3600.0
_EVIDENCE = "refs/gitsched/evidence/"
_OURS = ("refs/gitsched", "refs/notes/gitsched", "refs/heads/gitsched")


class GitCare:
    """Looks after the store of one repository."""

    def __init__(self, store: GitStore) -> None:
        """Stand on a store."""
        self._store = store
        self._place = store.place

    def audited(self) -> Iterator[Audited]:
        """Walk the state's history, newest first (see the port)."""
        self._store.writer()  # opening writes nothing, and libgit2 reads packed commits quickest
        return audited(self._store.objects, self._store.trees, read_ref(self._place, STATE_REF))

    def missing(self, objects: Iterable[str]) -> frozenset[str]:
        """Tell which of these objects the repository does not have."""
        repository = self._store.writer().repository
        return frozenset(oid for oid in objects if oid not in repository)

    def unkept(self, commits: Iterable[str]) -> frozenset[str]:
        """Tell which of these commits no ref holds."""
        asked, git = frozenset(commits), engine_git(self._place.common)
        stdin = "".join(f"{commit}\n" for commit in asked).encode()
        words = ("--git-dir=.", "rev-list", "--stdin", "--not", "--all")
        doubted = asked & frozenset(git.run(*words, stdin=stdin).text().split())
        # That walk goes by dates and stops early: it also lists what a clock that was ahead has dated.
        holds = ("--git-dir=.", "for-each-ref", "--count=1", "--contains")
        return frozenset(commit for commit in doubted if not git.run(*holds, commit).text())

    def notes(self, ref: str) -> Mapping[str, str]:
        """Read all notes of a ref by the object each is on."""
        blobs = self._blobs_of(ref)
        contents = self._store.objects.read_many(blobs.values())
        return {
            path.replace("/", ""): contents[blob].decode("utf-8", "replace")
            for path, blob in blobs.items()
            if blob in contents
        }

    def without_notes(self, ref: str, targets: Iterable[str]) -> RefMove | None:
        """Write a notes ref without some of its notes, and give the move to it (see the port)."""
        gone, writer, tip = frozenset(targets), self._store.writer(), read_ref(self._place, ref)
        paths = [path for path in self._blobs_of(ref) if path.replace("/", "") in gone]
        if tip is None or not paths:
            return None
        loose = LooseWriter(self._place.objects)
        tree = self._store.trees.edit(writer.tree_of(tip), dict.fromkeys(paths), loose.put) or loose.put("tree", b"")
        message = f"Notes removed: {len(paths)} whose objects are gone\n"
        commit = put_commit(loose, self._store.signer(), tree.hex(), [tip], message)
        loose.settle()
        return RefMove(ref, tip, commit)

    def damage(self) -> tuple[Damage, ...]:
        """Compare every batch's evidence with its manifest."""
        evidence = Evidence(self._store.objects, self._store.trees)
        refs = self._store.writer().repository.references
        names = sorted(name for name in refs if name.startswith(_EVIDENCE))
        trees = ((name.removeprefix(_EVIDENCE), self._tree_at(name)) for name in names)
        return tuple(Damage(batch, path, what) for batch, tree in trees for path, what in evidence.faults(tree))

    def stale_locks(self) -> tuple[StaleLock, ...]:
        """Find locks of our refs that have not changed for half a minute and that no process holds."""
        common = self._place.common
        files = [file for folder in _OURS for file in sorted((common / folder).rglob("*.lock"))]
        return tuple(
            StaleLock(str(file.relative_to(common)).removesuffix(".lock"), str(file))
            for file in (*files, common / "packed-refs.lock")
            if is_dead(self._place, file, DEAD_LOCK_S)
        )

    def free(self, lock: StaleLock) -> None:
        """Move such a lock aside; it stays where somebody holds it after all."""
        move_aside(self._place, lock.ref, DEAD_LOCK_S, logging.getLogger(__name__).info)

    def shelve(self, records: Iterable[Record]) -> RefMove:
        """Write records into the archive beside what is there, and give the move that brings them in."""
        return shelved(self._store, records)

    def committed_at(self, commits: Iterable[str]) -> Mapping[str, Instant]:
        """Tell when each of these commits was made."""
        asked = "".join(f"{commit}\n" for commit in commits)
        words = ("--git-dir=.", "log", "--no-walk", "--stdin", "--ignore-missing", "--format=%H %ct")
        lines = engine_git(self._place.common).run(*words, stdin=asked.encode()).lines() if asked else []
        found = (line.partition(" ")[::2] for line in lines)
        return {commit: instant_of(datetime.fromtimestamp(int(at_s), UTC)) for commit, at_s in found}

    def compact(self, before: Instant) -> int:
        """Sum up the history before an instant in a checkpoint (see the port)."""
        return compact(self._store, before)

    def repack(self) -> None:
        """Let git repack what is worth it."""
        git = operator_git(self._place.common)
        # The last value is ours, which keeps git from collecting whenever it likes.
        values = git.run("--git-dir=.", "config", "--get-all", "gc.auto", check=False).text().split()
        limit = values[-2] if len(values) > 1 else _LOOSE_COUNT
        words = ("-c", f"gc.auto={limit}", "-c", "gc.autoDetach=false", "--git-dir=.", "gc", "--auto", "--quiet")
        git.run(*words, check=False, timeout_s=_REPACK_S)

    def _blobs_of(self, ref: str) -> dict[str, Oid]:
        tree = self._tree_at(ref)
        found = self._store.trees.changes(None, tree) if tree is not None else {}
        return {path: blob for path, blob in found.items() if blob is not None}

    def _tree_at(self, ref: str) -> Oid | None:
        tip = read_ref(self._place, ref)
        return self._store.writer().tree_of(tip) if tip is not None else None
