"""The fake GitHub itself: its world, its address, and what a test can say and see."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tests.github.fake import acts_merges
from tests.github.fake.audit import Audit
from tests.github.fake.clock import HubClock, stamp
from tests.github.fake.description import Description
from tests.github.fake.faults import Faults, Scripting
from tests.github.fake.git_place import GitPlace
from tests.github.fake.hooks import Hooks, install_hook
from tests.github.fake.lag import Lag
from tests.github.fake.limits import Limits
from tests.github.fake.model import Repository, User, World
from tests.github.fake.model_apps import Token
from tests.github.fake.model_evidence import WorkflowRun
from tests.github.fake.server import Server
from tests.github.fake.shapes import Shapes
from tests.github.fake.verbs import RepositoryVerbs
from tests.github.fake.verbs_app import AppVerbs, an_app

OLDEST, NEWEST = "2022-11-28", "2026-03-10"
HOST_ID = 1


class Jobs(Protocol):
    """Machines that run workflows. Neither call may wait: the hub is busy meanwhile."""

    def start(self, run: WorkflowRun) -> None: ...

    def cancel(self, run: WorkflowRun) -> None: ...


class Hub(Scripting):
    """A stateful GitHub on loopback: REST, GraphQL and git on one port."""

    def __init__(
        self,
        folder: Path,
        *,
        follows: Callable[[], str] | None = None,
        is_enterprise: bool = False,
        description: Description | None = None,
    ) -> None:
        """Keep repositories under `folder`; `follows` is a Clock port's `now`; an Enterprise has its API at /api/v3."""
        self.folder = folder
        self.clock = HubClock(follows)
        self.world = World()
        self.lock = threading.RLock()
        self.faults = Faults()
        self.limits = Limits()
        self.audit = Audit()
        self.lags = Lag()
        self.hooks = Hooks(self)
        self.description = description
        self.prefix = "/api/v3" if is_enterprise else ""
        self.looks_until_mergeable = 1
        """How often a new pull request is looked at before GitHub has computed whether it merges."""
        self._server: Server | None = None
        self._app: AppVerbs | None = None
        self.ghost = self.user("ghost")
        self.jobs: Jobs | None = None
        """Runs what is dispatched; None: a run waits until `end_run`."""

    # ------------------------------------------------------------------------------- where

    def start(self) -> "Hub":
        self._server = Server(self)
        self._server.start()
        return self

    def stop(self) -> None:
        self.faults.clear()
        if self._server is not None:
            self._server.stop()
            self._server = None

    @property
    def web_url(self) -> str:
        """Where people and git look: `http://127.0.0.1:PORT`."""
        assert self._server is not None, "the hub has not been started"
        return self._server.url

    @property
    def api_url(self) -> str:
        """What `github.api_url` and PyGithub's `base_url` are to be."""
        return self.web_url + self.prefix

    def shapes(self, world: World | None = None, version: str = OLDEST) -> Shapes:
        return Shapes(self.world if world is None else world, self.api_url, self.web_url, version)

    def git(self, repository: Repository) -> GitPlace:
        return GitPlace(repository.path)

    # -------------------------------------------------------------------------------- whom

    def user(self, login: str, kind: Any = "User") -> User:
        """Find a person, bot or organisation, or let it join."""
        with self.lock:
            found = self.world.user(login)
            if found is None:
                found = User(self.world.fresh_small_id(), login, kind)
                self.world.users[found.id] = found
            return found

    def token(
        self,
        login: str = "ada",
        permissions: dict[str, str] | None = None,
        lifetime_s: float | None = None,
        scopes: tuple[str, ...] | None = None,
    ) -> str:  # many-parameters: a token
        """Give a person a token: a classic one, or one with exactly those permissions (`{"issues": "write"}`).

        A classic one is good for everything, or for `scopes`, which GitHub then tells.
        """
        with self.lock:
            user = self.user(login)
            value = f"{'ghp' if permissions is None else 'github_pat'}_fake-{self.world.fresh_id()}"
            expires_at = None if lifetime_s is None else self.clock.now_s() + lifetime_s
            self.world.tokens[value] = Token(value, user.id, permissions, expires_at=expires_at, scopes=scopes)
            return value

    @property
    def app(self) -> AppVerbs:
        """Give the App that is installed on every repository: `app.id`, `app.private_key`, `app.token()`."""
        if self._app is None:
            self._app = an_app(self, "gitsched")
        return self._app

    def other_app(self, slug: str) -> int:
        """Find another App by its slug, or register it: one that is installed nowhere here."""
        for found in self.world.apps.values():
            if found.slug == slug:
                return found.id
        other = an_app(self, slug)
        del self.world.installations[other.installation.id]
        return other.id

    def delete_user(self, login: str) -> None:
        """Let a person leave: what they wrote stays, and has no author any more."""
        with self.lock:
            gone = self.user(login)
            del self.world.users[gone.id]

    # ------------------------------------------------------------------------------- where it works

    def repository(self, full_name: str, **settings: Any) -> RepositoryVerbs:
        """Find a repository, or make one with a first commit on its default branch; settings are the model's fields."""
        with self.lock:
            found = self.world.named(full_name)
            if found is None:
                found = self._new_repository(full_name, settings)
            else:
                for name, value in settings.items():
                    setattr(found, name, value)
            return RepositoryVerbs(self, found.id)

    def _new_repository(self, full_name: str, settings: dict[str, Any]) -> Repository:
        owner, name = full_name.split("/")
        number = self.world.fresh_small_id()
        now_s = self.clock.now_s()
        folder = self.folder / f"{number}.git"
        made = Repository(number, self.user(owner, "Organization").id, name, folder, now_s, **settings)
        place = GitPlace.made(folder, made.default_branch)
        install_hook(folder)
        first = place.write(None, {"README.md": f"# {name}\n"}, "Begin\n", {})
        place.move(f"refs/heads/{made.default_branch}", first)
        self.world.repositories[number] = made
        if self._app is not None:
            self._app.join(made)
        return made

    # --------------------------------------------------------------------------------- when

    def now_s(self) -> float:
        return self.clock.now_s()

    def now(self) -> str:
        return stamp(self.clock.now_s())

    def lag(self, reads: int, path: str = "") -> None:
        """Let each list at `path` (a pattern) show what was before a write, for that many reads after it."""
        self.lags.plan(reads, path)

    def settle(self) -> None:
        """See what was pushed, and let auto-merges happen whose time has come."""
        with self.lock:
            for repository in list(self.world.repositories.values()):
                acts_merges.settle(self, repository)
