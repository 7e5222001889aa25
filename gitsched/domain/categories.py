"""Categories: what a failure is about, told by facts, and what follows from it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple


class Category(StrEnum):
    """What a failure is about."""

    ENVIRONMENT = "environment"
    PROVIDER = "provider"
    FLAKY = "flaky"
    PRODUCT = "product"
    SCOPE = "scope"
    CONFLICT = "conflict"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    UNKNOWN = "unknown"


class Recovery(NamedTuple):
    """What follows from a category."""

    says: str
    by_itself: bool
    """The engine tries something by itself before a person is asked."""


RECOVERIES: Final[Mapping[Category, Recovery]] = {
    Category.ENVIRONMENT: Recovery("Its surroundings failed it; it was tried once more, uncharged.", by_itself=True),
    Category.PROVIDER: Recovery("The agent's provider failed it; it goes on by itself.", by_itself=True),
    Category.FLAKY: Recovery("A check could not decide; only that check is run again.", by_itself=True),
    Category.PRODUCT: Recovery("Its work fails tests, with evidence.", by_itself=False),
    Category.SCOPE: Recovery("It did what it was not asked for.", by_itself=False),
    Category.CONFLICT: Recovery("It conflicts with what landed before it; it was tried once more.", by_itself=True),
    Category.BUDGET: Recovery("A budget of its own was used up.", by_itself=False),
    Category.TIMEOUT: Recovery("It ran into its time limit.", by_itself=False),
    Category.UNKNOWN: Recovery("Nothing tells what failed.", by_itself=False),
}
"""What the engine does with each, and what it says to people."""

_WORDS: Final[Mapping[str, Category]] = {
    **dict.fromkeys(("environment", "setup-failed", "worker-lost", "branch-checked-out"), Category.ENVIRONMENT),
    **dict.fromkeys(("provider", "usage-limit"), Category.PROVIDER),
    **dict.fromkeys(("gate-inconclusive", "flaky"), Category.FLAKY),
    **dict.fromkeys(("gate-failed", "suite-failed", "suite-red-after-fix"), Category.PRODUCT),
    **dict.fromkeys(
        ("out-of-scope", "hazard", "wrong-procedure", "wrong-procedure-shipped", "isolation-breach", "sibling-commits"),
        Category.SCOPE,
    ),
    "landing-conflict": Category.CONFLICT,
    "budget": Category.BUDGET,
    "timeout": Category.TIMEOUT,
}


def category_of(reason: str) -> Category:
    """Give the category of a failure by its reason's fixed word; an agent's own words decide nothing."""
    return _WORDS.get(reason.partition(":")[0], Category.UNKNOWN)
