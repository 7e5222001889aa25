"""Counts in sentences."""

from gitsched.domain.counting import how_many


def test_one_is_no_plural() -> None:
    found = [how_many(0, "member"), how_many(1, "member"), how_many(2, "member"), how_many(2, "entry", "entries")]
    assert found == ["0 members", "1 member", "2 members", "2 entries"]
