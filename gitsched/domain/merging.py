"""Who merges a pull request: the closed set of mechanisms, and how a setting names one of them (spec 05, "Merge")."""

from enum import StrEnum

from msgspec import Struct


class Mechanism(StrEnum):
    """What brings a pull request into the target."""

    MANUAL = "manual"
    DIRECT = "direct"
    AUTO = "auto"
    QUEUE = "queue"
    LABEL = "label"

    @property
    def is_ours(self) -> bool:
        """Say whether gitsched presses the button itself, once nothing stands against it."""
        return self is Mechanism.DIRECT

    @property
    def is_the_forges(self) -> bool:
        """Say whether the forge, or a robot on it, merges by itself once it was asked."""
        return self in (Mechanism.AUTO, Mechanism.QUEUE, Mechanism.LABEL)


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
