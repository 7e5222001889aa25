"""Evidence of a batch: files under one ref, and a manifest that tells the SHA-256 and size of each.

Where one signs, the manifest's signature stands beside it.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from gitsched.adapters.store.loose import LooseWriter, Oid
from gitsched.adapters.store.objects import ObjectReader
from gitsched.adapters.store.trees import Trees
from gitsched.domain.proofs import MANIFEST, SIGNATURE

SignManifest = Callable[[str, bytes | None, bytes | None, bytes], bytes | None]
"""Signs a batch's manifest: its name, the manifest and the signature before, the manifest now. None: unsigned."""

_FORBIDDEN = frozenset({"", ".", "..", ".git"})
_OURS = frozenset({MANIFEST, SIGNATURE})


class Evidence:
    """Reads and writes evidence trees."""

    def __init__(self, objects: ObjectReader, trees: Trees, sign: SignManifest | None = None) -> None:
        """Read by `objects` and `trees`; sign by `sign`."""
        self._objects = objects
        self._trees = trees
        self._sign = sign

    def files(self, tree: Oid | None) -> dict[str, bytes]:
        """Read all files of an evidence tree by path, the manifest among them."""
        blobs = {path: oid for path, oid in self._trees.changes(None, tree).items() if oid} if tree else {}
        contents = self._objects.read_many(blobs.values())
        return {path: contents[oid] for path, oid in sorted(blobs.items()) if oid in contents}

    def added(self, writer: LooseWriter, tree: Oid | None, files: Mapping[str, bytes], batch: str) -> Oid:
        """Write the tree with these files in it and the manifest refreshed, and signed where one signs."""
        assert all(_FORBIDDEN.isdisjoint(path.split("/")) and path not in _OURS for path in files), sorted(files)
        manifest = self._manifest(tree) | {path: _row(content) for path, content in files.items()}
        told = msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1) + b"\n"
        blobs: dict[str, Oid | None] = {path: writer.put("blob", content) for path, content in files.items()}
        blobs[MANIFEST] = writer.put("blob", told)
        if self._sign is not None:
            signature = self._sign(batch, self._content(tree, MANIFEST), self._content(tree, SIGNATURE), told)
            blobs[SIGNATURE] = None if signature is None else writer.put("blob", signature)
        elif tree is not None:
            blobs[SIGNATURE] = None
        changed = self._trees.edit(tree, blobs, writer.put)
        assert changed is not None, "the manifest is in it"
        return changed

    def faults(self, tree: Oid | None) -> Iterator[tuple[str, str]]:
        """Compare the files of an evidence tree with its manifest: path, and what is wrong with it."""
        there = self.files(tree)
        told = there.pop(MANIFEST, None)
        there.pop(SIGNATURE, None)
        try:
            rows = msgspec.json.decode(told or b"", type=dict[str, Any])
        except msgspec.DecodeError:
            yield MANIFEST, "it does not decode" if told is not None else "it is not there"
            return
        for path in sorted(rows.keys() | there.keys()):
            if path not in there:
                yield path, "it is gone, or not whole"
            elif path not in rows:
                yield path, "the manifest does not list it"
            elif rows[path] != _row(there[path]):
                yield path, "its content is not what the manifest says"

    def joined(self, writer: LooseWriter, tree: Oid, other: Oid, batch: str) -> Oid:
        """Write the tree with the files of both; where both have one, it is the first's."""
        there = self.files(tree)
        more = {path: content for path, content in self.files(other).items() if path not in there}
        return self.added(writer, tree, {path: content for path, content in more.items() if path not in _OURS}, batch)

    def _manifest(self, tree: Oid | None) -> dict[str, Any]:
        """Read the manifest; one that is not whole is made anew from the files."""
        try:
            return msgspec.json.decode(self._content(tree, MANIFEST) or b"", type=dict[str, Any])
        except msgspec.DecodeError:
            return {path: _row(content) for path, content in self.files(tree).items() if path not in _OURS}

    def _content(self, tree: Oid | None, path: str) -> bytes | None:
        oid = self._trees.find(tree, path) if tree else None
        return self._objects.read(oid) if oid else None


def _row(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
