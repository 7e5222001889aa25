"""Coverage maps: which lines each test runs, as `coverage json --show-contexts` writes them down.

Contexts are the names of tests, as pytest-cov's `--cov-context=test` makes them: a node id, then `|` and the phase.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

Covered = Mapping[str, Mapping[str, frozenset[int]]]
"""By test: the lines that it runs, by path."""


class _File(msgspec.Struct):
    contexts: dict[str, list[str]] = {}


class _Report(msgspec.Struct):
    files: dict[str, _File]


def read_coverage(data: bytes) -> Covered:
    """Read a map; one that is none tells nothing of any test."""
    try:
        report = msgspec.json.decode(data, type=_Report)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    found: dict[str, dict[str, set[int]]] = {}
    for path, file in report.files.items():
        for line, contexts in file.contexts.items():
            if not line.isdecimal():
                continue
            for context in contexts:
                test = context.partition("|")[0]
                if test:
                    found.setdefault(test, {}).setdefault(path, set()).add(int(line))
    return {test: _frozen(paths) for test, paths in found.items()}


def _frozen(paths: Mapping[str, Any]) -> Mapping[str, frozenset[int]]:
    return {path: frozenset(lines) for path, lines in paths.items()}
