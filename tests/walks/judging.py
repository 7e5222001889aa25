"""How the engine's own jobs end: gates, suites, steps of a search, set-up commands, and agents' errands."""

from pathlib import Path

from gitsched.domain.instants import Instant
from gitsched.domain.runs import RunEnd, RunOrder
from tests.walks.plays import mend, red_tests

_CASE = '<testcase classname="tests.{name}" name="test_it" file="tests/{name}.py">{inner}</testcase>'
_RED = '<failure message="no"/>'
ENDS = ("honest", "honest", "honest", "red", "garbled", "dies")
"""`red` fails whatever the tree holds, as by chance; `garbled` leaves a report that nobody can read."""


def judge(order: RunOrder, how: str, at: Instant) -> RunEnd | None:
    """Let a job do its work and say how it ends; None: its worker dies."""
    if how == "dies":
        return None
    tree, kind = Path(order.cwd), order.name.partition("-")[0]
    if kind == "gate":
        return RunEnd(code=int(how == "red" or (tree / "bad.txt").exists()), at=at)
    if kind in ("setup", "review", "report"):
        return RunEnd(code=int(how == "red"), at=at)
    if kind == "fix":
        if how == "honest":
            mend(tree)
        return RunEnd(code=int(how == "red"), at=at)
    return RunEnd(code=_suite(order, tree, how), at=at)


def _suite(order: RunOrder, tree: Path, how: str) -> int:
    broken = [*red_tests(tree), *(["test_chance"] * (how == "red"))]
    inner = "".join(_CASE.format(name=name, inner=_RED) for name in broken)
    fine = [name for name in ("test_fine", "test_whole", "test_pair", "test_chance") if name not in broken]
    passing = "".join(_CASE.format(name=name, inner="") for name in fine)
    report = "<testsuite" if how == "garbled" else f"<testsuite>{inner}{passing}</testsuite>"
    (Path(order.folder) / "report").write_text(report)
    return int(bool(broken))
