"""The doctor's findings as a document and as a table. A check is known by its fields alone."""

from collections.abc import Iterable
from typing import Any, Protocol

from gitsched.view.table import Cell, Look, render_table


class Finding(Protocol):
    """One line of the doctor's."""

    @property
    def code(self) -> str:
        """Which precondition."""

    @property
    def level(self) -> str:
        """`green`, `amber` or `red`."""

    @property
    def message(self) -> str:
        """One sentence."""

    @property
    def fix(self) -> str | None:
        """What to do."""


def doctor_document(checks: Iterable[Finding]) -> dict[str, Any]:
    """Write what `doctor --json` prints."""
    listed = [{"code": c.code, "level": str(c.level), "message": c.message, "fix": c.fix} for c in checks]
    return {"checks": listed}


def render_doctor(checks: Iterable[Finding], look: Look) -> str:
    """Write one row for each check, with what to do under what is not green."""
    rows: list[tuple[str | Cell, ...]] = []
    for check in checks:
        rows.append((str(check.level), check.code, Cell(check.message)))
        if check.fix is not None:
            rows.append(("", "", Cell(f"→ {check.fix}", "bold")))
    return render_table(("", "check", "what was found"), rows, look)
