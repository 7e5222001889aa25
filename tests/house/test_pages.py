"""Generated pages are what their generator writes; links between pages lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsched.view.configuration import render_configuration
from gitsched.view.states import render_states
from tests.golden import ROOT, Golden

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def pages() -> list[Path]:
    """Return every Markdown page for people, in order."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])


def anchors(page: Path) -> set[str]:
    """Return the names that headings of a page can be linked by, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(page: Path) -> Iterator[str]:
    """Yield the links of a page, as written, whose file or heading does not exist."""
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        goal = (page.parent / path).resolve() if path else page
        if not goal.exists() or (anchor and anchor not in anchors(goal)):
            yield link


def test_states_page_is_what_the_tables_say(golden: Golden) -> None:
    golden("docs/reference/states.md", render_states())


def test_configuration_page_is_what_the_settings_say(golden: Golden) -> None:
    golden("docs/reference/configuration.md", render_configuration())


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(dead_links(page)) == []


def test_every_page_of_docs_is_in_its_index() -> None:
    index = ROOT / "docs/README.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in ROOT.glob("docs/**/*.md") if page != index} <= linked


def test_decisions_are_numbered_without_a_gap_and_so_listed() -> None:
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    numbers = [int(page.name[:4]) for page in decisions]
    assert numbers == list(range(1, len(decisions) + 1))
    listed = re.findall(r"^(\d+)\. \[[^\]]+\]\(decisions/(\d{4})", index, re.MULTILINE)
    assert [(int(place), int(number)) for place, number in listed] == [(number, number) for number in numbers]
    assert all(page.read_text(encoding="utf-8").startswith(f"# {int(page.name[:4])}. ") for page in decisions)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](none.md) [d](page.md#here) [e](mailto:x@example.org)\n")
    assert list(dead_links(page)) == ["#there", "none.md"]
