"""The fake GitHub with a repository on it, and the real adapter in a clone of that, in the verbs of `Place`."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from gitsched.adapters.forge.github.credentials import PlainToken
from gitsched.adapters.forge.github.forge import GitHubForge, Looks
from gitsched.adapters.forge.github.pace import Pace
from gitsched.adapters.forge.github.wire import Wire
from gitsched.domain.forge import PullRequestView
from gitsched.domain.instants import moment_of
from gitsched.domain.words import PullRequestState
from tests.forge.places import MARKER, SOURCE, TickingClock
from tests.github.fake.hub import Hub
from tests.real_git import run_git

NAME = "acme/shop"
LOOKS = Looks(issues_s=86_400.0, requests_s=86_400.0)


class HubTracker:
    """People at the fake GitHub."""

    def __init__(self, hub: Hub) -> None:
        self._repository = hub.repository(NAME)

    def comment(self, number: int, body: str) -> int:
        return self._repository.comment(number, body).id

    def close(self, number: int) -> None:
        self._repository.close(number)

    def reopen(self, number: int) -> None:
        self._repository.reopen(number)


class HubPlace:
    """A repository on GitHub: `main`, and what the adapter makes of it."""

    keeps_files = False
    """GitHub's issues have no place for a declared write set."""

    def __init__(self, hub: Hub, clone: Path, looks: Looks = LOOKS) -> None:
        self.hub, self.clone, self.looks = hub, clone, looks
        hub.looks_until_mergeable = 0
        self.repository = hub.repository(NAME)
        self.tracker = HubTracker(hub)
        self.clock = TickingClock()
        self.token = hub.app.token(lifetime_s=10 * 365 * 86_400)
        self.author = hub.app.login
        run_git(clone.parent, "init", "-q", str(clone))
        self.forge = self.connected()

    def connected(self) -> GitHubForge:
        """Connect as another process would."""
        pace = Pace(lambda: moment_of(self.clock.now()).timestamp())
        credential = PlainToken(self.token)
        wire = Wire(self.hub.api_url, credential, pace)
        return GitHubForge(self.clone / ".git", wire, credential, NAME, self.clock, self.looks)

    def commit(self, branch: str, name: str, content: str = "new\n") -> str:
        return self.repository.commit(branch, {name: content})

    def tip(self, branch: str = "main") -> str:
        found = self.repository.tip(branch)
        assert found is not None
        return found

    def tree(self, commit: str) -> str:
        return self.repository.git.git("rev-parse", f"{commit}^{{tree}}")

    def issue(self, title: str = "Add login", **fields: Any) -> int:
        deps, labels = fields.pop("deps", ()), fields.pop("labels", ())
        fields.pop("files", None)
        made = self.repository.issue(title=title, labels=list(labels), **fields)
        for dep in deps:
            self.repository.issue(dep)
            self.repository.block(made.number, by=dep)
        return int(made.number)

    def request(self, **fields: object) -> PullRequestView:
        own = {"number": 0, "title": "Batch b1", "body": "Closes #1\n", "state": PullRequestState.OPEN}
        where = {"source": SOURCE, "target": "main", "head": self.tip(SOURCE)}
        return PullRequestView(**{**own, **where, **fields})  # type: ignore[arg-type]

    def ready(self) -> PullRequestView:
        """Open the pull request of a batch that is one commit ahead of main."""
        self.commit(SOURCE, "app.py")
        return self.forge.open_pull_request(self.request(), MARKER)


def plain(pull: PullRequestView | None) -> PullRequestView | None:
    """Leave out how it stands to its merge, which one of GitHub's two ways of telling does not tell."""
    return None if pull is None else replace(pull, standing=None, url=None)
