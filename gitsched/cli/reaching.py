"""Answers of a forge that a verb cannot go on without."""

from typing import TypeVar

from gitsched.domain.outcomes import Unreachable
from gitsched.errors import TemporaryError

T = TypeVar("T")


def reached(answer: T | Unreachable) -> T:
    """Give the answer. Raises TemporaryError where there was none."""
    if isinstance(answer, Unreachable):
        raise TemporaryError(
            f"{answer.what} was asked.", f"{answer.detail}.", "Try again; `gitsched doctor` tells more."
        )
    return answer
