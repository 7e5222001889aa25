"""The security page names tests: each file and each test that it names is there."""

import re

from tests.golden import ROOT

PAGE = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")


def test_every_threat_names_a_test_that_is_there() -> None:
    for row in re.findall(r"^\| (?!threat|---).*\|$", PAGE, re.MULTILINE):
        assert "test" in row.split("|")[-2], row
    for file in re.findall(r"`(tests/[\w/]+\.py)`", PAGE):
        assert (ROOT / file).is_file(), file
    known = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", PAGE):
        assert f"def {name}(" in known, name
