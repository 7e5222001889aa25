"""Precondition: one line of the doctor. Every room that looks at something answers in these."""

from enum import StrEnum

from msgspec import Struct


class Level(StrEnum):
    """How bad it is."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


class Precondition(Struct, frozen=True):
    """What was looked at, and how it is."""

    code: str
    level: Level
    message: str
    fix: str | None = None
    """A command or a sentence; None where there is nothing to do."""


def green(code: str, message: str, fix: str | None = None) -> Precondition:
    """Say that it is as it should be."""
    return Precondition(code, Level.GREEN, message, fix)


def amber(code: str, message: str, fix: str | None = None) -> Precondition:
    """Say that it works, but that somebody should know."""
    return Precondition(code, Level.AMBER, message, fix)


def red(code: str, message: str, fix: str | None = None) -> Precondition:
    """Say that it keeps work from being done."""
    return Precondition(code, Level.RED, message, fix)
