"""What a reader found in one run's output."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from gitsched.domain.instants import Instant


class ProviderError(Struct, frozen=True, kw_only=True):
    """The provider, not the work, ended the run."""

    status: int | None = None
    """HTTP status, where it is told."""
    resets_at: Instant | None = None
    """When a usage limit ends, where it is told."""
    detail: str = ""
    """The tool's own words, on one line."""

    def fields(self) -> dict[str, Any]:
        """Give it in the form in which a run record keeps it."""
        return {"status": self.status, "resets_at": self.resets_at, "detail": self.detail}


class Findings(Struct, frozen=True, kw_only=True):
    """Everything that one run's output says of its end; absent facts stay None."""

    usage: Mapping[str, int] | None = None
    """`usd_micros`, `tokens`, `turns`: those that were reported; None when none was."""
    budget: str | None = None
    provider: ProviderError | None = None
    waiting: bool = False
    last_tool: str | None = None


class Told(Struct, kw_only=True):
    """What a reader collects from one stream, in the order of the stream."""

    usd_micros: int | None = None
    tokens: int | None = None
    turns: int | None = None
    budget: str | None = None
    last_tool: str | None = None
    last_words: str = ""
    """What the agent said last."""
    failure: str | None = None
    """How the tool words a failed end; None when it did not fail or did not say."""
    status: int | None = None
    resets_at: Instant | None = None

    @property
    def usage(self) -> dict[str, int] | None:
        """Give what was reported, None when nothing was."""
        told = {"usd_micros": self.usd_micros, "tokens": self.tokens, "turns": self.turns}
        return {name: amount for name, amount in told.items() if amount is not None} or None

    def add_tokens(self, amount: int) -> None:
        """Count tokens of one more step."""
        self.tokens = (self.tokens or 0) + amount

    def add_cost(self, usd: float) -> None:
        """Count the cost of one more step."""
        self.usd_micros = (self.usd_micros or 0) + round(usd * 1_000_000)
