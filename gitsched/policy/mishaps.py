"""Mishaps: whether a run failed for its surroundings, and not for its work.

1. A command that could not be started, or was not found by its shell.
2. A failing exit together with the words of the system, in the last lines, for a full disk or an unreachable network.

An exit alone, or words alone, decide nothing. Exit codes: POSIX, "Exit Status for Commands".
"""

import re
from typing import Final

from gitsched.domain.runs import RunEnd

_NOT_FOUND: Final = (126, 127)
_LAST_LINES: Final = 3
_SIGNATURES: Final = {
    "disk": re.compile(r"No space left on device|Disk quota exceeded"),
    "network": re.compile(
        r"Could not resolve host|Temporary failure in name resolution|Network is unreachable|Name or service not known"
    ),
}


def mishap_of(end: RunEnd) -> str | None:
    """Name what of its surroundings failed a run: `spawn`, `missing-tool`, `disk` or `network`; None: nothing known."""
    if end.spawn_error is not None:
        return "spawn"
    if end.code in _NOT_FOUND:
        return "missing-tool"
    if not end.code:
        return None
    last = "\n".join(end.tail.splitlines()[-_LAST_LINES:])
    return next((what for what, signature in _SIGNATURES.items() if signature.search(last)), None)
