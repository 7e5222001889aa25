"""What failed for its surroundings, and every category with what follows from it."""

import pytest

from gitsched.domain.categories import RECOVERIES, Category, category_of
from gitsched.domain.runs import RunEnd
from gitsched.policy.mishaps import mishap_of


@pytest.mark.parametrize(
    ("end", "what"),
    [
        (RunEnd(spawn_error="no such file", at=""), "spawn"),
        (RunEnd(code=127, at=""), "missing-tool"),
        (RunEnd(code=126, at=""), "missing-tool"),
        (RunEnd(code=1, at="", tail="work\nwrite: No space left on device\n"), "disk"),
        (RunEnd(code=128, at="", tail="fatal: Could not resolve host: example.org"), "network"),
        (RunEnd(code=0, at="", tail="No space left on device"), None),
        (RunEnd(code=1, at="", tail="No space left on device\na\nb\nc"), None),
        (RunEnd(signal=9, at="", tail="No space left on device"), None),
    ],
)
def test_a_31_exit_and_words_together_tell_a_mishap(end: RunEnd, what: str | None) -> None:
    """A-31: facts, not words alone."""
    assert mishap_of(end) == what


def test_every_category_says_what_follows() -> None:
    """Reasons have theirs by their fixed word; an agent's own words have none."""
    assert set(RECOVERIES) == set(Category)
    assert category_of("environment:disk") is Category.ENVIRONMENT
    assert category_of("gate-failed:unit") is Category.PRODUCT
    assert category_of("landing-conflict") is Category.CONFLICT
    assert category_of("budget:turns") is Category.BUDGET
    assert category_of("I ran into a timeout") is Category.UNKNOWN
