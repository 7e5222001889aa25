"""Fields of JSON that a tool wrote: taken when they have the expected type, else absent."""

from typing import Any

Json = dict[str, Any]


def table(value: Any, *path: str) -> Json:
    """Step down through objects; an empty one where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str:
    """Take a string; empty for anything else."""
    return value if isinstance(value, str) else ""


def number(value: Any) -> float:
    """Take a number; 0 for anything else, negative ones too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return 0
    return value


def count(value: Any) -> int:
    """Take a whole number of things; 0 for anything else."""
    return int(number(value))


def total(fields: Json, *names: str) -> int:
    """Add up the counts of these fields."""
    return sum(count(fields.get(name)) for name in names)


def rows(value: Any) -> list[Json]:
    """Take the objects of an array; empty for anything else."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
