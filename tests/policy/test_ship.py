"""Whether a batch may ship as its settings say."""

import pytest

from gitsched.config.shipping import ShipSettings
from gitsched.domain.batches import Segment
from gitsched.domain.forge import ShipRules
from gitsched.domain.merging import Mechanism
from gitsched.policy.ship import begins_as_draft, mismatch, past, row, shipping_fault

FULL = ShipRules(
    methods=frozenset({"rebase", "merge"}),
    mechanisms=frozenset({Mechanism.DIRECT, Mechanism.AUTO}),
    labels=frozenset("m"),
)


def test_an_integration_branch_holds_what_its_members_brought() -> None:
    """G-10 (the rule): what is missing, out of order or nobody's is named."""
    spans = [(1, ["a", "b"]), (2, ["c"])]
    assert mismatch(["a", "b", "c"], spans) is None
    assert mismatch(["a", "c"], spans) == "1"
    assert mismatch(["a", "b"], spans) == "2"
    assert mismatch(["a", "b", "c", "d"], spans) == "foreign"


@pytest.mark.parametrize(
    ("merge", "rules", "reason"),
    [
        ("manual", ShipRules(mechanisms=frozenset()), None),
        ("direct", FULL, None),
        ("auto", FULL, None),
        ("auto", ShipRules(), "no-merge-mechanism"),
        ("queue", FULL, "no-merge-mechanism"),
        ("queue", ShipRules(mechanisms=frozenset({Mechanism.QUEUE}), queue_method="rebase"), None),
        ("queue", ShipRules(mechanisms=frozenset({Mechanism.QUEUE}), queue_method="squash"), "squash-refused"),
        ("label:m", FULL, None),
        ("label:x", FULL, "no-merge-mechanism"),
        ("label:m", ShipRules(), "no-merge-mechanism"),
        ("direct", ShipRules(methods=frozenset({"squash"})), "no-merge-mechanism"),
        ("direct", ShipRules(methods=frozenset()), "no-merge-mechanism"),
        ("manual", ShipRules(wants_signatures=True), "signatures-lost"),
    ],
)
def test_g_07_what_nothing_serves_is_found_at_ship_time(merge: str, rules: ShipRules, reason: str | None) -> None:
    """G-07 (the rule): an impossible mechanism is refused at once, for `auto`, `queue` and `label:NAME` alike."""
    fault = shipping_fault(ShipSettings(merge=merge), 3, rules)
    assert (fault.reason if fault else None) == reason


def test_g_06_a_squash_of_several_members_is_refused_unless_allowed() -> None:
    """G-06 (the rule): refused with the reason; allowed for a single member, and where the operator said so."""
    squash = ShipSettings(method="squash")
    refused = shipping_fault(squash, 3, ShipRules(methods=frozenset({"squash"})))
    assert refused is not None
    assert (refused.reason, "3 members" in refused.detail) == ("squash-refused", True)
    assert shipping_fault(squash, 1, ShipRules()) is None
    allowed = ShipSettings(method="squash", allow_squash=True)
    assert shipping_fault(allowed, 3, ShipRules(wants_signatures=True)) is None


def test_a_draft_is_opened_only_where_something_is_to_turn_green() -> None:
    until_green = ShipSettings(draft="until-green")
    assert begins_as_draft(until_green, ShipRules(has_drafts=True, required=("ci",)))
    assert not begins_as_draft(until_green, ShipRules(has_drafts=True))
    assert not begins_as_draft(until_green, ShipRules(required=("ci",)))
    assert not begins_as_draft(ShipSettings(draft="never"), ShipRules(has_drafts=True, required=("ci",)))


def test_pieces_of_a_branch_are_put_in_a_row() -> None:
    members = [(1, "base", "a"), (3, "c", "d")]
    assert row("base", members, [(2, "a", "c"), (2, "d", "e")]) == (
        (1, "base", "a"),
        (2, "a", "c"),
        (3, "c", "d"),
        (2, "d", "e"),
    )


def test_members_out_of_their_order_are_no_row() -> None:
    members = [(3, "a", "b"), (1, "base", "a")]
    assert row("base", members, []) == tuple(members)


def test_v_34_what_was_taken_back_is_gone_past() -> None:
    """V-34: a member may stand on what was there before a revert."""
    undone = Segment(issue=2, kind="undone", start="a", end="b")
    revert = Segment(issue=2, kind="revert", start="b", end="c")
    assert past([undone, revert], "a", "b") == "b"
    assert past([undone, revert], "a", None) == "c"
    assert past([undone], "x", "y") == "x"
