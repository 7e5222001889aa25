"""What readers are referred to is here: pages, headings and files, and no text that only the makers had."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import ROOT

TREES = ("gitsched", "webhook", "tests", "benchmarks", "examples", "docs", ".ci")
ELSEWHERE = re.compile(r"\b[Ss]pecs? \d\d\b")
PAGE = re.compile(r"(docs/[\w/-]+\.md)(?:,\s\"([^\"]+)\")?")
NAMED = re.compile(r"`((?:gitsched|webhook|tests|docs|\.ci)/[\w/.-]+\w)`")
GUIDES = ("CONTRIBUTING.md", "docs/explanation/architecture.md")


def texts() -> Iterator[tuple[Path, str]]:
    """Yield every source file and page with what it says."""
    for tree in TREES:
        for path in sorted((ROOT / tree).rglob("*")):
            if path.suffix in (".py", ".md") and path.is_file():
                yield path, path.read_text(encoding="utf-8")


def headings(page: Path) -> set[str]:
    """Return the headings of a page, without their numbers."""
    return set(re.findall(r"^#+ (?:\d+\. )?(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE))


def dead_references(text: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what a text refers to and is not there: pages of ours, and headings of them."""
    for page, heading in PAGE.findall(text):
        if not (root / page).is_file():
            yield page
        elif heading and " ".join(heading.split()) not in headings(root / page):
            yield f"{page}, {heading}"


def test_nothing_refers_to_a_text_that_is_not_here() -> None:
    assert [
        f"{path.relative_to(ROOT)}: {found[0]}" for path, text in texts() if (found := ELSEWHERE.search(text))
    ] == []


def test_pages_and_headings_that_the_package_names_are_there() -> None:
    ours = ((path, text) for path, text in texts() if path.relative_to(ROOT).parts[0] in ("gitsched", "webhook"))
    assert [(path.name, dead) for path, text in ours for dead in dead_references(text)] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_files_that_a_guide_names_are_there(guide: str) -> None:
    named = NAMED.findall((ROOT / guide).read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_dead_reference_is_found() -> None:
    said = 'See docs/none.md; docs/explanation/store.md, "Hosts"; docs/explanation/store.md, "Not\nthere".'
    assert list(dead_references(said)) == ["docs/none.md", "docs/explanation/store.md, Not\nthere"]
    assert ELSEWHERE.search("as " + "spec 0" + "4 says") is not None
