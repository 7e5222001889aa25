"""Counts in sentences: `1 member`, `2 members`."""


def how_many(count: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun, whose plural is the noun and an s where no other is given."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"
