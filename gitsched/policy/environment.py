"""The environment of an agent or a check: everything but what is the driver's own, or looks like a secret.

A profile's `env` names what passes all the same. A variable looks like a secret by a word of its name, or by
a value that is an address with a password. Nobody's variables reach git: a hook that started the driver would
point a child at its own repository.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_WORDS: Final = frozenset(
    {
        *("AUTH", "CREDENTIAL", "CREDENTIALS", "CREDS", "COOKIE", "JWT", "KEY", "KEYS", "PASS", "PASSPHRASE"),
        *("PASSWD", "PASSWORD", "PAT", "PRIVATE", "SECRET", "SECRETS", "SIGNATURE", "TOKEN", "TOKENS", "WEBHOOK"),
    }
)
_PARTS: Final = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "ASKPASS")
_WITH_PASSWORD: Final = re.compile(r"://[^/@\s:]*:[^/@\s]+@")
_FOREIGN_PREFIXES: Final = ("GIT_", "GITSCHED_", "ACTIONS_", "SSH_AUTH_", "GPG_AGENT_")
_NEVER_NAMED: Final = ("GITSCHED_", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""What would point a child at another repository or run does not pass by name either."""
_TEST_CLOCK: Final = "GITSCHED_TEST_CLOCK"


def agent_environment(
    base: Mapping[str, str], named: Sequence[str], identity: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Build the whole environment of a child, and list the variables whose values must not be kept.

    `named` are the variables that a profile or check lets through, `identity` says who the child is and wins.
    Secrets are those of `named` that look like one; the rest of `named` is ordinary text.
    """
    passed = {name: value for name, value in base.items() if _passes(name, value, named)}
    secrets = tuple(name for name in named if name in passed and looks_secret(name, passed[name]))
    return {**passed, **identity}, secrets


def looks_secret(name: str, value: str = "") -> bool:
    """Say whether a variable looks as if it held a secret."""
    upper = name.upper()
    if not _WORDS.isdisjoint(upper.split("_")) or any(part in upper for part in _PARTS):
        return True
    return _WITH_PASSWORD.search(value) is not None


def _passes(name: str, value: str, named: Sequence[str]) -> bool:
    if name == _TEST_CLOCK:
        return True
    if name in named:
        return not name.startswith(_NEVER_NAMED)
    return not name.upper().startswith(_FOREIGN_PREFIXES) and not looks_secret(name, value)
