"""No tracked file names a machine, a registry or a person's folder."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.golden import ROOT

# Written in pieces, so that this file does not hold what it looks for.
LEAKS = {
    "a home folder": re.compile(rb"/ho" + rb"me/(?!user\b|ada\b)[a-z]|/Us" + rb"ers/[A-Za-z]|/ro" + rb"ot/"),
    "a build folder": re.compile(rb"(?<![\w.}/-])/wo" + rb"rk/|/tm" + rb"p/[a-z]{1,12}\.[A-Za-z0-9]{4,}"),
    "a registry": re.compile(rb"pypi\.o" + rb"rg|pythonhost" + rb"ed\.org|/sim" + rb"ple/"),
    "an index address": re.compile(rb"--(extra-)?index-u" + rb"rl|--find-lin" + rb"ks[ =]"),
    "a mirror": re.compile(rb"/opt/(wh" + rb"eels|py" + rb"pi)"),
    "a token": re.compile(rb"gh[pousr]_[A-Za-z0-9]{36}|-----BEGIN [A-Z ]*PRIVATE K" + rb"EY"),
}


def leaks(data: bytes) -> Iterator[str]:
    """Yield what a file's bytes give away, with the words that do."""
    for kind, pattern in LEAKS.items():
        found = pattern.search(data)
        if found:
            yield f"{kind}: {found.group().decode(errors='replace')}"


def tracked() -> list[str]:
    """Return the paths that git tracks here, in git's order."""
    ended = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [name for name in ended.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_tracked_file_gives_a_machine_away() -> None:
    found = [f"{name}: {leak}" for name in tracked() for leak in leaks((ROOT / name).read_bytes())]
    assert found == []


@pytest.mark.parametrize("text", ["/ho" + "me/someone", "pypi.o" + "rg/x", "--index-u" + "rl https://a.example"])
def test_a_leak_is_found(text: str) -> None:
    assert len(list(leaks(text.encode()))) == 1
