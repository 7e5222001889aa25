"""The pins: every version carries hashes, and what is shipped is pinned as it is tested."""

import re

import pytest

from tests.golden import ROOT

PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    """Return version by package of one file of pins."""
    return dict(PIN.findall((ROOT / ".ci" / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["constraints.txt", "runtime.txt"])
def test_every_pin_has_a_hash_and_nothing_else_stands_there(name: str) -> None:
    lines = (ROOT / ".ci" / name).read_text(encoding="utf-8").splitlines()
    allowed = re.compile(r"#|[a-z0-9._-]+==\S+( ; .+)? \\$|    --hash=sha256:[0-9a-f]{64}( \\)?$")
    assert [line for line in lines if not allowed.match(line)] == []


def test_what_is_shipped_is_pinned_as_it_is_tested() -> None:
    everything, shipped = pins("constraints.txt"), pins("runtime.txt")
    assert shipped
    assert shipped.items() <= everything.items()
    assert "pytest" not in shipped
