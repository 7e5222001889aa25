"""Evidence against its manifest and the journal."""

import json
from hashlib import sha256

from gitsched.domain.proofs import MANIFEST, Claimed, evidence_digest, faults

FILES = {"runs/1/0/log": b"log\n", "runs/1/0/run.json": b"{}\n", "suite/1/report": b"<xml/>"}


def with_manifest(files: dict[str, bytes]) -> dict[str, bytes]:
    """Add the manifest that tells of them."""
    rows = {path: {"sha256": sha256(data).hexdigest(), "size": len(data)} for path, data in files.items()}
    return {**files, MANIFEST: json.dumps(rows).encode()}


def test_what_is_whole_has_no_faults() -> None:
    """Also where the journal says nothing of a folder's digest."""
    whole = with_manifest(FILES)
    claims = (Claimed("runs/1/0", evidence_digest(whole, "runs/1/0")), Claimed("suite/1", None))
    assert list(faults(whole, claims)) == []
    assert list(faults({}, ())) == []


def test_everything_that_differs_is_named() -> None:
    """Another content, a file that is gone or new, a folder that the journal names, a manifest that cannot be read."""
    whole = with_manifest(FILES)
    changed = {**whole, "runs/1/0/log": b"LOG\n"}
    assert list(faults(changed, ())) == [("runs/1/0/log", "is not what the manifest says")]
    less = {path: data for path, data in whole.items() if path != "suite/1/report"}
    assert list(faults(less, (Claimed("suite/1", "x"),))) == [
        ("suite/1/report", "is missing, and the manifest names it"),
        ("suite/1", "is missing, and the journal names it"),
    ]
    assert list(faults({**whole, "more": b""}, ())) == [("more", "is not in the manifest")]
    for manifest in (b"[]", b"{"):
        found = list(faults({"a": b"", MANIFEST: manifest}, ()))
        assert found == [(MANIFEST, "is missing, or cannot be read"), ("a", "is not in the manifest")]
    claimed = (Claimed("runs/1/0", "0" * 64),)
    assert list(faults(whole, claimed)) == [("runs/1/0", "is not what the journal says that it was")]
