"""Who merges a pull request: the closed set of mechanisms, what tells them apart, and how a setting names one.

All that decides by a mechanism asks the table here; only the forge's adapter knows how each is asked for.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType

from msgspec import Struct


class Presser(Enum):
    """Who presses the button in the end."""

    PERSON = auto()
    GITSCHED = auto()
    FORGE = auto()
    """Or a robot on it, by itself, once it was asked."""


class Traits(Struct, frozen=True, kw_only=True):
    """What tells a mechanism from the others."""

    presser: Presser
    is_offered: bool = False
    """A repository offers it or does not, and what it merges has passed the checks that are required there."""
    has_own_method: bool = False
    """It merges by a method that is set where it is, and not by `ship.method`."""
    has_label: bool = False
    """A label stands for it, whose name follows its word."""

    @property
    def takes_method(self) -> bool:
        """Say whether it merges by `ship.method`, which the repository has to allow."""
        return self.is_offered and not self.has_own_method


class Mechanism(StrEnum):
    """What brings a pull request into the target."""

    MANUAL = "manual"
    AUTO = "auto"
    QUEUE = "queue"
    DIRECT = "direct"
    LABEL = "label"

    @property
    def traits(self) -> Traits:
        """Ask the table of mechanisms."""
        return TRAITS[self]

    @property
    def is_a_persons(self) -> bool:
        """Say whether nothing merges it unless a person does."""
        return self.traits.presser is Presser.PERSON

    @property
    def is_ours(self) -> bool:
        """Say whether gitsched presses the button itself, once nothing stands against it."""
        return self.traits.presser is Presser.GITSCHED

    @property
    def is_the_forges(self) -> bool:
        """Say whether the forge, or a robot on it, merges by itself once it was asked."""
        return self.traits.presser is Presser.FORGE


TRAITS: Mapping[Mechanism, Traits] = MappingProxyType(
    {
        Mechanism.MANUAL: Traits(presser=Presser.PERSON),
        Mechanism.AUTO: Traits(presser=Presser.FORGE, is_offered=True),
        Mechanism.QUEUE: Traits(presser=Presser.FORGE, is_offered=True, has_own_method=True),
        Mechanism.DIRECT: Traits(presser=Presser.GITSCHED, is_offered=True),
        Mechanism.LABEL: Traits(presser=Presser.FORGE, has_label=True),
    }
)


class MergeBy(Struct, frozen=True):
    """A mechanism, with the label's name where a label is it."""

    mechanism: Mechanism
    label: str = ""

    def __str__(self) -> str:
        """Write it as the setting does: `auto`, `label:NAME`."""
        return f"{self.mechanism}:{self.label}" if self.label else str(self.mechanism)


BY_A_PERSON = MergeBy(Mechanism.MANUAL)
BY_ITSELF = MergeBy(Mechanism.DIRECT)


def merge_by(setting: str) -> MergeBy:
    """Read a setting that is known to name a mechanism. Raises ValueError for any other word."""
    word, _, label = setting.partition(":")
    return MergeBy(Mechanism(word), label)
