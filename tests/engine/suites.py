"""Suites that a test plays: one case each, which fails while a shell condition holds."""

from tests.engine.world import World

JUNIT = '\n[suite]\nrun = ["sh", "suite.sh", "{report}"]\nreport = "junit"\n'
_CASE = '<testcase classname="tests.test_{name}" name="test_it" file="tests/test_{name}.py">{inner}</testcase>'


def _report(name: str, inner: str) -> str:
    return f"echo '<testsuite>{_CASE.format(name=name, inner=inner)}</testsuite>' > $1\n"


def green(name: str) -> str:
    """Write a report of one passing case."""
    return _report(name, "")


def red(name: str) -> str:
    """Write a report of one failing case; the exit is the script's."""
    return _report(name, '<failure message="no"/>')


def suite(world: World, **fails: str) -> None:
    """Commit a suite that is red for the first test whose condition holds, else green."""
    red_ones = [f"if {condition}; then {red(name)}exit 1; fi\n" for name, condition in fails.items()]
    (world.repo / "suite.sh").write_text("".join(red_ones) + green("all"))
    world.commit("Change the suite")
