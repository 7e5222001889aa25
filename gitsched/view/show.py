"""One unit in full: its records as they stand in the state, now or at an earlier commit."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gitsched.domain.records import Batch, Entry, Record
from gitsched.domain.state import State
from gitsched.view.clean import one_line

_VALUE_CHARS = 240


def show_document(state: State, unit: Entry | Batch, commit: str | None) -> dict[str, Any]:
    """Gather the unit's records: an issue's entry and memberships, a batch with members, runs and jobs."""
    if isinstance(unit, Entry):
        members = [member for key, member in sorted(state.members.items()) if key[1] == unit.issue]
        leases = [lease for key, lease in sorted(state.leases.items()) if key[1] == unit.issue]
        return {
            "commit": commit,
            "unit": str(unit.issue),
            "entry": plain(unit),
            "members": _all(members),
            "leases": _all(leases),
        }
    return {
        "commit": commit,
        "unit": unit.id,
        "batch": plain(unit),
        "members": _all(state.members_of(unit)),
        "leases": _all(lease for key, lease in sorted(state.leases.items()) if key[0] == unit.id),
        "jobs": _all(state.jobs_of(unit.id)),
        "settings": plain(state.settings[unit.id]) if unit.id in state.settings else None,
    }


def plain(record: Record) -> dict[str, Any]:
    """Write a record as it is stored, fields of other versions beside its own; what proves a run stays out."""
    fields: dict[str, Any] = msgspec.to_builtins(record)
    extra = fields.pop("extra", {})
    fields.pop("token", None)
    return {**extra, **fields}


def _all(records: Iterable[Record]) -> list[dict[str, Any]]:
    return [plain(record) for record in records]


def render_show(document: Mapping[str, Any]) -> str:
    """Write the document as indented lines, `name: value`; what is empty is left out."""
    return "\n".join(_lines(document, ""))


def _lines(value: Mapping[str, Any], indent: str) -> Iterable[str]:
    for name, part in value.items():
        if part in (None, "", [], {}, ()):
            continue
        if isinstance(part, Mapping) and part.keys() == {"decimal"}:  # how settings keep a number with a point
            yield f"{indent}{one_line(name)}: {one_line(part['decimal'], _VALUE_CHARS)}"
        elif isinstance(part, Mapping):
            yield f"{indent}{one_line(name)}:"
            yield from _lines(part, indent + "  ")
        elif isinstance(part, list | tuple) and isinstance(part[0], Mapping):
            for item in part:
                yield f"{indent}{one_line(name)}:"
                yield from _lines(item, indent + "  ")
        else:
            shown = ", ".join(map(str, part)) if isinstance(part, list | tuple) else str(part)
            yield f"{indent}{one_line(name)}: {one_line(shown, _VALUE_CHARS)}"
