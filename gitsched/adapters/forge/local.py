"""The embedded forge: issues, comments and pull requests in this repository, for the engine.

It never reaches outside, so nothing is ever Unreachable here but a branch that another process keeps locked. It
closes no issue by closing words: the engine does that, with proof. A pull request whose recorded head is in its
target counts as merged, whoever moved the target; that also settles a merge whose record a kill prevented.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from gitsched.adapters.forge.fastforward import Answer, Forwarded, fast_forward, forward_there, holds
from gitsched.adapters.forge.ledger import Ledger, Pages, Writing
from gitsched.adapters.forge.local_opening import open_once
from gitsched.adapters.forge.marking import carries, marked
from gitsched.adapters.git.objects import Objects, open_repository
from gitsched.adapters.git.treeref import Shared, tip_of
from gitsched.domain.forge import (
    Comment,
    HeadMoved,
    Issue,
    MergeAnswer,
    Merged,
    MergeRefused,
    PullRequestView,
    ShipRules,
)
from gitsched.domain.ids import branch_ref
from gitsched.domain.merging import MergeBy
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import PullRequestState
from gitsched.errors import RecordUnreadableError, RefusedError, UnknownUnitError
from gitsched.ports.runner import Clock
from gitsched.view.clean import one_line

AUTHOR = "gitsched"
"""Who writes what the engine writes; only comments of this author are ever edited in place."""
OPEN_STATES = frozenset({PullRequestState.OPEN, PullRequestState.DRAFT})
_SHOWN_TITLE = 70


class LocalForge:
    """The Forge port on `refs/gitsched/forge`."""

    def __init__(self, repository: Path, clock: Clock, *, fsync: bool = True, shared: Shared | None = None) -> None:
        """Stand on the repository at that path: normal, bare, or a linked worktree; `shared` where it has a remote."""
        self._objects = Objects(open_repository(repository))
        self._ledger = Ledger(self._objects, fsync=fsync, shared=shared)
        self._clock = clock
        self._shared = shared

    @property
    def cursor(self) -> str | None:
        """Name what every read here depends on: the forge's commit, and the branches of open pull requests."""
        pages = self._ledger.pages()
        names = {name for pull in pages.pulls() if pull.state in OPEN_STATES for name in (pull.source, pull.target)}
        tips = [f"{name} {self._tip(name)}" for name in sorted(names)]
        return hashlib.sha256("\n".join([str(pages.snapshot.commit), *tips]).encode()).hexdigest()

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue]:
        """Read those issues (all when None); one whose record does not decode is left out (see `unreadable`)."""
        pages = self._ledger.pages()
        found = {}
        for number in pages.issue_numbers() if numbers is None else numbers:
            try:
                found[number] = pages.issue(number)
            except RecordUnreadableError:
                continue
        return {number: issue for number, issue in found.items() if issue is not None}

    def unreadable(self) -> tuple[RecordUnreadableError, ...]:
        """List what is wrong with the records of issues that `issues` leaves out."""
        pages, found = self._ledger.pages(), []
        for number in pages.issue_numbers():
            try:
                pages.issue(number)
            except RecordUnreadableError as wrong:
                found.append(wrong)
        return tuple(found)

    def open_issue(self, title: str, body: str, marker: str, labels: Sequence[str] = ()) -> int:
        """Open an issue, unless an open one of ours carries the marker."""
        now = self._clock.now()
        wanted = Issue(number=0, title=title, body=body, labels=tuple(labels), author=AUTHOR, created_at=now)
        return self._ledger.change(lambda forge: open_once(forge, replace(wanted, updated_at=now), marker), AUTHOR, now)

    def close_issue(self, number: int, *, as_not_planned: bool = False) -> None:
        """Close an issue; closing a closed one changes nothing."""
        now = self._clock.now()

        def close(forge: Writing) -> None:
            issue = forge.issue(number)
            if issue is None:
                raise unknown(number)
            if issue.is_open:
                closed = replace(issue, is_open=False, as_not_planned=as_not_planned, updated_at=now)
                forge.write_issue(closed, f"Close issue {number}")

        self._ledger.change(close, AUTHOR, now)

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments on an issue or pull request, oldest first."""
        return self._ledger.pages().comments(number)

    def comment(self, number: int, body: str, marker: str) -> int:
        """Post a comment once, or edit the one of ours that carries the marker."""
        now, text = self._clock.now(), marked(body, marker)

        def post(forge: Writing) -> int:
            home = forge.home(number)
            if home is None:
                raise unknown(number)
            ours = (found for found in forge.comments(number) if found.author == AUTHOR and carries(found.body, marker))
            known = next(ours, None)
            if known is None:
                comment = Comment(id=forge.take_comment_id(), issue=number, author=AUTHOR, body=text, created_at=now)
                forge.write_comment(home, replace(comment, updated_at=now), f"Comment on {number}: {marker}")
                return comment.id
            if known.body != text:
                edited = replace(known, body=text, updated_at=now)
                forge.write_comment(home, edited, f"Edit the comment on {number}: {marker}")
            return known.id

        return self._ledger.change(post, AUTHOR, now)

    def target(self, branch: str) -> str | None:
        """Name the commit that a branch is at."""
        return self._tip(branch)

    def rules(self, target: str) -> ShipRules:
        """Tell that nothing but a fast-forward merges here, and that nothing is demanded."""
        return ShipRules()

    def may_push_workflows(self) -> bool:
        """Have no rule about workflow files."""
        return True

    def publish(self, branch: str, head: str, known: Collection[str]) -> HeadMoved | None:
        """Say where a branch is that stands here anyway."""
        found = self._tip(branch)
        return None if found == head else HeadMoved(found=found or "")

    def withdraw(self, branch: str, head: str) -> None:
        """Leave the branch to whoever clears away what is here."""

    def foresee(self, requests: Iterable[int]) -> None:
        """Need no warning: every read is cheap here."""

    def pull_request(self, number: int) -> PullRequestView | None:
        """Read one pull request; None when there verifiably is none."""
        pull = self._ledger.pages().pull(number)
        return None if pull is None else self._seen(pull)

    def pull_requests(self) -> tuple[PullRequestView, ...]:
        """Read all pull requests, by number."""
        return tuple(map(self._seen, self._ledger.pages().pulls()))

    def pull_request_for(self, source: str, marker: str) -> PullRequestView | None:
        """Find the newest pull request from this branch that carries the marker, open ones first."""
        found = _request_for(self._ledger.pages(), source, marker)
        return None if found is None else self._seen(found)

    def pull_requests_from(self, source: str) -> tuple[PullRequestView, ...]:
        """Find all pull requests from this branch, whoever opened them, by number."""
        return tuple(self._seen(pull) for pull in self._ledger.pages().pulls() if pull.source == source)

    def open_pull_request(self, request: PullRequestView, marker: str) -> PullRequestView:
        """Open it, or update the one that `pull_request_for` finds; one that is merged or closed stays as it is.

        Raises RefusedError where a branch is missing or the target holds the head already.
        """
        now = self._clock.now()
        wanted = replace(request, body=marked(request.body, marker))

        def open_or_update(forge: Writing) -> PullRequestView:
            known = _request_for(forge, request.source, marker)
            if known is None:
                self._check_mergeable(request)
                number = forge.take_number()
                opened = replace(wanted, number=number, author=AUTHOR, created_at=now, updated_at=now)
                forge.write_pull(opened, f"Open pull request {number}: {one_line(request.title, _SHOWN_TITLE)}")
                return opened
            updated = replace(wanted, number=known.number, author=known.author, created_at=known.created_at)
            updated = replace(updated, updated_at=known.updated_at, extra=known.extra)
            if known.state not in OPEN_STATES or updated == known:
                return known
            updated = replace(updated, updated_at=now)
            forge.write_pull(updated, f"Update pull request {known.number}")
            return updated

        return self._seen(self._ledger.change(open_or_update, AUTHOR, now))

    def park(self, number: int, expected_head: str, by: MergeBy, method: str) -> None:
        """Refuse: nobody merges by itself here. Raises RefusedError."""
        asked, against = f"Pull request {number} was to be merged by '{by}'.", "The local forge cannot do that."
        raise RefusedError(asked, against, f"`gitsched pr merge {number}` does it now.")

    def make_ready(self, number: int) -> None:
        """Turn a draft into a pull request that can be merged."""
        told, drafts = f"Take pull request {number} out of its draft", {PullRequestState.DRAFT}
        self._edit(number, lambda pull: _turned(pull, drafts, PullRequestState.OPEN), told)

    def close_pull_request(self, number: int) -> None:
        """Close a pull request that is open."""
        told = f"Close pull request {number}"
        self._edit(number, lambda pull: _turned(pull, OPEN_STATES, PullRequestState.CLOSED), told)

    def _edit(self, number: int, edit: Callable[[PullRequestView], PullRequestView], sentence: str) -> None:
        now = self._clock.now()

        def write(forge: Writing) -> None:
            pull = forge.pull(number)
            if pull is not None and edit(pull) != pull:
                forge.write_pull(replace(edit(pull), updated_at=now), sentence)

        self._ledger.change(write, AUTHOR, now)

    def merge(self, number: int, expected_head: str, method: str = "rebase") -> MergeAnswer | Unreachable:
        """Fast-forward the target to the head; what was merged before is merged, whatever is asked now."""
        pull = self.pull_request(number)
        if pull is None:
            return MergeRefused(detail=f"there is no pull request {number}")
        if pull.state is PullRequestState.MERGED:
            return Merged(commit=pull.merge_commit or pull.head, at=pull.merged_at or "")
        if pull.state is not PullRequestState.OPEN:
            return MergeRefused(detail=f"pull request {number} is {pull.state}")
        if pull.head != expected_head:
            return MergeRefused(detail=f"its head is {pull.head}, not {expected_head}")
        # Ahead of the move: should we die right after it, the next look knows which head to find in the target.
        self._record_head(number, expected_head)
        answer = self._forward(pull.target, expected_head, f"gitsched pr merge {number}")
        if not isinstance(answer, Forwarded):
            return answer
        merged = self._record_merge(number, expected_head)
        return Merged(commit=merged.merge_commit or expected_head, at=merged.merged_at or "")

    def _seen(self, pull: PullRequestView) -> PullRequestView:
        """Show a pull request as its branches are now; record that it is merged where the target tells so."""
        if pull.state not in OPEN_STATES:
            return pull
        target = self._tip(pull.target)
        if target is not None and holds(self._objects, target, pull.head):
            return self._record_merge(pull.number, pull.head)
        return replace(pull, head=self._tip(pull.source) or pull.head)

    def _check_mergeable(self, request: PullRequestView) -> None:
        target, source = self._tip(request.target), self._tip(request.source)
        asked = f"A pull request from '{request.source}' to '{request.target}' was to be opened."
        if target is None or source is None:
            missing = request.target if target is None else request.source
            raise RefusedError(asked, f"There is no branch '{missing}'.", "`git branch --list` shows those there are.")
        if holds(self._objects, target, request.head):
            against = f"'{request.target}' holds {request.head} already."
            raise RefusedError(asked, against, "Nothing is left to merge; `gitsched sync` takes note of it.")

    def _record_head(self, number: int, head: str) -> None:
        self._edit(number, lambda pull: replace(pull, head=head), f"See the new head of pull request {number}")

    def _record_merge(self, number: int, head: str) -> PullRequestView:
        now = self._clock.now()

        def record(forge: Writing) -> PullRequestView:
            pull = forge.pull(number)
            if pull is None:
                raise unknown(number)
            if pull.state is PullRequestState.MERGED:
                return pull
            merged = replace(pull, state=PullRequestState.MERGED, head=head, merge_commit=head)
            merged = replace(merged, merged_at=now, updated_at=now)
            forge.write_pull(merged, f"Merge pull request {number} into {one_line(pull.target)}")
            return merged

        return self._ledger.change(record, AUTHOR, now)

    def _forward(self, target: str, head: str, command: str) -> Answer:
        if self._shared is None:
            return fast_forward(self._objects, target, head, command)
        return forward_there(self._objects, self._shared, target, head)

    def _tip(self, branch: str) -> str | None:
        if self._shared is not None:
            return self._shared.tip(branch_ref(branch))
        return tip_of(self._objects, branch_ref(branch))


def unknown(number: int) -> UnknownUnitError:
    """Make the refusal of a number that is neither issue nor pull request; the caller raises it."""
    asked = f"Number {number} was asked for."
    return UnknownUnitError(asked, "The local forge has no such number.", "`gitsched issue list` shows them.")


def _turned(pull: PullRequestView, before: Collection[PullRequestState], after: PullRequestState) -> PullRequestView:
    return replace(pull, state=after) if pull.state in before else pull


def _request_for(pages: Pages, source: str, marker: str) -> PullRequestView | None:
    found = [pull for pull in pages.pulls() if pull.source == source and carries(pull.body, marker)]
    return max(found, key=lambda pull: (pull.state in OPEN_STATES, pull.number), default=None)
