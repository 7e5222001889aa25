"""Sizes and names of the house, measured and printed.

A file goes over with `# over-length: reason` in its first lines (one reason serves its functions too), a
function alone with the same words on its `def` line, and a long signature with `# many-parameters: reason`
there. Nothing else raises a limit.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.golden import ROOT

FILE_LINES, FUNCTION_LINES, PARAMETERS = 300, 40, 5
MEDIAN_FILE, MEDIAN_FUNCTION = 130, 10
HEAD_LINES = 30
BANNED_MODULES = frozenset({"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"})
BANNED_PREFIXES = ("get_", "do_", "handle_", "process_")
# Names that a library chose: it calls them, so we cannot call them otherwise.
CHOSEN_ELSEWHERE = frozenset({"get_command", "get_help", "get_short_help_str", "get_params"})
CHOSEN_ELSEWHERE |= {"handle_starttag", "handle_endtag", "handle_data"}  # by html.parser
CHOSEN_ELSEWHERE |= {"do_GET", "do_POST"}  # by http.server
OVER_LENGTH = re.compile(r"# over-length: \w.*\w")
MANY_PARAMETERS = re.compile(r"# many-parameters: \w.*\w")

FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef


class Function(NamedTuple):
    """One function as measured: where it stands, its size, and the words on its `def` lines."""

    place: str
    name: str
    lines: int
    parameters: int
    head: str


def code() -> list[Path]:
    """Return every Python file of the packages, the tests and the measurements, in order."""
    return sorted(
        path for root in ("gitsched", "webhook", "tests", "benchmarks") for path in (ROOT / root).rglob("*.py")
    )


def package() -> list[Path]:
    """Return the files that are shipped, but for those that only describe a floor."""
    shipped = [path for path in code() if path.relative_to(ROOT).parts[0] in {"gitsched", "webhook"}]
    return [path for path in shipped if len(ast.parse(path.read_text(encoding="utf-8")).body) > 1]


def is_excused(path: Path) -> bool:
    """Tell whether the file states why it is long."""
    return any(OVER_LENGTH.search(line) for line in path.read_text(encoding="utf-8").splitlines()[:HEAD_LINES])


def functions(path: Path) -> Iterator[Function]:
    """Yield every function of a file; decorators and the docstring do not count as its length."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, FunctionDef):
            place = f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{node.lineno}"
            head = "\n".join(lines[node.lineno - 1 : max(node.lineno, node.body[0].lineno - 1)])
            yield Function(place, node.name, _length(node), _parameters(node), head)


def _length(node: FunctionDef) -> int:
    end = node.end_lineno or node.lineno
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return end - node.lineno + 1 - docstring


def _parameters(node: FunctionDef) -> int:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len([argument for argument in named if argument.arg not in {"self", "cls"}])


def too_many(function: Function) -> bool:
    """Tell whether a signature is over the limit without a reason; tests may name many fixtures."""
    is_test = function.name.startswith("test_")
    return function.parameters > PARAMETERS and not is_test and not MANY_PARAMETERS.search(function.head)


def test_files_are_short_enough() -> None:
    long = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in code()
        if not is_excused(path)
    }
    assert {name: lines for name, lines in long.items() if lines > FILE_LINES} == {}


def test_functions_are_short_enough() -> None:
    long = [
        f"{function.place} {function.name}: {function.lines} lines"
        for path in code()
        if not is_excused(path)
        for function in functions(path)
        if function.lines > FUNCTION_LINES and not OVER_LENGTH.search(function.head)
    ]
    assert long == []


def test_signatures_are_short_enough() -> None:
    long = [
        f"{function.place} {function.name}: {function.parameters} parameters"
        for path in code()
        for function in functions(path)
        if too_many(function)
    ]
    assert long == []


def test_medians_stay_low(record_property: Callable[[str, object], None]) -> None:
    files = [len(path.read_text(encoding="utf-8").splitlines()) for path in package()]
    sizes = [function.lines for path in package() for function in functions(path)]
    told = f"{len(files)} files: median {median(files):g}, longest {max(files)} lines"
    told += f"; {len(sizes)} functions: median {median(sizes):g}, longest {max(sizes)} lines"
    record_property("told", told)
    assert median(files) <= MEDIAN_FILE
    assert median(sizes) <= MEDIAN_FUNCTION


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = {str(path.relative_to(ROOT)) for path in code() if path.stem in BANNED_MODULES}
    folders = {str(path.parent.relative_to(ROOT)) for path in code() if path.parent.name in BANNED_MODULES}
    assert named | folders == set()


def test_no_function_has_a_prefix_that_says_nothing() -> None:
    named = [
        f"{function.place} {function.name}"
        for path in code()
        for function in functions(path)
        if function.name.lstrip("_").startswith(BANNED_PREFIXES) and function.name not in CHOSEN_ELSEWHERE
    ]
    assert named == []


SAMPLE = '''\
def long(a, b, c, d, e, *, f):
    """A docstring that does not count.

    However long it is.
    """
    return a


def excused(a, b, c, d, e, f):  # many-parameters: the standard's own signature
    return a


class C:
    def five(self, a, b, c, d, e): ...
'''


def test_the_measure_counts_what_it_says(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text(SAMPLE)
    measured = {function.name: function for function in functions(sample)}
    assert measured["long"].lines == 2
    assert [name for name, function in measured.items() if too_many(function)] == ["long"]
    assert measured["five"].parameters == 5
