"""The door: who may look. On loopback anybody; from elsewhere whoever has the one token.

A request counts as loopback only if it came from there, was meant for there and was not passed on: a page elsewhere
that has its own name point here, or a proxy on this machine, is not let in without the token.
"""

import hashlib
import hmac
import os
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

from flask import Request

COOKIE: Final = "gitsched-dashboard"
_PASSED_ON: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")


class Door:
    """Opens for those who may look."""

    def __init__(self, token_env: Callable[[], str]) -> None:
        """Stand before the pages; `token_env` names the variable that holds the token, asked for each request."""
        self._token_env = token_env

    @property
    def has_token(self) -> bool:
        """Say whether anybody can come in from elsewhere."""
        return bool(self._token())

    def is_open_to(self, request: Request) -> bool:
        """Say whether a request may look."""
        if _is_local(request):
            return True
        given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        return self.is_right(given) or _same(request.cookies.get(COOKIE, ""), self.ticket())

    def is_right(self, token: str) -> bool:
        """Say whether this is the token; nothing is where there is none."""
        return _same(token, self._token())

    def ticket(self) -> str:
        """Give what a browser keeps instead of the token; it ends with the token."""
        token = self._token()
        return hashlib.sha256(f"gitsched dashboard {token}".encode()).hexdigest() if token else ""

    def _token(self) -> str:
        name = self._token_env()
        return os.environ.get(name, "") if name else ""


def _same(given: str, wanted: str) -> bool:
    return bool(wanted) and hmac.compare_digest(given.encode(), wanted.encode())


def _is_local(request: Request) -> bool:
    if any(header in request.headers for header in _PASSED_ON):
        return False
    return is_loopback(request.remote_addr or "") and is_loopback(_host_of(request.host))


def _host_of(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def is_loopback(name: str) -> bool:
    """Say whether an address is one of this machine's own, which nobody else reaches."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
