"""Credentials: whose word GitHub takes. A secret is held in memory alone, and shows itself in no representation."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from gitsched.errors import ConfigError

GIT_USER = "x-access-token"
"""The name under which git shows a token of any kind."""
_FALLBACKS = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE_FALLBACKS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
"""Where GitHub's own command line looks, in its order."""


class Credential(Protocol):
    """Gives the token to ask with."""

    def token(self) -> str:
        """Give a token that is good for some minutes at least, renewed where that is due."""

    def refuse(self, token: str) -> bool:
        """Learn that GitHub refused a token; True: another one can be had."""

    def rights(self) -> Mapping[str, str] | None:
        """Tell what an App's token may do, by right; None where the token itself does not tell."""


class PlainToken:
    """A token of a person or of an Action's run, as it was handed over."""

    def __init__(self, value: str, rights: Mapping[str, str] | None = None) -> None:
        """Hold it, and what whoever handed it over told of its rights."""
        self._value = value
        self._rights = rights

    def token(self) -> str:
        """Give it."""
        return self._value

    def refuse(self, token: str) -> bool:
        """Have no other."""
        return False

    def rights(self) -> Mapping[str, str] | None:
        """Tell what was told; where nothing was, GitHub tells it beside its answers, or not at all."""
        return self._rights


def token_found(environment: Mapping[str, str], named: str, *, is_enterprise: bool) -> str | None:
    """Find a token in the environment: where the configuration says, then where GitHub's command line looks."""
    names = (named, *(_ENTERPRISE_FALLBACKS if is_enterprise else _FALLBACKS))
    return next((found for name in names if name and (found := environment.get(name, "").strip())), None)


def read_key(file: Path) -> str:
    """Read an App's private key. Raises ConfigError where that is not possible, or others can read it too."""
    asked = f"The App's private key '{file}' was to be read."
    try:
        mode, text = file.stat().st_mode, file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as wrong:
        raise ConfigError(asked, f"That is not possible: {wrong}.", "`github.private_key_file` names it.") from wrong
    if mode & 0o077:
        raise ConfigError(asked, "Others than its owner can read it.", f"`chmod 600 {file}`.")
    return text


class Renewed(NamedTuple):
    """A token as it was given: how many seconds it is good for, and what it may do."""

    token: str
    good_s: float
    rights: Mapping[str, str]


class RenewedToken:
    """A token with an end, replaced well before it."""

    def __init__(self, renew: Callable[[], Renewed], now_s: Callable[[], float], margin_s: float = 300.0) -> None:
        """Ask `renew` when nothing is held, or less than `margin_s` are left."""
        self._renew = renew
        self._now_s = now_s
        self._margin_s = margin_s
        self._held = ""
        self._ends_s = 0.0
        self._rights: Mapping[str, str] = {}

    def token(self) -> str:
        """Give a token with more than the margin left."""
        if not self._held or self._ends_s - self._now_s() < self._margin_s:
            self._held, good_s, self._rights = self._renew()
            self._ends_s = self._now_s() + good_s
        return self._held

    def refuse(self, token: str) -> bool:
        """Throw it away; a new one is asked for next. One that was replaced meanwhile is no loss."""
        if token == self._held:
            self._held = ""
        return True

    def rights(self) -> Mapping[str, str]:
        """Tell what was granted with the token that is held, or with the next one where none is."""
        self.token()
        return self._rights
