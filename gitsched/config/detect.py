"""Which test runner a repository uses, from names and texts of its files."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gitsched.config.checking import CaseIds, Report
from gitsched.config.lists import Argv

TEXTS_WANTED: Final = (
    "Makefile",
    "package.json",
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements.txt",
    "setup.cfg",
    "tox.ini",
)
"""The files at the root whose text helps; a few test files help as well."""

_TEST_FILE: Final = re.compile(r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py")


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """A `[suite]` as it would be written."""

    run: Argv
    report: Report = "none"
    rerun: Argv = ()
    ids: CaseIds = "pytest"


def detect_suite(names: frozenset[str], texts: Mapping[str, str]) -> SuiteFacts | None:
    """Recognise the runner; None where nothing speaks for one.

    `names` are tracked paths; `texts` has those of `TEXTS_WANTED` that are there, and any others.
    A runner that writes a report per test goes before one that only ends with a code.
    """
    for recognise in _RUNNERS:
        facts = recognise(names, texts)
        if facts is not None:
            return facts
    return None


def _pytest(names: frozenset[str], texts: Mapping[str, str]) -> SuiteFacts | None:
    declared = any(n == "pytest.ini" or n.rpartition("/")[2] == "conftest.py" for n in names)
    declared |= any("pytest" in texts.get(name, "") for name in _PYTHON_TEXTS)
    has_tests = any(_TEST_FILE.fullmatch(name) for name in names)
    if not declared and (not has_tests or _speaks_unittest(texts)):
        return None
    pytest = ("python3", "-m", "pytest", "-q", "--junitxml={report}")
    return SuiteFacts(run=pytest, report="junit", rerun=(*pytest, "{tests}"), ids="pytest")


_PYTHON_TEXTS: Final = (
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements.txt",
    "setup.cfg",
    "tox.ini",
)


def _speaks_unittest(texts: Mapping[str, str]) -> bool:
    tests = [text for name, text in texts.items() if _TEST_FILE.fullmatch(name)]
    return any("unittest" in text for text in tests) and not any("pytest" in t for t in tests)


def _unittest(names: frozenset[str], texts: Mapping[str, str]) -> SuiteFacts | None:
    if not _speaks_unittest(texts):
        return None
    # Discovery enters packages only: a folder without __init__.py has to be named.
    plain = "tests/__init__.py" not in names and any(n.startswith("tests/") for n in names)
    return SuiteFacts(("python3", "-m", "unittest", "discover", *(("-s", "tests") if plain else ())))


def _go(names: frozenset[str], _texts: Mapping[str, str]) -> SuiteFacts | None:
    return SuiteFacts(("go", "test", "./...")) if "go.mod" in names else None


def _cargo(names: frozenset[str], _texts: Mapping[str, str]) -> SuiteFacts | None:
    return SuiteFacts(("cargo", "test")) if "Cargo.toml" in names else None


def _npm(names: frozenset[str], texts: Mapping[str, str]) -> SuiteFacts | None:
    script = _npm_test_script(texts.get("package.json", ""))
    if not script or "no test specified" in script:  # what `npm init` writes
        return None
    if re.search(r"\bvitest\b", script):
        vitest = ("npx", "vitest", "run", "--reporter=junit", "--outputFile={report}")
        return SuiteFacts(run=vitest, report="junit", rerun=(*vitest, "{tests}"), ids="file")
    tools = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
    tool = next((tools[lock] for lock in tools if lock in names), "npm")
    return SuiteFacts((tool, "test"))


def _npm_test_script(text: str) -> str:
    try:
        package = json.loads(text or "{}")
    except ValueError:
        return ""
    scripts = package.get("scripts") if isinstance(package, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return script if isinstance(script, str) else ""


def _make(_names: frozenset[str], texts: Mapping[str, str]) -> SuiteFacts | None:
    has_target = re.search(r"^test\s*:(?!=)", texts.get("Makefile", ""), re.MULTILINE)
    return SuiteFacts(("make", "test")) if has_target else None


_Recognise = Callable[[frozenset[str], Mapping[str, str]], SuiteFacts | None]
_RUNNERS: Final[tuple[_Recognise, ...]] = (_pytest, _unittest, _go, _cargo, _npm, _make)
