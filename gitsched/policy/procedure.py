"""Procedure: whether a run handed its branch over, or took what comes after into its own hands.

1. A pull request that it opened by itself stops it; it is told once, and started again in the same tree.
2. A second one takes the member out of its batch.
3. What is merged cannot be told off any more: the member leaves, and the request or branch is named.
"""

from collections.abc import Iterable

from gitsched.domain.forge import Published
from gitsched.domain.records import Member

WRONG_PROCEDURE = "wrong-procedure"
SHIPPED = "wrong-procedure-shipped"


def offence(member: Member, published: Iterable[Published]) -> Published | None:
    """Name what a run published that it has not been told about, what is merged first; None: it kept to the rules."""
    found = sorted(published, key=lambda seen: (not seen.is_merged, seen.number is None, seen.number or 0))
    return next((seen for seen in found if seen.is_merged or seen.number not in member.requests), None)
