"""The archive: ended batches as they stood in the state, under the same paths, and the history that was cut off."""

from collections.abc import Iterable

from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.queue import Turn
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.adapters.store.transaction import Attempt
from gitsched.adapters.store.trees import Trees
from gitsched.codec.records import encode_record
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF
from gitsched.domain.outcomes import Unchanged


def put_away(store: GitStore, batches: Iterable[str]) -> None:
    """Write these batches into the archive as they are in the state; those that are there like that stay."""
    names = sorted(batches)

    def once(turn: Turn) -> Attempt | Unchanged:
        writer = store.writer()
        state, tip = read_ref(store.place, STATE_REF), read_ref(store.place, ARCHIVE_REF)
        if state is None:
            return Unchanged()
        root = writer.tree_of(tip) if tip is not None else None
        files = _files_of(store.trees, writer.tree_of(state), names)
        changes = {path: blob for path, blob in files.items() if root is None or store.trees.find(root, path) != blob}
        if not changes:
            return Unchanged()

        def change(loose: LooseWriter) -> tuple[Oid, str]:
            older = store.reader.outdated(root) if root is not None else {}
            migrated: dict[str, Oid | None] = {p: loose.put("blob", encode_record(r)) for p, r in older.items()}
            tree = store.trees.edit(root, {**migrated, **changes}, loose.put)
            assert tree is not None, "the format record is in it"
            return tree, f"Archive {', '.join(names)}\n"

        return writer.files(ARCHIVE_REF, tip, change, turn, store.signer())

    store.repeated(once)


def _files_of(trees: Trees, root: Oid, names: Iterable[str]) -> dict[str, Oid | None]:
    """List what is to stand in the archive: the format, so that it can be read by itself, and all of each batch."""
    files: dict[str, Oid | None] = {"format": trees.find(root, "format")}
    for name in names:
        folder = trees.find(root, f"batches/{name}")
        found = trees.changes(None, folder) if folder is not None else {}
        files |= {f"batches/{name}/{path}": blob for path, blob in found.items()}
    return files
