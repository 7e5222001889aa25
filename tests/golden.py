"""Golden files: text that is written down once, read by people, and compared ever after."""

from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).parent.parent


class Golden(Protocol):
    """Compare text with a file named from the project's root, or write it under --golden-update."""

    def __call__(self, name: str, text: str) -> None: ...


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Give the test `golden("tests/data/golden/view/status.txt", text)`."""
    update = bool(request.config.getoption("--golden-update"))

    def compare(name: str, text: str) -> None:
        path = ROOT / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} is not there yet: `make golden` writes it"
        assert text == path.read_text(encoding="utf-8"), f"{name} differs: `make golden`, then read the diff"

    return compare
