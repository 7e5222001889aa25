"""Ship: whether a batch may become a pull request, and what would merge it.

1. An integration branch holds exactly what its landed members brought.
2. A mechanism that nothing serves is found before the pull request is opened, not after a silent wait.
3. A squash of several members destroys attribution: it is refused unless the operator allowed it.

See docs/how-to/github.md, "Choose who merges".
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from gitsched.config.shipping import ShipSettings
from gitsched.domain.batches import Segment
from gitsched.domain.forge import ShipRules


def mismatch(found: Sequence[str], spans: Sequence[tuple[int, Sequence[str]]]) -> str | None:
    """Name what is wrong: the issue whose commits are missing or out of order, or `foreign` for a commit of nobody's.

    `found` are the commits of base..head, oldest first; `spans` each landed member's, in member order. None: they
    agree.
    """
    at = 0
    for issue, commits in spans:
        if tuple(found[at : at + len(commits)]) != tuple(commits):
            return str(issue)
        at += len(commits)
    return "foreign" if at != len(found) else None


Piece = tuple[int, str, str]
"""Whose commits they are, the head right before them, and the last of them."""


def row(base: str, members: Sequence[Piece], beside: Iterable[Piece]) -> tuple[Piece, ...]:
    """Put pieces of a branch in a row from `base`: members in their order, and what stands beside them between.

    What does not fit stands at the end, where it will not agree with the branch.
    """
    left, others, at = list(members), list(beside), base
    ordered: list[Piece] = []
    while True:
        pile = left if left and left[0][1] == at else others
        piece = next((piece for piece in pile if piece[1] == at), None)
        if piece is None:
            return (*ordered, *left, *others)
        ordered.append(piece)
        pile.remove(piece)
        at = piece[2]


def past(beside: Iterable[Segment], at: str, wanted: str | None) -> str:
    """Go on from a head over what stands on the branch beside the members, up to the wanted head if it comes."""
    left = list(beside)
    while at != wanted and (segment := next((one for one in left if one.start == at), None)) is not None:
        left.remove(segment)
        at = segment.end
    return at


class ShipFault(Struct, frozen=True):
    """Why a batch cannot be shipped as its settings say: the reason word, and a sentence."""

    reason: str
    detail: str


NO_MECHANISM = "no-merge-mechanism"
UNTIMED = "merge-time-missing"
"""What a batch waits for whose forge says that it has merged, and not when."""


def shipping_fault(ship: ShipSettings, landed_count: int, rules: ShipRules) -> ShipFault | None:
    """Say what stands against shipping so many members by these settings; None: nothing does."""
    by = ship.merge_by
    traits = by.mechanism.traits
    method = rules.queue_method or ship.method if traits.has_own_method else ship.method
    if method == "squash" and landed_count > 1 and not ship.allow_squash:
        return ShipFault("squash-refused", f"a squash of {landed_count} members hides whose change is whose")
    if traits.has_label:
        if rules.labels is None or by.label not in rules.labels:
            return ShipFault(NO_MECHANISM, f"the repository has no label '{by.label}'")
    elif traits.is_offered and by.mechanism not in rules.mechanisms:
        return ShipFault(NO_MECHANISM, f"the repository does not offer '{by}' for this branch")
    if traits.takes_method and ship.method not in rules.methods:
        offered = ", ".join(sorted(rules.methods)) or "none"
        return ShipFault(NO_MECHANISM, f"the repository does not merge by {ship.method}; it offers {offered}")
    if rules.wants_signatures and method != "squash":
        return ShipFault("signatures-lost", "a rule demands signed commits, and landing makes unsigned ones")
    return None


def begins_as_draft(ship: ShipSettings, rules: ShipRules) -> bool:
    """Say whether the pull request is opened as a draft: something is still to turn green."""
    return ship.draft == "until-green" and rules.has_drafts and bool(rules.required)
