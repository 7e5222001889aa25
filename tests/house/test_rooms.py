"""The page on architecture names rooms that are there."""

import re
from collections.abc import Iterator

import pytest

from tests.golden import ROOT

ROOMS = re.compile(r"^\| (`[^|]+`) \|", re.MULTILINE)


def named(page: str) -> Iterator[str]:
    """Yield each room of the table, by its path; a name without a folder stands in that of the one before."""
    table = page[page.index("## The rooms") : page.index("## One change of state")]
    for cell in ROOMS.findall(table):
        folder = ""
        for name in re.findall(r"`([^`]+)`", cell):
            path = name.removesuffix("/*").strip("/")
            folder = path.rpartition("/")[0] if "/" in path else folder
            yield path if "/" in path or not folder else f"{folder}/{path}"


def test_every_room_is_there() -> None:
    rooms = list(named((ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")))
    places = [(ROOT / "gitsched" / room, ROOT / room) for room in rooms]
    gone = [
        r
        for r, at in zip(rooms, places, strict=True)
        if not any(p.is_dir() or p.with_suffix(".py").is_file() for p in at)
    ]
    assert gone == []
    assert "policy/admit" in rooms
    assert "policy/scope" in rooms


@pytest.mark.parametrize("floor", ["domain", "codec", "policy", "engine", "wiring"])
def test_every_module_of_a_floor_is_in_a_room(floor: str) -> None:
    rooms = set(named((ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")))
    modules = {path.stem for path in (ROOT / "gitsched" / floor).iterdir() if not path.name.startswith("__")}
    assert {name for name in modules if f"{floor}/{name}" not in rooms} == set()
