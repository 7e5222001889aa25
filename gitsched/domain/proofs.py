"""Proofs: what evidence is checked against, its own manifest and what the journal says of it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from msgspec import Struct

MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
"""The signature of the manifest, where one signs."""


class Claimed(Struct, frozen=True):
    """What the journal says of a folder of evidence."""

    folder: str
    digest: str | None


def evidence_digest(files: Mapping[str, bytes], folder: str) -> str:
    """Give one SHA-256 for all files of a folder and their names."""
    inside = (path for path in sorted(files) if path.startswith(f"{folder}/"))
    lines = (f"{sha256(files[path]).hexdigest()}  {path}\n" for path in inside)
    return sha256("".join(lines).encode()).hexdigest()


def faults(files: Mapping[str, bytes], claims: Iterable[Claimed]) -> Iterator[tuple[str, str]]:
    """Name every path that is not what manifest and journal say, with what is wrong; nothing when all is whole."""
    manifest = _manifest(files)
    if manifest is None:
        if files:
            yield MANIFEST, "is missing, or cannot be read"
        manifest = {}
    for path in sorted({*manifest, *files} - {MANIFEST, SIGNATURE}):
        yield from _file_faults(path, files.get(path), manifest.get(path))
    for claim in claims:
        if not any(path.startswith(f"{claim.folder}/") for path in files):
            yield claim.folder, "is missing, and the journal names it"
        elif claim.digest is not None and evidence_digest(files, claim.folder) != claim.digest:
            yield claim.folder, "is not what the journal says that it was"


def _manifest(files: Mapping[str, bytes]) -> dict[str, object] | None:
    try:
        told = json.loads(files.get(MANIFEST, b""))
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _file_faults(path: str, content: bytes | None, row: object) -> Iterator[tuple[str, str]]:
    if content is None:
        yield path, "is missing, and the manifest names it"
    elif not isinstance(row, dict):
        yield path, "is not in the manifest"
    elif row.get("size") != len(content) or row.get("sha256") != sha256(content).hexdigest():
        yield path, "is not what the manifest says"
