"""Migrations: how a record of one format becomes one of the next.

A step changes the fields of one record as they are written down, and knows its path; what it does not know it leaves
alone. A reader takes older records through all steps on the way, so that an older store can be looked at by anybody;
the first writer migrates the whole store in one transaction. Steps are never changed once they are released, and the
repositories they were made for are kept among the tests for ever.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

Step = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Gives a record's fields as the next format has them; by the path of the record, and its fields so far."""


class Formats(Struct, frozen=True):
    """What this version reads and writes."""

    newest: int
    steps: Mapping[int, Step]
    """By the format that a step begins with; there is one for each format before the newest."""

    def migrated(self, path: str, content: bytes, found: int) -> bytes:
        """Take a record of an older format to the newest; what is no JSON object is left for the decoder to refuse."""
        if found >= self.newest:
            return content
        try:
            fields = msgspec.json.decode(content, type=dict[str, Any])
        except msgspec.DecodeError:
            return content
        for number in range(found, self.newest):
            fields = self.steps[number](path, fields)
        return msgspec.json.encode(fields, order="sorted") + b"\n"


FORMATS: Final = Formats(newest=1, steps={})
"""Format 1 is the first."""
