"""The local forge on a real repository, with a clock that moves one second at each look."""

from pathlib import Path

from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import IssueDraft, PullRequestView
from gitsched.domain.instants import Instant, after
from gitsched.domain.words import PullRequestState
from tests.real_git import run_git

SOURCE = "gitsched/b1/integration"
MARKER = "gitsched:request:b1"


class TickingClock:
    """The Clock port, one second later at each look."""

    def __init__(self) -> None:
        self.at: Instant = "2026-01-02T03:04:05.000Z"

    def now(self) -> Instant:
        self.at = after(self.at, 1)
        return self.at

    def dated(self, epoch_s: float) -> Instant:
        return after("1970-01-01T00:00:00.000Z", epoch_s)

    def monotonic_s(self) -> float:
        return 0.0

    def slept_s(self) -> float:
        return 0.0


class Place:
    """A repository with a forge in it: `main`, and an integration branch one commit ahead."""

    keeps_files = True
    author = "gitsched"

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.clock = TickingClock()
        self.forge = LocalForge(repo, self.clock)
        self.tracker = Tracker(repo, self.clock, "ada")

    def git(self, *arguments: str | Path) -> str:
        return run_git(self.repo, *arguments)

    def commit(self, branch: str, name: str, content: str = "new\n") -> str:
        """Commit a file on a branch without any checkout, and name the commit."""
        blob = run_git(self.repo, "hash-object", "-w", "--stdin", stdin=content)
        listed = self.git("ls-tree", branch).splitlines()
        kept = [line for line in listed if not line.endswith(f"\t{name}")]
        tree = run_git(self.repo, "mktree", stdin="\n".join([*kept, f"100644 blob {blob}\t{name}", ""]))
        made = self.git("commit-tree", tree, "-p", branch, "-m", f"Add {name}")
        self.git("update-ref", f"refs/heads/{branch}", made)
        return made

    def branch(self, name: str = SOURCE, start: str = "main") -> None:
        self.git("branch", name, start)

    def tip(self, branch: str = "main") -> str:
        return self.git("rev-parse", branch)

    def tree(self, commit: str) -> str:
        return self.git("rev-parse", f"{commit}^{{tree}}")

    def issue(self, title: str = "Add login", **fields: object) -> int:
        return self.tracker.new_issue(IssueDraft(title=title, **fields))  # type: ignore[arg-type]

    def request(self, **fields: object) -> PullRequestView:
        """Describe the pull request of b1, as it would be opened now."""
        own = {"number": 0, "title": "Batch b1", "body": "Closes #1\n", "state": PullRequestState.OPEN}
        where = {"source": SOURCE, "target": "main", "head": self.tip(SOURCE)}
        return PullRequestView(**{**own, **where, **fields})  # type: ignore[arg-type]

    def ready(self) -> PullRequestView:
        """Open the pull request of a batch that is one commit ahead of main."""
        self.branch()
        self.commit(SOURCE, "app.py")
        return self.forge.open_pull_request(self.request(), MARKER)

    def subjects(self) -> list[str]:
        """List what happened on the forge, oldest first."""
        return self.git("log", "--reverse", "--format=%s", "refs/gitsched/forge").splitlines()
