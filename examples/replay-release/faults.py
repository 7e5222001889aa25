"""Faults that a replay can be given, and how each must end."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

FAULTS = ("pair", "flaky", "base-red")

_TEST = """\
import pathlib
import unittest

HERE = pathlib.Path(__file__).parent


class {name}Tests(unittest.TestCase):
    def test_{word}(self):
        {body}
"""


class Fault(NamedTuple):
    """What is put into a replay beside the release, and what must come of it."""

    before: Mapping[str, str] = {}
    """Files on the target before any member: path to text."""
    brought: Mapping[int, Mapping[str, str]] = {}
    """Files that members bring beside their pieces."""
    leaving: Mapping[int, str] = {}
    """Members that must leave, each with its reason."""
    reason: str | None = None
    """Why the batch must be blocked; None: it ships."""
    gated: bool = True
    """Whether members are tested by themselves; else only the suite can find anything."""

    @property
    def all_ship(self) -> bool:
        """Whether nobody leaves and nothing is blocked."""
        return not self.leaving and self.reason is None


def broken(members: Sequence[int]) -> Fault:
    """One broken member is caught by its own gate; of several, without gates, the suite must find each."""
    is_one = len(members) == 1
    return Fault(leaving=dict.fromkeys(members, "gate-failed:quick" if is_one else "suite-failed"), gated=is_one)


def fault(name: str, count: int, folder: Path) -> Fault:
    """Give one of `FAULTS`, for so many members; `folder` is outside of every repository."""
    first, second = 2, max(3, count - 2)
    if name == "pair":
        body = "self.assertFalse((HERE / 'half_a.txt').exists() and (HERE / 'half_b.txt').exists())"
        return Fault(
            before={"tests/test_pair.py": _TEST.format(name="Pair", word="not_both", body=body)},
            brought={first: {"tests/half_a.txt": "a\n"}, second: {"tests/half_b.txt": "b\n"}},
            leaving={second: "suite-failed"},
        )
    if name == "flaky":
        mark = folder / "has-failed"
        body = f"mark = pathlib.Path({str(mark)!r}); seen = mark.exists(); mark.touch(); self.assertTrue(seen)"
        return Fault(before={"tests/test_chance.py": _TEST.format(name="Chance", word="luck", body=body)}, gated=False)
    body = "self.fail('red before anybody came')"
    return Fault(
        before={"tests/test_red.py": _TEST.format(name="Red", word="red", body=body)}, reason="base-red", gated=False
    )
