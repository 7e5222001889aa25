"""The Forge port on GitHub: what is looked at when, what is kept between looks, and errors as the port's own values."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.comments import SETTLE_S, Comments
from gitsched.adapters.forge.github.credentials import Credential
from gitsched.adapters.forge.github.git_side import GitSide
from gitsched.adapters.forge.github.issues import Issues
from gitsched.adapters.forge.github.memory import Memory
from gitsched.adapters.forge.github.opening import Openings
from gitsched.adapters.forge.github.pulls import Pulls
from gitsched.adapters.forge.github.repository import GONE, Repository
from gitsched.adapters.forge.github.rollouts import LONGEST, GitHubRollouts
from gitsched.adapters.forge.github.rules import Rules
from gitsched.adapters.forge.github.wire import Wire
from gitsched.codec.plain import one_line
from gitsched.domain.forge import (
    DENIED,
    Comment,
    HeadMoved,
    Issue,
    MergeAnswer,
    PublishRefused,
    PullRequestView,
    Rollout,
    ShipRules,
)
from gitsched.domain.instants import Instant, after
from gitsched.domain.merging import MergeBy
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import UnknownUnitError
from gitsched.ports.runner import Clock

T = TypeVar("T")
WORKFLOW_LOGIN = "github-actions[bot]"
"""Whom a workflow's own token stands for; it may never push workflow files."""
_FIRST_RETRY_S, _LONGEST_RETRY_S = 5.0, 300.0


class Looks(Struct, frozen=True, kw_only=True):
    """How old what is known may be."""

    issues_s: float = 600.0
    requests_s: float = 150.0
    settle_s: float = SETTLE_S
    label: str | None = None
    """The label that merges, where one does: it must exist."""


class GitHubForge:
    """The Forge port on one repository of GitHub."""

    def __init__(
        self, common: Path, wire: Wire, credential: Credential, full_name: str, clock: Clock, looks: Looks
    ) -> None:  # many-parameters: each is a neighbour, and nobody else makes one
        """Stand on a clone and `OWNER/NAME`; nothing is asked yet."""
        self.wire = wire
        self._credential = credential
        self._clock = clock
        self._looks = looks
        self._memory = Memory(common)
        self.repository = Repository(wire, full_name, self._memory)
        self._rules = Rules(self.repository, clock.now)
        self._issues = Issues(self.repository)
        self._comments = Comments(self.repository, clock.now, looks.settle_s)
        self._openings = Openings(self.repository, clock.now, looks.settle_s)
        self._pulls = Pulls(self.repository, self._rules, self._comments, clock.now)
        self._git = GitSide(common, credential, lambda: self.repository.identity.web_url)
        self._rollouts = GitHubRollouts(self.repository)
        self._rollouts_seen: dict[tuple[str, str], tuple[Instant, Rollout | Unreachable | None]] = {}
        self._watched: set[int] = set()
        self._version = 0
        self._down: Unreachable | None = None
        self._down_until: Instant = ""
        self._down_count = 0
        self._memory.prune()

    @property
    def cursor(self) -> str:
        """Look for news where that is due, and name what is known now."""
        if self._memory.is_poked():
            self.repository.known.issues_at = self.repository.known.requests_at = ""
            self._down_until = ""
            self._rollouts_seen.clear()
        now = self._clock.now()
        if now >= self._down_until and self._is_due(self.repository.known.issues_at, self._looks.issues_s, now):
            self._answered(lambda: self._issues.refresh(now), "issues")
            self._version += 1
        return f"{self._version}"

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue] | Unreachable:
        """Read those issues; None reads every open one."""
        if numbers is None:
            return self._answered(self._issues.every_open, "issues")
        wanted, known = tuple(numbers), self.repository.known.issues
        if not known.keys() >= set(wanted):
            if self._clock.now() < self._down_until and self._down is not None:
                return self._down
            failed = self._answered(lambda: self._issues.missing(wanted, self._clock.now()), "issues")
            if isinstance(failed, Unreachable):
                return failed
        elif self._down is not None:
            return self._down
        known = self.repository.known.issues
        return {number: known[number] for number in wanted if number in known}

    def open_issue(self, title: str, body: str, marker: str, labels: Sequence[str] = ()) -> int:
        """Open an issue, unless an open one of ours carries the marker."""
        number = self._openings.open(title, body, marker, labels)
        self._changed()
        return number

    def close_issue(self, number: int, *, as_not_planned: bool = False) -> None:
        """Close an issue; closing a closed one changes nothing."""
        issue = self._issues.read(number)
        if issue is None:
            remedy = "It was deleted or moved, or this credential does not see it."
            raise UnknownUnitError(f"Issue {number} was to be closed.", "GitHub has no such issue.", remedy)
        if not issue.is_open:
            return
        body = {"state": "closed", "state_reason": "not_planned" if as_not_planned else "completed"}
        answer = self.repository.send("PATCH", f"/issues/{number}", body)
        if not answer.ok and answer.status not in GONE:
            raise UnfitAnswerError(f"the closing of issue {number}", answer)
        if isinstance(answer.body, dict) and answer.ok:
            self._issues.take(answer.body)
        self._changed()

    def comments(self, number: int) -> tuple[Comment, ...] | Unreachable:
        """Read the comments on an issue or pull request, oldest first."""
        return self._answered(lambda: self._comments.read(number), f"comments on {number}")

    def comment(self, number: int, body: str, marker: str) -> int:
        """Post a comment once, or edit the one of ours that carries the marker."""
        return self._comments.write(number, body, marker)

    def target(self, branch: str) -> str | Unreachable | None:
        """Fetch a branch and name its commit."""
        return self._whole(lambda: self._git.target(branch), branch)

    def rules(self, target: str) -> ShipRules | Unreachable:
        """Tell what is offered for merging into a branch, and what is demanded."""
        return self._whole(lambda: self._ship_rules(target), f"the rules of {target}")

    def may_push_workflows(self) -> bool:
        """Say whether this credential may push workflow files, as far as it or GitHub tells."""
        try:
            return self._workflow_right()
        except UnansweredError:
            return True  # a push that is refused tells it

    def publish(
        self, branch: str, head: str, known: Collection[str]
    ) -> HeadMoved | PublishRefused | Unreachable | None:
        """Push a branch, from nothing or from where it was published before."""
        done = self._whole(lambda: self._git.publish(branch, head, known), branch)
        if done is None and self.repository.known.published.get(branch, ("", ""))[0] != head:
            self.repository.known.published[branch] = (head, self._server_now())
            self.repository.save()
        return done

    def withdraw(self, branch: str, head: str) -> None:
        """Delete a published branch that is still at `head`."""
        if self.repository.known.published.get(branch, ("", ""))[0] == head:
            self._pulls.withdraw_branch(branch, head)
            self.repository.known.published.pop(branch, None)
            self.repository.save()

    def foresee(self, requests: Iterable[int]) -> None:
        """Remember whom to watch, and look where that is due."""
        self._watched, now, known = set(requests), self._clock.now(), self.repository.known
        is_due = self._is_due(known.requests_at, self._looks.requests_s, now) or bool(
            self._watched - known.requests.keys()
        )
        if self._watched and is_due and now >= self._down_until:
            self._answered(lambda: self._pulls.refresh(self._watched, now), "pull requests")

    def pull_request(self, number: int) -> PullRequestView | Unreachable | None:
        """Show one pull request: as last seen where it is watched, else read now."""
        if number in self._watched:
            return self._down if self._down is not None else self.repository.known.requests.get(number)
        return self._answered(lambda: self._pulls.one(number), f"pull request {number}")

    def pull_requests(self) -> tuple[PullRequestView, ...] | Unreachable:
        """Read all pull requests, by number."""
        return self._answered(self._pulls.every, "pull requests")

    def pull_request_for(self, source: str, marker: str) -> PullRequestView | Unreachable | None:
        """Find the newest pull request from this branch that carries the marker, open ones first."""
        return self._answered(lambda: self._pulls.ours(source, marker), f"pull requests from {source}")

    def pull_requests_from(self, source: str) -> tuple[PullRequestView, ...] | Unreachable:
        """Find all pull requests from this branch, whoever opened them, by number."""
        return self._answered(lambda: tuple(self._pulls.from_branch(source)), f"pull requests from {source}")

    def open_pull_request(self, request: PullRequestView, marker: str) -> PullRequestView:
        """Open it, or update the one that `pull_request_for` finds; idempotent by source and marker."""
        opened = self._pulls.open_or_update(request, marker)
        self._changed()
        return opened

    def merge(self, number: int, expected_head: str, method: str = "rebase") -> MergeAnswer | Unreachable:
        """Merge it by the API if its head is still `expected_head`."""
        return self._whole(lambda: self._pulls.merge(number, expected_head, method), f"pull request {number}")

    def park(self, number: int, expected_head: str, by: MergeBy, method: str) -> None:
        """Leave it to auto-merge, the merge queue or a label."""
        self._pulls.park(number, expected_head, by, method)
        self._changed()

    def make_ready(self, number: int) -> None:
        """Take it out of its draft."""
        self._pulls.make_ready(number)
        self._changed()

    def rollout(self, environment: str, commit: str, holds: Callable[[str], bool]) -> Rollout | Unreachable | None:
        """Tell how the newest deployment that holds a commit stands; looked at as often as pull requests are."""
        now, seen = self._clock.now(), self._rollouts_seen.get((environment, commit))
        if now < self._down_until and self._down is not None:
            return self._down
        if seen is not None and not self._is_due(seen[0], self._looks.requests_s, now):
            return seen[1]
        try:
            found = self._answered(lambda: self._rollouts.newest(environment, holds), f"deployments to {environment}")
        except (DeniedError, UnfitAnswerError) as wrong:
            # An answer, and no deployment: what is never told is not waited for without end.
            found = Rollout(word=DENIED, detail=one_line(str(wrong), LONGEST))
        self._rollouts_seen[environment, commit] = (now, found)
        return found

    def against_pushes(self, branch: str) -> tuple[str, ...]:
        """Name the rules that can keep us from moving a branch; see `Rules.against_pushes`."""
        found = self._answered(lambda: self._rules.against_pushes(branch), f"the rules of {branch}")
        return () if isinstance(found, Unreachable) else found

    def close_pull_request(self, number: int) -> None:
        """Close a pull request that is open."""
        self._pulls.close(number)
        self._changed()

    def _workflow_right(self) -> bool:
        granted = self._credential.rights()
        if granted is not None:
            return granted.get("workflows") == "write"
        if self.repository.identity.login == WORKFLOW_LOGIN:
            return False
        if not self.wire.calls:  # what a person's token is good for stands beside any answer
            self.repository.get("")
        return self.wire.scopes is None or "workflow" in self.wire.scopes

    def _ship_rules(self, target: str) -> ShipRules:
        label = self._looks.label
        exists = label is not None and self._comments.label_exists(label)
        return self._rules.ship(target, labels=frozenset((label,)) if label and exists else frozenset())

    def _whole(self, call: Callable[[], T], what: str) -> T | Unreachable:
        """Give the answer, or say that there was none; it is the caller who tries again."""
        try:
            found = call()
        except UnansweredError as wrong:
            return Unreachable(what=f"GitHub ({what})", detail=wrong.detail)
        self._changed()
        return found

    def _answered(self, call: Callable[[], T], what: str) -> T | Unreachable:
        """Give the answer of a read, and keep what it taught; after a failure nothing is asked for a while."""
        try:
            found = call()
        except UnansweredError as wrong:
            self._down_count += 1
            pause_s = min(_FIRST_RETRY_S * 2 ** (self._down_count - 1), _LONGEST_RETRY_S)
            self._down_until = after(self._clock.now(), pause_s)
            self._down = Unreachable(what=f"GitHub ({what})", detail=wrong.detail)
            return self._down
        self._down, self._down_count, self._down_until = None, 0, ""
        self.repository.save()
        return found

    def _is_due(self, at: Instant, interval_s: float, now: Instant) -> bool:
        return self._down is not None or not at or after(at, interval_s) <= now

    def _changed(self) -> None:
        self._version += 1
        self.repository.save()

    def _server_now(self) -> Instant:
        return after(self._clock.now(), self.wire.skew_s)
