"""Exhibits: a batch's evidence against its manifest and against the journal."""

from collections.abc import Iterator

from msgspec import Struct

from gitsched.domain.proofs import MANIFEST, Claimed, faults
from gitsched.engine.intake.names import batch_named
from gitsched.errors import RefusedError
from gitsched.ports.store import Store


class Proof(Struct, frozen=True, kw_only=True):
    """What was compared, and what differs."""

    file_count: int
    run_count: int
    faults: tuple[tuple[str, str], ...]
    """Path, and what is wrong with it."""


def proof_of(store: Store, name: str) -> Proof:
    """Compare a batch's evidence. Raises RefusedError where there is none and the journal names none."""
    batch = batch_named(store.read(), name)
    files, claims = store.evidence(batch.id), tuple(_claims(store, batch.id))
    if not files and not claims:
        asked = f"The evidence of {batch.id} was to be verified."
        raise RefusedError(asked, "There is none.", "It comes with the first run that ends.")
    found = tuple(faults(files, claims))
    return Proof(file_count=len([path for path in files if path != MANIFEST]), run_count=len(claims), faults=found)


def _claims(store: Store, batch: str) -> Iterator[Claimed]:
    """List what the journal says of runs; of one that was owed at first only what was archived at last counts."""
    told: dict[str, str | None] = {}
    for entry in store.history(f"batches/{batch}"):
        for event in entry.events:
            folder, digest = event.fields.get("evidence"), event.fields.get("evidence_sha256")
            if isinstance(folder, str) and isinstance(digest, str):
                told.setdefault(folder, digest)
    yield from (Claimed(folder, digest) for folder, digest in told.items())
