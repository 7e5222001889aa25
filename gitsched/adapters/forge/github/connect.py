"""Connecting: from the configuration and the environment to a GitHub that can be asked, without asking it anything."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from gitsched.adapters.forge.github.app import AppClaim, Installation
from gitsched.adapters.forge.github.credentials import Credential, PlainToken, read_key, token_found
from gitsched.adapters.forge.github.pace import Pace
from gitsched.adapters.forge.github.tally import Tally, tally_file
from gitsched.adapters.git.process import engine_git
from gitsched.config.services import GitHubSettings
from gitsched.domain.instants import moment_of
from gitsched.errors import ConfigError
from gitsched.ports.runner import Clock

PUBLIC_API = "https://api.github.com"
WORKFLOWS = "GITSCHED_WORKFLOWS"
"""The variable in which the Action says what its token may do to workflow files: `write`, or anything else."""
_NAME = r"(?P<name>[A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?/?"
_ADDRESSES = (
    re.compile(rf"(?:https?|ssh|git)://(?:[^@/\s]+@)?(?P<host>[^/:\s]+)(?::\d+)?/{_NAME}"),
    re.compile(rf"(?:[^@/\s]+@)?(?P<host>[^/:\s]+):{_NAME}"),
)
_PACES: dict[tuple[str, str], Pace] = {}
"""By address and credential: one budget over all repositories, and all processes of this machine."""


class Connection(Struct, frozen=True, kw_only=True):
    """How to reach one repository, and by whose word."""

    api_url: str
    full_name: str
    credential: Credential
    pace: Pace
    installation: Installation | None = None


def connect(
    settings: GitHubSettings, remote: str, common: Path, surroundings: tuple[Mapping[str, str], Clock]
) -> Connection:
    """Find the repository's name and a credential. Raises ConfigError where either is missing."""
    environment, clock = surroundings
    api_url = settings.api_url.rstrip("/")
    full_name = settings.repository or _of_remote(common, remote, api_url)

    def now_s() -> float:
        return moment_of(clock.now()).timestamp()

    if settings.app_id is not None:
        key = read_key(Path(settings.private_key_file).expanduser())
        pace = _pace(api_url, f"app {settings.app_id}", now_s)
        installation = Installation(api_url, AppClaim(str(settings.app_id), key, now_s), full_name, pace)
        credential: Credential = installation.credential(now_s)
        return Connection(
            api_url=api_url, full_name=full_name, credential=credential, pace=pace, installation=installation
        )
    token = token_found(environment, settings.token_env, is_enterprise=api_url != PUBLIC_API)
    if token is None:
        raise ConfigError(
            f"GitHub was to be asked about {full_name}.",
            f"There is no token in {settings.token_env or 'the environment'}, and no App is configured.",
            f"`export {settings.token_env or 'GITHUB_TOKEN'}=…`, or `gitsched app create`.",
        )
    pace = _pace(api_url, token, now_s)
    told = environment.get(WORKFLOWS)
    credential = PlainToken(token, None if told is None else {"workflows": told})
    return Connection(api_url=api_url, full_name=full_name, credential=credential, pace=pace)


def host_of(api_url: str) -> str:
    """Name the host that git addresses have for an API's address."""
    host = urlsplit(api_url).hostname or ""
    return "github.com" if api_url.rstrip("/") == PUBLIC_API else host.removeprefix("api.")


def repository_in(address: str, host: str) -> str | None:
    """Read `OWNER/NAME` from a remote's address on that host; None for another host, or for what is none."""
    for pattern in _ADDRESSES:
        found = pattern.fullmatch(address.strip())
        if found is not None:
            return found["name"] if found["host"].lower().removeprefix("ssh.") == host.lower() else None
    return None


def _of_remote(common: Path, remote: str, api_url: str) -> str:
    address = engine_git(common).run("remote", "get-url", remote or "origin", check=False).text()
    found = repository_in(address, host_of(api_url))
    if found is None:
        raise ConfigError(
            "The repository on GitHub was to be found.",
            f"`github.repository` is not set, and the remote '{remote or 'origin'}' is none on {host_of(api_url)}.",
            'Write `[github]` / `repository = "OWNER/NAME"` into gitsched.toml.',
        )
    return found


def _pace(api_url: str, who: str, now_s: Callable[[], float]) -> Pace:
    known = _PACES.get((api_url, who))
    if known is None:
        known = _PACES[api_url, who] = Pace(now_s, tally=Tally(tally_file(api_url, who)))
    known.now_s = now_s  # the clock of the clone that is here now: the first one's may be gone
    return known
