"""What holds for the whole store: format, pause, limits, and what is remembered of spawns."""

from typing import Annotated, Final

from msgspec import Meta, Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant

SLOTS_LOWEST: Final = 1
SLOTS_HIGHEST: Final = 64
"""Runs at once: held on every read of a stored value as well."""


class Spawned(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One spawn, remembered for ageing."""

    issue: int
    ready_at: Instant
    at: Instant


class EarlyExit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An unverified exit soon after its spawn, remembered for dispatch health."""

    issue: int
    at: Instant


class Control(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for the whole store."""

    slots_max: Annotated[int, Meta(ge=SLOTS_LOWEST, le=SLOTS_HIGHEST)] = 2
    paused: bool = False
    pause_reason: str | None = None
    paused_by: str | None = None
    """`operator`, `engine`, or `provider`: then only the profiles in `limited` start nothing."""
    resets_at: Instant | None = None
    """When a pause ends, where a provider has said it."""
    probe_at: Instant | None = None
    """When what ends at no stated time is tried again."""
    limited: dict[str, Instant | None] = field(default_factory=dict)
    """Profiles under a usage limit, with the reset that their provider stated."""
    provider_errors: int = 0
    """Provider errors in a row, over all runs."""
    early_exits: tuple[EarlyExit, ...] = ()
    spawned: tuple[Spawned, ...] = ()
    """The latest spawns, oldest first, at most 256."""
    comments_at: Instant | None = None
    """Up to where the comments of the forge have been read for commands."""
    notified: str | None = None
    """The state commit up to which notices have been passed on."""
    next_batch: int = 1
    failed_sets: tuple[tuple[int, ...], ...] = ()
    """Sets of members that were dissolved as failing, each sorted."""
    rules: dict[str, str] = field(default_factory=dict)
    """By host at work: the rules by which contents become files there, as its work found them."""
    extra: Extra = field(default_factory=dict)


class Format(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which store this is and how it is written down."""

    format: int = 1
    store: str = ""
    generation: int = 1
    extra: Extra = field(default_factory=dict)
