"""The packet of a schedule: what an approval is bound to, and the token that stands for it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

TOKEN_CHARS = 16


class Packet(Struct, frozen=True, kw_only=True):
    """What would be done, as it stands now."""

    schedule: str
    issues: Mapping[int, str]
    """Number → title."""
    base: Mapping[str, str | None]
    """Target branch → its commit."""
    agents: Mapping[str, tuple[str, ...]]
    """Profile → its command."""
    gates: tuple[str, ...]
    suite: str
    budget: Mapping[str, Any]
    aspects: Mapping[str, str]
    """What the token is bound to: SHA-256 by aspect."""

    @property
    def token(self) -> str:
        """Give the short word for all of it."""
        return digest_of({"schedule": self.schedule, **self.aspects})[:TOKEN_CHARS]

    def changed_since(self, bound: Mapping[str, str]) -> tuple[str, ...]:
        """Name the aspects that are not what was approved."""
        names = dict.fromkeys((*bound, *self.aspects))
        return tuple(name for name in names if bound.get(name) != self.aspects.get(name))


def digest_of(value: object) -> str:
    """Give the SHA-256 of a value as canonical JSON."""
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
