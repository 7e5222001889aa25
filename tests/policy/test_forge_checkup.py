"""What a look at GitHub means for the doctor."""

from typing import Any

import pytest

from gitsched.domain.forge import ShipRules
from gitsched.domain.merging import Mechanism
from gitsched.policy.checkup import Checkup
from gitsched.policy.diagnose import diagnose
from gitsched.policy.forge_checkup import ForgeLook, forge_lines
from tests.policy.situations import settings

RULES = ShipRules(mechanisms=frozenset({Mechanism.DIRECT, Mechanism.AUTO}), required=("ci",), closes_issues=True)
QUEUE = ShipRules(mechanisms=frozenset({Mechanism.QUEUE}), required=("ci",), closes_issues=True)
GOOD: dict[str, Any] = {"full_name": "acme/shop", "login": "gitsched[bot]", "can_push": True, "rules": RULES}


def wrong(merge: str = "manual", **fields: Any) -> list[tuple[str, str]]:
    found = forge_lines(ForgeLook(**{**GOOD, **fields}), settings(f'[ship]\nmerge = "{merge}"\n'))
    return [(line.code, line.level) for line in found if line.level != "green"]


def test_what_is_as_it_should_be_is_green() -> None:
    assert wrong(merge="queue", rules=QUEUE) == wrong(merge="queue", rules=QUEUE, has_merge_group=True) == []
    assert wrong(has_merge_group=False) == []
    unchecked = ShipRules(mechanisms=frozenset({Mechanism.QUEUE}), closes_issues=True)
    assert ("github-merge-group", "amber") not in wrong(merge="queue", rules=unchecked, has_merge_group=False)
    assert wrong() == wrong(merge="auto") == wrong(rules=None) == wrong(can_push=None, configured="Acme/Shop") == []


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"credential_fault": "There is no token."}, ("github-credential", "red")),
        ({"reach_fault": "it answered 503"}, ("github-reach", "red")),
        ({"denial": "Bad credentials."}, ("github-credential", "red")),
        ({"is_archived": True}, ("github-repository", "red")),
        ({"configured": "acme/old"}, ("github-repository", "amber")),
        ({"can_push": False}, ("github-rights", "red")),
        ({"skew_s": 300.0}, ("github-clock", "amber")),
        ({"skew_s": -300.0}, ("github-clock", "amber")),
        ({"merge": "queue"}, ("github-merge", "red")),
        (
            {"merge": "direct", "rules": ShipRules(closes_issues=True)},
            ("github-checks", "amber"),
        ),
        ({"rules": ShipRules()}, ("github-closing", "amber")),
        ({"prefix_rules": ("pull_request",)}, ("github-prefix", "amber")),
        ({"merge": "queue", "rules": QUEUE, "has_merge_group": False}, ("github-merge-group", "amber")),
    ],
)
def test_each_thing_that_is_wrong_has_its_line(fields: dict[str, Any], line: tuple[str, str]) -> None:
    """G-34 (the doctor's part): a clock that is off is named, as is everything else that is."""
    assert wrong(**fields) == [line]


def test_the_doctor_tells_them_beside_its_own() -> None:
    config = settings()
    found = diagnose(Checkup(git_version=(2, 39, 0), settings=config, forge=ForgeLook(**GOOD)))
    assert {"git-version", "github-credential", "github-merge"} <= {check.code for check in found}
    assert not [
        check for check in diagnose(Checkup(git_version=(2, 39, 0), forge=ForgeLook(**GOOD))) if "hub" in check.code
    ]
