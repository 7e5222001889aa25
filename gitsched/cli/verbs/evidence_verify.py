"""`gitsched evidence verify`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(name="verify", example="gitsched evidence verify b1", reads=True)
@click.argument("batch")
def verify(call: Call, batch: str, *, as_json: bool) -> int:
    """Prove a batch's evidence whole, or name what is not.

    Every file is compared with the manifest, and every run's files with what the journal says of them. Exit code 1
    when anything differs. It works in any clone that has fetched refs/gitsched.
    """
    from gitsched.engine.exhibits import proof_of
    from gitsched.view.json_text import document_text

    proof = proof_of(call.clone.store, batch)
    if as_json:
        found = [{"path": path, "what": what} for path, what in proof.faults]
        call.show(document_text({"batch": batch, "files": proof.file_count, "runs": proof.run_count, "faults": found}))
    else:
        call.show("\n".join(_lines(batch, proof.file_count, proof.run_count, proof.faults)))
    return 1 if proof.faults else 0


def _lines(batch: str, files: int, runs: int, faults: tuple[tuple[str, str], ...]) -> list[str]:
    if not faults:
        return [f"The evidence of {batch} is whole: {files} files, {runs} runs that the journal names."]
    return [f"{path} {what}." for path, what in faults]
