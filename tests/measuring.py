"""Which child processes count in the coverage: measuring one triples what its start takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_MEASURED = frozenset(_HERE / name for name in ("action", "fleet", "runner", "webhook"))
"""Folders whose tests are about processes of ours; all that other folders' children run is run there or in-process."""
_ASKED = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")


@pytest.fixture(autouse=True)
def measured_children(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let coverage into child processes only where they are what is tested."""
    if not _MEASURED.isdisjoint(request.path.parents):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in _ASKED:
            patch.delenv(name, raising=False)
        yield
