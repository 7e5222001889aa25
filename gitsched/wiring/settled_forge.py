"""A forge that is written to only once what led to it is accepted by the remote that is the authority."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsched.domain.forge import Comment, HeadMoved, Issue, MergeAnswer, PublishRefused, PullRequestView, ShipRules
    from gitsched.domain.merging import MergeBy
    from gitsched.domain.outcomes import Unreachable
    from gitsched.ports.forge import Forge


class SettledForge:
    """Passes everything on to a forge; each write settles first."""

    def __init__(self, forge: "Forge", settle: Callable[[], None]) -> None:
        """Stand before that forge."""
        self._forge = forge
        self._settle = settle

    @property
    def cursor(self) -> str | None:
        """Name the forge's present version."""
        return self._forge.cursor

    def issues(self, numbers: Iterable[int] | None = None) -> "Mapping[int, Issue] | Unreachable":
        """Read issues."""
        return self._forge.issues(numbers)

    def open_issue(self, title: str, body: str, marker: str, labels: Sequence[str] = ()) -> int:
        """Open an issue once."""
        self._settle()
        return self._forge.open_issue(title, body, marker, labels)

    def close_issue(self, number: int, *, as_not_planned: bool = False) -> None:
        """Close an issue."""
        self._settle()
        self._forge.close_issue(number, as_not_planned=as_not_planned)

    def comments(self, number: int) -> "tuple[Comment, ...] | Unreachable":
        """Read comments."""
        return self._forge.comments(number)

    def comment(self, number: int, body: str, marker: str) -> int:
        """Post a comment once."""
        self._settle()
        return self._forge.comment(number, body, marker)

    def target(self, branch: str) -> "str | Unreachable | None":
        """Name the commit that a branch is at."""
        return self._forge.target(branch)

    def rules(self, target: str) -> "ShipRules | Unreachable":
        """Tell what is offered for merging, and what is demanded."""
        return self._forge.rules(target)

    def may_push_workflows(self) -> bool:
        """Say whether workflow files can be published."""
        return self._forge.may_push_workflows()

    def publish(
        self, branch: str, head: str, known: Collection[str]
    ) -> "HeadMoved | PublishRefused | Unreachable | None":
        """Bring a branch to where pull requests are made from."""
        self._settle()
        return self._forge.publish(branch, head, known)

    def withdraw(self, branch: str, head: str) -> None:
        """Take a branch away from where it was published."""
        self._settle()
        self._forge.withdraw(branch, head)

    def foresee(self, requests: Iterable[int]) -> None:
        """Say which pull requests are asked for next."""
        self._forge.foresee(requests)

    def pull_request(self, number: int) -> "PullRequestView | Unreachable | None":
        """Read one pull request."""
        return self._forge.pull_request(number)

    def pull_requests(self) -> "tuple[PullRequestView, ...] | Unreachable":
        """Read all pull requests."""
        return self._forge.pull_requests()

    def pull_request_for(self, source: str, marker: str) -> "PullRequestView | Unreachable | None":
        """Find the newest pull request from a branch that carries the marker."""
        return self._forge.pull_request_for(source, marker)

    def pull_requests_from(self, source: str) -> "tuple[PullRequestView, ...] | Unreachable":
        """Find all pull requests from a branch."""
        return self._forge.pull_requests_from(source)

    def open_pull_request(self, request: "PullRequestView", marker: str) -> "PullRequestView":
        """Open a pull request, or update it."""
        self._settle()
        return self._forge.open_pull_request(request, marker)

    def merge(self, number: int, expected_head: str, method: str = "rebase") -> "MergeAnswer | Unreachable":
        """Merge a pull request."""
        self._settle()
        return self._forge.merge(number, expected_head, method)

    def park(self, number: int, expected_head: str, by: "MergeBy", method: str) -> None:
        """Ask the forge to merge it by itself."""
        self._settle()
        self._forge.park(number, expected_head, by, method)

    def make_ready(self, number: int) -> None:
        """Turn a draft into a pull request that can be merged."""
        self._settle()
        self._forge.make_ready(number)

    def close_pull_request(self, number: int) -> None:
        """Close a pull request without merging it."""
        self._settle()
        self._forge.close_pull_request(number)
