"""Notices by a command of the operator's, which gets them on standard input, and by an address that they are posted to.

Secrets come from the environment: `[notify] env` names the variables that pass to the command although they look like
one, and `${NAME}` in the address stands for one of them. Neither an address nor what a command prints is kept.
"""

import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from gitsched.config.shipping import NotifySettings
from gitsched.policy.environment import agent_environment

TIMEOUT_S = 10.0
_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Goes nowhere but to the address that was written down."""

    def redirect_request(self, *_words: object) -> None:
        """Follow nothing."""


class OwnNotifier:
    """Passes notices on as `[notify]` says."""

    def __init__(self, chosen: NotifySettings, environment: Mapping[str, str], place: Path) -> None:
        """Stand in an environment; the command runs in `place`."""
        self._chosen = chosen
        self._environment = environment
        self._place = place

    def send(self, notice: bytes) -> str | None:
        """Pass a notice on by every way that is written down (see the port)."""
        ways = ((self._chosen.command, self._run), (self._chosen.url, self._post))
        troubles = [trouble for is_chosen, way in ways if is_chosen and (trouble := way(notice)) is not None]
        return "; ".join(troubles) or None

    def _run(self, notice: bytes) -> str | None:
        env, _ = agent_environment(self._environment, self._chosen.env, {})
        program = self._chosen.command[0]
        try:
            done = subprocess.run(
                self._chosen.command,
                input=notice,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=env,
                cwd=self._place,
                timeout=TIMEOUT_S,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            return f"{program} did not end within {TIMEOUT_S:g} s"
        except OSError as error:
            return f"{program} could not be started: {error.strerror}"
        return None if done.returncode == 0 else f"{program} ended with {done.returncode}"

    def _post(self, notice: bytes) -> str | None:
        missing = [name for name in _NAME.findall(self._chosen.url) if not self._value(name)]
        if missing:
            return f"{missing[0]} is not set, or notify.env does not name it"
        address = _NAME.sub(lambda found: self._value(found[1]), self._chosen.url)
        opener = urllib.request.build_opener(_NoRedirects)
        try:
            request = urllib.request.Request(  # noqa: S310 - the configuration takes http and https alone
                address, data=notice, headers={"Content-Type": "application/json"}, method="POST"
            )
            with opener.open(request, timeout=TIMEOUT_S):
                return None
        except urllib.error.HTTPError as error:
            error.close()
            return f"the address answered {error.code}"
        except (OSError, ValueError) as error:  # its words may hold the address
            return f"the address could not be reached ({type(error).__name__})"

    def _value(self, name: str) -> str:
        return self._environment.get(name, "") if name in self._chosen.env else ""
