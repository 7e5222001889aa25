"""Verdicts that may stand again for the same tree and check."""

from msgspec import Struct, field

from gitsched.domain.extra import Extra
from gitsched.domain.instants import Instant


class StoredVerdict(Struct, frozen=True, kw_only=True):
    """What one check came to on a tree."""

    check: str
    verdict: str
    batch: str
    """Where it was run; its evidence is there."""
    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    """Of a run of chosen tests: those that passed; what stands in neither list was not run."""
    evidence: str | None = None
    at: Instant = ""


class Judged(Struct, frozen=True, kw_only=True):
    """The verdicts on a tree that may stand for the same check again."""

    tree: str
    verdicts: dict[str, StoredVerdict]
    """By fingerprint: SHA-256 of what the check is (name, argv, kind, configuration, declared environment)."""
    extra: Extra = field(default_factory=dict)
