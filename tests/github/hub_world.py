"""The engine's world with GitHub as its forge: the real adapter, the fake GitHub, real git over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from gitsched.cli.fault import contained
from gitsched.domain.forge import Issue, PullRequestView
from gitsched.domain.instants import Instant, after
from gitsched.engine.driver import Driver
from gitsched.wiring.clone import Clone
from tests.engine.relay import without_guard
from tests.engine.scripts import SUITE
from tests.engine.world import World
from tests.github.fake.hub import Hub
from tests.github.fake.model import Comment

NAME = "acme/shop"
LOOK_ALWAYS = '[watch]\ninterval = "1ms"\n[labels]\ninterval = "1ms"\n'
BEGIN: Instant = "2026-01-02T04:00:00.000Z"


class Time:
    """The test's clock file, which the engine and the hub both go by."""

    def __init__(self, file: Path) -> None:
        self._file, self._at = file, BEGIN
        self._write()

    def advance(self, seconds: float) -> None:
        """Let that much time pass, beside what passes by itself."""
        self._at = after(self._at, seconds)
        self._write()

    def _write(self) -> None:
        self._file.write_text(self._at)


class HubWorld(World):
    """A clone of a repository on the fake GitHub."""

    is_patient = False

    def __init__(self, hub: Hub, repo: Path, home: Path, time: Time) -> None:  # many-parameters: its neighbours
        """Stand on a clone; the hub's `main` is the clone's."""
        self.hub, self.time = hub, time
        hub.looks_until_mergeable = 0
        self.remote = hub.repository(NAME)
        self.extra = LOOK_ALWAYS
        super().__init__(repo, home)

    def commit(self, message: str) -> str:
        """Commit everything in the user's checkout, and let it be on GitHub too."""
        made = super().commit(message)
        self.remote.git.git("fetch", "-q", str(self.repo), "+main:refs/heads/main")
        return made

    def configure(self, more: str = "", *, slots: int = 4, completion: str = "exit", suite: str = SUITE) -> None:
        """Write gitsched.toml with GitHub as the forge."""
        super().configure(f"{more}\n{self.extra}", slots=slots, completion=completion, suite=suite)
        file = self.repo / "gitsched.toml"
        where = f'[github]\napi_url = "{self.hub.api_url}"\nrepository = "{NAME}"\n'
        file.write_text(file.read_text().replace("[project]", '[project]\nforge = "github"', 1) + where)
        self.clone = Clone(self.repo)

    def driver(self) -> Driver:
        """Make a driver; a patient one bears that GitHub gives no answer, as the command line does."""
        return Clone(self.repo).driver(contained if self.is_patient else without_guard)

    def issue(self, number: int, title: str = "", body: str = "", **fields: Any) -> None:
        """Open an issue on GitHub under that number."""
        for dep in fields.pop("deps", ()):
            self.remote.block(number, by=dep)
        self.remote.issue(number, title=title or f"Issue {number}", body=body, **fields)

    def forge_issue(self, number: int) -> Issue:
        """Read an issue as GitHub has it."""
        found = self.remote.model.issues[number]
        return Issue(number=number, title=found.title, is_open=found.closed_at is None)

    def request(self, batch: str = "b1") -> PullRequestView:
        """Read a batch's pull request from GitHub."""
        request = self.batch(batch).pr
        assert request is not None, f"{batch} has no pull request"
        seen = Clone(self.repo).served_forge.pull_request(request.number)
        assert isinstance(seen, PullRequestView)
        return seen

    def body(self, batch: str = "b1") -> str:
        """Read what GitHub shows in a batch's pull request."""
        return self.remote.model.issues[self.request(batch).number].body or ""

    def told_on(self, number: int) -> list[Comment]:
        """List gitsched's own comments on an issue or pull request."""
        return [comment for comment in self.remote.comments(number) if "gitsched:" in (comment.body or "")]

    def head(self, batch: str = "b1") -> str:
        """Name the commit that a batch's pull request was published at."""
        request = self.batch(batch).pr
        assert request is not None
        return request.head

    def forge_paths(self, branch: str = "main") -> set[str]:
        """List the files of a branch on GitHub."""
        return set(self.remote.git.git("ls-tree", "-r", "--name-only", branch).splitlines())

    def shipped(self, *issues: int, merge: str = "manual", more: str = "") -> None:
        """Let a batch of these issues come to its open pull request."""
        self.configure(f'[ship]\nmerge = "{merge}"\n{more}')
        for issue in issues:
            self.issue(issue)
        self.agents(*issues)
        self.enqueue(*issues, batch="b1")
        self.run()

    def enqueue(self, *issues: int, **fields: object) -> Any:
        """Enqueue issues as `gitsched enqueue` does."""
        from gitsched.engine.intake.enqueue import EnqueueRequest, enqueue

        clone = Clone(self.repo)
        request = EnqueueRequest(issues=issues, **fields)  # type: ignore[arg-type]
        return enqueue(clone.store, clone.served_forge, clone.settings, request, "ada")

    def settle_queue(self, number: int) -> bool:
        """Let GitHub's merge queue merge what waits in it; say whether something did."""
        pull = self.remote.model.issues[number].pull
        if pull is None or pull.entry is None:
            return False
        self.remote.merge_queue(number)
        return True


def make_world(hub: Hub, repo: Path, home: Path, patch: pytest.MonkeyPatch) -> HubWorld:
    """Make a world whose clock and credential are in the environment."""
    file = home / "clock"
    time = Time(file)
    hub.repository(NAME)
    patch.setenv("GITSCHED_TEST_CLOCK", str(file))
    patch.setenv("GITHUB_TOKEN", hub.app.token(lifetime_s=10 * 365 * 86_400))
    return HubWorld(hub, repo, home, time)
