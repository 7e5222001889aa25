"""Settings of the contract that this version reads and does not serve yet.

No setting is accepted and then ignored (spec 06): a value that would need one of these is refused.
A row goes when its feature comes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gitsched.config.place import Place
from gitsched.config.reading import Leaf, leaves_of
from gitsched.config.settings import Settings
from gitsched.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Unserved:
    """A setting, or a whole table, that only its default is served for."""

    key: str
    """Dotted; `*` stands for one name, and a table for all that is in it."""
    needs: str
    """What is missing, as it completes "This version does not serve …"."""
    served: tuple[object, ...] = ()
    """Values beside the default that are served all the same."""


UNSERVED: Final[tuple[Unserved, ...]] = (Unserved("store.publish", "a remote"),)


def unserved_settings(settings: Settings, root: Place) -> Iterator[ConfigError]:
    """List every setting that asks for what is not there, each as the error that names its place."""
    for leaf in leaves_of(settings):
        if leaf.value == leaf.default:
            continue
        for row in UNSERVED:
            if _covers(row, leaf) and leaf.value not in row.served:
                yield root.at(leaf.path).refusal(f"This version does not serve {row.needs}.", _remedy(leaf))


def _covers(row: Unserved, leaf: Leaf) -> bool:
    wanted = row.key.split(".")
    there = leaf.path[: len(wanted)]
    return len(there) == len(wanted) and all(w in ("*", t) for w, t in zip(wanted, there, strict=True))


def _remedy(leaf: Leaf) -> str:
    return f"Remove the key, or keep its default {leaf.rule.render(leaf.default)}."
