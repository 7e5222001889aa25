"""`gitsched evidence verify`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

if TYPE_CHECKING:
    from gitsched.engine.exhibits import Proof


@verb(name="verify", example="gitsched evidence verify b1", reads=True)
@click.argument("batch")
def verify(call: Call, batch: str, *, as_json: bool) -> int:
    """Prove a batch's evidence whole, or name what is not.

    Every file is compared with the manifest, and every run's files with what the journal says of them; where
    `evidence.keys` names public keys, the manifest must be signed by one of them. Exit code 1 when anything differs.
    It works in any clone that has fetched refs/gitsched.
    """
    from gitsched.engine.exhibits import proof_of
    from gitsched.view.json_text import document_text

    proof = proof_of(call.clone.store, batch, call.clone.settings_or_default.evidence.keys)
    if as_json:
        found = [{"path": path, "what": what} for path, what in proof.faults]
        told = {"batch": batch, "files": proof.file_count, "runs": proof.run_count, "signed_by": proof.signed_by}
        call.show(document_text({**told, "faults": found}))
    else:
        call.show("\n".join(_lines(batch, proof)))
    return 1 if proof.faults else 0


def _lines(batch: str, proof: "Proof") -> list[str]:
    if proof.faults:
        return [f"{path} {what}." for path, what in proof.faults]
    signed = f" It is signed by {proof.signed_by}." if proof.signed_by is not None else ""
    whole = f"{proof.file_count} files, {proof.run_count} runs that the journal names"
    return [f"The evidence of {batch} is whole: {whole}.{signed}"]
