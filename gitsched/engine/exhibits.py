"""Exhibits: a batch's evidence against its manifest and against the journal."""

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from gitsched.codec.signatures import signer_of
from gitsched.domain.proofs import MANIFEST, SIGNATURE, Claimed, faults
from gitsched.engine.intake.names import batch_named
from gitsched.errors import RefusedError
from gitsched.ports.store import Store


class Proof(Struct, frozen=True, kw_only=True):
    """What was compared, and what differs."""

    file_count: int
    run_count: int
    faults: tuple[tuple[str, str], ...]
    """Path, and what is wrong with it."""
    signed_by: str | None = None
    """The public key, among those that were asked for, by which the manifest is signed."""


def proof_of(store: Store, name: str, keys: Collection[str] = ()) -> Proof:
    """Compare a batch's evidence, which must be signed by one of these keys where there are any.

    Raises RefusedError where there is none and the journal names none.
    """
    batch = batch_named(store.read(), name)
    files, claims = store.evidence(batch.id), tuple(_claims(store, batch.id))
    if not files and not claims:
        asked = f"The evidence of {batch.id} was to be verified."
        raise RefusedError(asked, "There is none.", "It comes with the first run that ends.")
    signer = _signer(batch.id, files, keys)
    unsigned = ((MANIFEST, "is signed by none of `evidence.keys`"),) if keys and files and signer is None else ()
    return Proof(
        file_count=len(files.keys() - {MANIFEST, SIGNATURE}),
        run_count=sum(claim.folder.startswith("runs/") for claim in claims),
        faults=(*faults(files, claims), *unsigned),
        signed_by=signer,
    )


def _signer(batch: str, files: Mapping[str, bytes], keys: Collection[str]) -> str | None:
    return signer_of(batch, files.get(MANIFEST, b""), files.get(SIGNATURE), keys) if keys else None


def _claims(store: Store, batch: str) -> Iterator[Claimed]:
    """List what the journal says of runs and checks; of what was owed at first only what was kept counts."""
    told: dict[str, str | None] = {}
    for entry in store.history(f"batches/{batch}"):
        for event in entry.events:
            folder, digest = event.fields.get("evidence"), event.fields.get("evidence_sha256")
            if isinstance(folder, str) and isinstance(digest, str):
                told.setdefault(folder, digest)
    yield from (Claimed(folder, digest) for folder, digest in told.items())
