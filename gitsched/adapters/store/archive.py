"""The archive: ended batches as they stood in the state, under the same paths, and the history that was cut off."""

from collections.abc import Iterable

from gitsched.adapters.store.commits import put_commit
from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.refs import read_ref
from gitsched.adapters.store.store import GitStore
from gitsched.codec.records import encode_record
from gitsched.domain.ids import ARCHIVE_REF
from gitsched.domain.records import Batch, Record
from gitsched.domain.state import RefMove, record_path


def shelved(store: GitStore, records: Iterable[Record]) -> RefMove:
    """Write records into the archive beside what is there, and give the move that brings them in.

    The format goes in with them, so that the archive can be read by itself; what an older version archived is taken to
    it as well.
    """
    writer, tip, given = store.writer(), read_ref(store.place, ARCHIVE_REF), list(records)
    root, loose = writer.tree_of(tip) if tip is not None else None, LooseWriter(store.place.objects)
    older = store.reader.outdated(root) if root is not None else {}
    everything = (*older.values(), store.read().format, *given)
    blobs: dict[str, Oid | None] = {record_path(one): loose.put("blob", encode_record(one)) for one in everything}
    tree = store.trees.edit(root, blobs, loose.put)
    assert tree is not None, "the format record is in it"
    names = ", ".join(sorted(record.id for record in given if isinstance(record, Batch)))
    commit = put_commit(loose, store.signer(), tree.hex(), [tip] if tip is not None else [], f"Archive {names}\n")
    loose.settle()
    return RefMove(ARCHIVE_REF, tip, commit)
