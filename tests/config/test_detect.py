import pytest

from gitsched.config.detect import SuiteFacts, detect_suite

PYTEST = ("python3", "-m", "pytest", "-q", "--junitxml={report}")
BY_PYTEST = SuiteFacts(PYTEST, "junit", (*PYTEST, "{tests}"), "pytest")
VITEST = ("npx", "vitest", "run", "--reporter=junit", "--outputFile={report}")


@pytest.mark.parametrize(
    ("texts", "facts"),
    [
        ({"pytest.ini": ""}, BY_PYTEST),
        ({"tests/conftest.py": ""}, BY_PYTEST),
        ({"pyproject.toml": "[tool.pytest.ini_options]"}, BY_PYTEST),
        ({"setup.cfg": "[tool:pytest]"}, BY_PYTEST),
        ({"tests/test_a.py": "def test_a(): ..."}, BY_PYTEST),
        ({"a_test.py": "import unittest, pytest"}, BY_PYTEST),
        ({"tests/test_a.py": "import unittest"}, SuiteFacts(("python3", "-m", "unittest", "discover", "-s", "tests"))),
        (
            {"tests/test_a.py": "import unittest", "tests/__init__.py": ""},
            SuiteFacts(("python3", "-m", "unittest", "discover")),
        ),
        ({"test_a.py": "import unittest"}, SuiteFacts(("python3", "-m", "unittest", "discover"))),
        ({"go.mod": "module x", "a_test.go": ""}, SuiteFacts(("go", "test", "./..."))),
        ({"Cargo.toml": "[package]"}, SuiteFacts(("cargo", "test"))),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, SuiteFacts(("npm", "test"))),
        ({"package.json": '{"scripts": {"test": "jest"}}', "yarn.lock": ""}, SuiteFacts(("yarn", "test"))),
        ({"package.json": '{"scripts": {"test": "jest"}}', "pnpm-lock.yaml": ""}, SuiteFacts(("pnpm", "test"))),
        (
            {"package.json": '{"scripts": {"test": "vitest run"}}'},
            SuiteFacts(VITEST, "junit", (*VITEST, "{tests}"), "file"),
        ),
        ({"Makefile": "all:\n\ntest: all\n\ttrue\n"}, SuiteFacts(("make", "test"))),
        ({"Makefile": "test: x", "pytest.ini": ""}, BY_PYTEST),
    ],
)
def test_a_runner_is_known_by_its_files(texts: dict[str, str], facts: SuiteFacts) -> None:
    assert detect_suite(frozenset(texts), texts) == facts


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"README.md": "run pytest"},
        {"src/a.py": "import unittest"},
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": '{"scripts": []}'},
        {"package.json": '{"scripts": {"test": 1}}'},
        {"Makefile": "test := x\ntests: y\n"},
    ],
)
def test_nothing_is_made_of_nothing(texts: dict[str, str]) -> None:
    assert detect_suite(frozenset(texts), texts) is None
