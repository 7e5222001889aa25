"""The hub as fixtures; other folders of tests import them into a conftest of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.github.fake.description import described
from tests.github.fake.hub import Hub

OwnHub = Callable[..., Hub]


@pytest.fixture
def own_hub(tmp_path: Path, record_property: Callable[[str, object], None]) -> Iterator[OwnHub]:
    """Give the test `own_hub(follows=clock.now, is_enterprise=…)`; every hub ends with the test.

    Fails the test if a request or an answer did not fit GitHub's published description.
    """
    begun: list[Hub] = []

    def begin(**settings: Any) -> Hub:
        hub = Hub(tmp_path / f"hub-{len(begun)}", description=described(), **settings)
        begun.append(hub)
        return hub.start()

    yield begin
    for hub in begun:
        hub.stop()
    looks = [hub.description for hub in begun if hub.description is not None]
    record_property("exchanges", sum(look.exchange_count for look in looks))
    record_property("operations", " ".join(sorted({name for look in looks for name in look.operations})))
    record_property("events", " ".join(sorted({name for look in looks for name in look.events})))
    violations = [told for look in looks for told in look.violations]
    if violations:
        pytest.fail("does not fit GitHub's description:\n" + "\n".join(violations[:20]))


@pytest.fixture
def hub(own_hub: OwnHub) -> Hub:
    """Give the test a fake GitHub on loopback, with a clock of its own."""
    return own_hub()
