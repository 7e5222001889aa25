"""Every setting with its default and what it takes: what the reference page is made of."""

from dataclasses import dataclass

import msgspec

from gitsched.config.agents import AgentSettings
from gitsched.config.checking import GateSettings
from gitsched.config.lines import KeyPath
from gitsched.config.reading import Leaf, fields_of, leaves_of
from gitsched.config.services import BudgetCaps
from gitsched.config.settings import Settings
from gitsched.config.spot import dotted


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of the reference."""

    key: str
    """Dotted; `NAME` stands for a name of the operator's choice."""
    default: str
    """As TOML; empty where there is none."""
    takes: str


def setting_rows() -> tuple[SettingRow, ...]:
    """List every setting, in the order of the tables."""
    rows: list[SettingRow] = []
    for leaf in leaves_of(Settings()):
        if leaf.path in _NAMED:
            shown, kind = _NAMED[leaf.path]
            rows += _rows_of(kind, shown)
        else:
            rows.append(_row(dotted(leaf.path), leaf.default, leaf))
    return tuple(rows)


_NAMED: dict[KeyPath, tuple[str, type[msgspec.Struct]]] = {
    ("agents",): ("agents.NAME", AgentSettings),
    ("gates",): ("gates[]", GateSettings),
    ("budget", "profile"): ("budget.profile.NAME", BudgetCaps),
}


def _rows_of(kind: type[msgspec.Struct], prefix: str) -> list[SettingRow]:
    blanks = {field.name: "" for field in fields_of(kind) if field.is_required}
    return [_row(f"{prefix}.{dotted(leaf.path)}", leaf.default, leaf) for leaf in leaves_of(kind(**blanks))]


def _row(key: str, default: object, leaf: Leaf) -> SettingRow:
    is_none = default is None or default is msgspec.NODEFAULT
    return SettingRow(key, "" if is_none else leaf.rule.render(default), leaf.rule.says)
