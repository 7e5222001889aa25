"""The forge: where issues and pull requests live. Numbers of issues and pull requests are one series."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from gitsched.domain.forge import Comment, HeadMoved, Issue, MergeAnswer, PublishRefused, PullRequestView, ShipRules
from gitsched.domain.merging import MergeBy
from gitsched.domain.outcomes import Unreachable


class Forge(Protocol):
    """Reads and writes issues, comments and pull requests. Unreachable is an answer of every read."""

    @property
    def cursor(self) -> str | None:
        """Name the forge's present version where that is cheap, so that an unchanged forge is not read again."""

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue] | Unreachable:
        """Read those issues (all when None) by number; a number that is no issue is left out."""

    def open_issue(self, title: str, body: str, marker: str, labels: Sequence[str] = ()) -> int:
        """Open an issue once and give its number: an open one of ours that carries the marker stands for it."""

    def close_issue(self, number: int, *, as_not_planned: bool = False) -> None:
        """Close an issue; closing a closed one changes nothing."""

    def comments(self, number: int) -> tuple[Comment, ...] | Unreachable:
        """Read the comments on an issue or pull request, oldest first."""

    def comment(self, number: int, body: str, marker: str) -> int:
        """Post a comment once and give its id.

        `marker` is put into it as an HTML comment; one that carries it already is edited in place instead.
        """

    def target(self, branch: str) -> str | Unreachable | None:
        """Name the commit that a branch is at where pull requests merge; it is in this repository then."""

    def rules(self, target: str) -> ShipRules | Unreachable:
        """Tell what is offered for merging into a branch, and what is demanded."""

    def may_push_workflows(self) -> bool:
        """Say whether workflow files can be published; True as well where only a push would tell."""

    def publish(
        self, branch: str, head: str, known: Collection[str]
    ) -> HeadMoved | PublishRefused | Unreachable | None:
        """Bring a branch to where pull requests are made from; None: it is at `head` there.

        It is moved only from nothing or from one of the `known` commits.
        """

    def withdraw(self, branch: str, head: str) -> None:
        """Take a branch away from where it was published, if it is still at `head`."""

    def foresee(self, requests: Iterable[int]) -> None:
        """Say which pull requests are asked for next, so that they can be read together."""

    def pull_request(self, number: int) -> PullRequestView | Unreachable | None:
        """Read one pull request; None when there verifiably is none."""

    def pull_requests(self) -> tuple[PullRequestView, ...] | Unreachable:
        """Read all pull requests, by number."""

    def pull_request_for(self, source: str, marker: str) -> PullRequestView | Unreachable | None:
        """Find the newest pull request from this branch that carries the marker, open ones first."""

    def pull_requests_from(self, source: str) -> tuple[PullRequestView, ...] | Unreachable:
        """Find all pull requests from this branch, whoever opened them, by number."""

    def open_pull_request(self, request: PullRequestView, marker: str) -> PullRequestView:
        """Open it, or update the one that `pull_request_for` finds; idempotent by source and marker."""

    def merge(self, number: int, expected_head: str, method: str = "rebase") -> MergeAnswer | Unreachable:
        """Merge it if its head is still `expected_head` and the target's rules let it."""

    def park(self, number: int, expected_head: str, by: MergeBy, method: str) -> None:
        """Ask the forge to merge it by itself, where `by` is the forge's to do; asking again changes nothing."""

    def make_ready(self, number: int) -> None:
        """Turn a draft into a pull request that can be merged; one that is ready stays so."""

    def close_pull_request(self, number: int) -> None:
        """Close a pull request without merging it; one that is closed or merged stays as it is."""
