"""A GitHub App: its claim, and the tokens of its installation, narrowed to one repository and what is needed there."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from gitsched.adapters.forge.github.answers import Answer, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.credentials import Renewed, RenewedToken
from gitsched.adapters.forge.github.jwt import app_claim
from gitsched.adapters.forge.github.pace import Pace
from gitsched.adapters.forge.github.wire import Wire
from gitsched.domain.instants import moment_of
from gitsched.errors import ConfigError

NEEDED: Final = {
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
    "statuses": "read",
    "actions": "read",
    "deployments": "read",
    "metadata": "read",
    "workflows": "write",
}
"""What is asked for in a repository; what the installation does not have is left out."""
_BAD_CLOCK_S = 20.0


class AppClaim:
    """The App's own word, dated by our clock, and after a refusal by GitHub's."""

    def __init__(self, issuer: str, private_key: str, now_s: Callable[[], float]) -> None:
        """Sign as that App."""
        self._issuer = issuer
        self._private_key = private_key
        self._now_s = now_s
        self._shift_s = 0.0
        self.skew_s: Callable[[], float] = lambda: 0.0
        """Tells how far GitHub's clock is ahead; its wire sets it."""

    def token(self) -> str:
        """Make a claim that is good now."""
        return app_claim(self._issuer, self._private_key, int(self._now_s() + self._shift_s))

    def refuse(self, token: str) -> bool:
        """Go by GitHub's clock from here on, where that is another one."""
        skew_s = self.skew_s()
        if abs(skew_s - self._shift_s) < _BAD_CLOCK_S:
            return False
        self._shift_s = skew_s
        return True

    def rights(self) -> None:
        """Know none: the App itself writes to no repository."""


class Installation:
    """Where an App is installed: it gives tokens for one repository."""

    def __init__(self, api_url: str, claim: AppClaim, full_name: str, pace: Pace) -> None:
        """Stand for the installation that holds `OWNER/NAME`; it is looked for when first needed."""
        self._wire = Wire(api_url, claim, pace)
        claim.skew_s = lambda: self._wire.skew_s
        self._full_name = full_name
        self._found: tuple[int, dict[str, str]] | None = None

    @property
    def skew_s(self) -> float:
        """Say how far GitHub's clock is ahead of ours."""
        return self._wire.skew_s

    def renew(self) -> Renewed:
        """Ask for a token. Raises ConfigError for an App not installed."""
        number, granted = self._found = self._found or self._look()
        _, _, name = self._full_name.partition("/")
        wanted = {right: level for right, level in NEEDED.items() if right in granted}
        asked = {"repositories": [name], "permissions": wanted}
        answer = self._wire.send("POST", f"/app/installations/{number}/access_tokens", asked)
        if answer.status == 422:  # the repository has another name by now: the installation's own range holds it
            answer = self._wire.send("POST", f"/app/installations/{number}/access_tokens", {"permissions": wanted})
        if answer.status != 201 or not isinstance(answer.body, dict):
            self._found = None
            raise UnfitAnswerError("a token of the App's installation", answer)
        ends_s = moment_of(str(answer.body["expires_at"])).timestamp()
        good_s = ends_s - (self._wire.now_s() + self._wire.skew_s)
        return Renewed(str(answer.body["token"]), good_s, _rights(answer.body))

    def credential(self, now_s: Callable[[], float]) -> RenewedToken:
        """Give tokens that are renewed with five minutes left."""
        return RenewedToken(self.renew, now_s)

    def _look(self) -> tuple[int, dict[str, str]]:
        path = f"/repos/{quote(self._full_name)}/installation"
        answer = self._wire.get(path)
        moved = answer.headers.get("x-moved-to")
        if moved is not None:
            answer = self._wire.get(moved)
        if answer.status == 404:
            raise ConfigError(
                f"The App's installation in {self._full_name} was looked for.",
                "The App is not installed there.",
                "Install it: its page on GitHub, 'Install App'.",
            )
        return _described(answer)


def _described(answer: Answer) -> tuple[int, dict[str, str]]:
    body = answer.body
    if not isinstance(body, dict) or not isinstance(body.get("id"), int):
        raise UnansweredError("the App's installation", f"it answered {answer.status} and nothing that can be read")
    return body["id"], _rights(body)


def _rights(body: Mapping[str, object]) -> dict[str, str]:
    granted = body.get("permissions")
    return {str(right): str(level) for right, level in granted.items()} if isinstance(granted, dict) else {}
