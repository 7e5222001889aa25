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


PARTS = """
[suite]
run = ["sh", "suite.sh", "{report}"]
report = "junit"
rerun = ["sh", "suite.sh", "{report}", "{tests}"]
ids = "name"
"""
"""The settings of a suite of parts, which can be run one by one."""

_RUNNER = """\
# Runs checks/NAME for each name, all of them by default, and writes a case for each; `$1` is the report.
report=$1; shift
[ $# -gt 0 ] || set -- $(ls checks)
echo "$*" >> "{told}"
code=0
echo '<testsuite>' > "$report"
for name in "$@"; do
    [ -f "checks/$name" ] || continue
    if sh "checks/$name"; then inner=''; else inner='<failure message="no"/>'; code=1; fi
    echo "<testcase classname=\\"checks\\" name=\\"$name\\" file=\\"checks/$name\\">$inner</testcase>" >> "$report"
done
echo '</testsuite>' >> "$report"
exit $code
"""


def parts(world: World, **passes: str) -> None:
    """Commit a suite of parts; each passes where its shell condition holds. What is run stands in `ran`."""
    (world.repo / "suite.sh").write_text(_RUNNER.format(told=world.scripts / "ran"))
    (world.repo / "checks").mkdir(exist_ok=True)
    for name, condition in passes.items():
        (world.repo / "checks" / name).write_text(condition + "\n")
    world.commit("Change the suite")


def without_file(*issues: int) -> str:
    """Hold unless the files of all these issues are there, as their plain agents write them."""
    return " || ".join(f"[ ! -f file{issue}.txt ]" for issue in issues)
