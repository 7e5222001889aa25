"""The page `docs/reference/configuration.md`, written from the settings themselves."""

from collections.abc import Iterable
from itertools import groupby

from gitsched.config.reference import SettingRow, setting_rows

HEAD = """\
# Configuration

Written from the settings in `gitsched/config` by `make docs`; do not edit.

`gitsched.toml` stands at the root of the repository. An unknown key, a wrong type or a value out of range is
refused with file, line, key and the nearest known key. `NAME` stands for a name of your choice, `[]` for one
of several tables (`[[gates]]`).
"""


def render_configuration() -> str:
    """Write the whole page as Markdown, one section per table in the order of the settings."""
    tables = groupby(setting_rows(), key=_table)
    return "\n".join([HEAD, *(_section(name, rows) for name, rows in tables)])


def _table(row: SettingRow) -> str:
    return row.key.split(".")[0].removesuffix("[]")


def _section(name: str, rows: Iterable[SettingRow]) -> str:
    lines = [f"## {name}", "", "| key | default | takes |", "|---|---|---|", *map(_line, rows), ""]
    return "\n".join(lines)


def _line(row: SettingRow) -> str:
    default = f"`{row.default}`" if row.default else ""
    return f"| `{row.key}` | {_cell(default)} | {_cell(row.takes)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
