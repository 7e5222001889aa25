"""Every word that people meet stands in the glossary: closed sets of the domain and verbs of the CLI."""

import importlib
import pkgutil
import re
from enum import StrEnum

import click
import pytest

import gitsched.domain
from tests.golden import ROOT

GLOSSARY = (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")
WORD = re.compile(r"`([^`\n]+)`")


def closed_sets() -> list[type[StrEnum]]:
    """Return every StrEnum that a module of the domain defines, by name."""
    names = [found.name for found in pkgutil.walk_packages(gitsched.domain.__path__, "gitsched.domain.")]
    modules = [importlib.import_module(name) for name in names]
    found = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, StrEnum) and value.__module__ == module.__name__
    ]
    return sorted(found, key=lambda closed: closed.__name__)


def section(title: str) -> str:
    """Return the text under a heading, up to the next one of its rank."""
    return GLOSSARY.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def verbs() -> set[str]:
    """Return the verbs that the command line offers, the hidden ones too."""
    command_line = importlib.import_module("gitsched.cli.main")
    groups = [value for value in vars(command_line).values() if isinstance(value, click.Group)]
    assert groups, "gitsched.cli.main holds no click group"
    return {verb for group in groups for verb in group.list_commands(click.Context(group))}


@pytest.mark.parametrize("closed", closed_sets(), ids=lambda closed: closed.__name__)
def test_every_value_has_its_line(closed: type[StrEnum]) -> None:
    assert {word.value for word in closed} - set(WORD.findall(GLOSSARY)) == set()


def test_every_verb_has_its_line_and_every_line_its_verb() -> None:
    rows = [row.split("|")[1] for row in section("Verbs").splitlines() if row.startswith("| `")]
    assert {word for row in rows for word in WORD.findall(row)} == verbs()


def test_the_statuses_of_a_machine_stand_under_its_name() -> None:
    from gitsched.domain.machines import MACHINES

    for machine in MACHINES:
        states = {state for edge in machine.edges for state in (edge.source, edge.target)}
        assert states - set(WORD.findall(section(machine.name.capitalize()))) == set(), machine.name
