"""What `fsck` found, as a document and as a table."""

from collections.abc import Sequence
from typing import Any

from gitsched.domain.integrity import Finding
from gitsched.view.table import Cell, Look, render_table


def fsck_document(left: Sequence[Finding], mended: Sequence[Finding]) -> dict[str, Any]:
    """Write what `fsck --json` prints: what still stands first, then what was mended in this call."""
    return {"findings": [_row(finding, mended=False) for finding in left] + [_row(f, mended=True) for f in mended]}


def _row(finding: Finding, *, mended: bool) -> dict[str, Any]:
    fields = {"code": finding.code, "unit": finding.unit, "message": finding.message, "fix": finding.fix}
    return {**fields, "mended": mended}


def render_fsck(left: Sequence[Finding], mended: Sequence[Finding], look: Look) -> str:
    """Write one row for each finding, with what to do under what still stands."""
    rows: list[tuple[str | Cell, ...]] = [("mended", f.code, f.unit, Cell(f.message)) for f in mended]
    for finding in left:
        rows.append(("found", finding.code, finding.unit, Cell(finding.message)))
        rows.append(("", "", "", Cell(f"→ {finding.fix}", "bold")))
    return render_table(("", "check", "of", "what was found"), rows, look) if rows else "Nothing is wrong."
