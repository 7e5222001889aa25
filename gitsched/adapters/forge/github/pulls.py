"""Pull requests: found before they are opened, watched together, merged or left to what GitHub has for that."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar
from urllib.parse import quote

from msgspec.structs import replace

from gitsched.adapters.forge.github import queries
from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.comments import Comments
from gitsched.adapters.forge.github.markers import carries, fitted, marked
from gitsched.adapters.forge.github.pace import Kind
from gitsched.adapters.forge.github.repository import Repository
from gitsched.adapters.forge.github.rules import Rules
from gitsched.adapters.forge.github.shapes import checks_of, contexts_of, pull_of_graph, pull_of_rest
from gitsched.domain.forge import MergeAnswer, Merged, MergeRefused, PullRequestView, Waiting
from gitsched.domain.instants import Instant
from gitsched.domain.merging import Mechanism, MergeBy
from gitsched.domain.words import PullRequestState
from gitsched.errors import RefusedError

_TOGETHER = 25
"""So many pull requests are asked about in one query: each may carry a hundred checks."""
_OPEN = (PullRequestState.OPEN, PullRequestState.DRAFT)
_NO_DRAFTS = "draft pull requests are not supported"


class Pulls:
    """The pull requests of one repository."""

    def __init__(self, repository: Repository, rules: Rules, comments: Comments, now: Callable[[], Instant]) -> None:
        """Stand on a repository."""
        self._repository = repository
        self._rules = rules
        self._comments = comments
        self._now = now

    def refresh(self, numbers: Iterable[int], now: Instant) -> None:
        """Read those pull requests, a good many at once; one that is not there is forgotten."""
        wanted, known = sorted(set(numbers)), self._repository.known
        known.requests = {number: seen for number, seen in known.requests.items() if number in wanted}
        for at in range(0, len(wanted), _TOGETHER):
            some = wanted[at : at + _TOGETHER]
            found = self._repository.ask(queries.pulls_query(some)).get("repository") or {}
            for number in some:
                raw = found.get(f"pr{number}")
                if raw is None:
                    known.requests.pop(number, None)
                else:
                    known.requests[number] = self._seen(raw)
        known.requests_at = now

    def one(self, number: int) -> PullRequestView | None:
        """Read one pull request now."""
        raw = (self._repository.ask(queries.pulls_query([number])).get("repository") or {}).get(f"pr{number}")
        if raw is None:
            self._repository.known.requests.pop(number, None)
            return None
        self._repository.known.requests[number] = self._seen(raw)
        return self._repository.known.requests[number]

    def every(self) -> tuple[PullRequestView, ...]:
        """List all pull requests of the repository, by number."""
        rows = self._repository.pages("/pulls", state="all")
        return tuple(sorted(map(pull_of_rest, rows), key=lambda pull: pull.number))

    def from_branch(self, source: str) -> list[PullRequestView]:
        """List every pull request from a branch of this repository, by number."""
        owner = self._repository.identity.full_name.partition("/")[0]
        rows = self._repository.pages("/pulls", state="all", head=f"{owner}:{source}")
        return sorted((pull_of_rest(row) for row in rows), key=lambda pull: pull.number)

    def ours(self, source: str, marker: str) -> PullRequestView | None:
        """Find the newest one from this branch that carries the marker, open ones first."""
        found = [pull for pull in self.from_branch(source) if pull.source == source and carries(pull.body, marker)]
        return max(found, key=lambda pull: (pull.state in _OPEN, pull.number), default=None)

    def open_or_update(self, wanted: PullRequestView, marker: str) -> PullRequestView:
        """Open it, or bring the one that is there to what is wanted; what is closed or merged stays as it is."""
        text = marked(fitted(wanted.body), marker)
        known = self.ours(wanted.source, marker) or self._unmarked(wanted)
        if known is None:
            known = self._open(wanted, text, marker)
        elif known.state in _OPEN:
            self._update(known, wanted, text)
        if known.state in _OPEN and not set(wanted.labels) <= set(known.labels):
            self._comments.add_labels(known.number, wanted.labels)
        seen = self.one(known.number)
        if seen is None:
            raise UnansweredError(f"pull request {known.number}", "it is opened, and cannot be seen yet")
        return seen

    def _unmarked(self, wanted: PullRequestView) -> PullRequestView | None:
        """Find an open one of ours between the same branches: GitHub takes no second, whatever it says inside."""
        found = [pull for pull in self.from_branch(wanted.source) if pull.state in _OPEN]
        return next((pull for pull in found if pull.target == wanted.target and pull.source == wanted.source), None)

    def _open(self, wanted: PullRequestView, text: str, marker: str) -> PullRequestView:
        body: dict[str, Any] = {"title": wanted.title, "body": text, "head": wanted.source, "base": wanted.target}
        body["draft"] = wanted.state is PullRequestState.DRAFT
        answer = self._repository.send("POST", "/pulls", body)
        if answer.status == 422 and body["draft"] and _NO_DRAFTS in answer.message.lower():
            answer = self._repository.send("POST", "/pulls", {**body, "draft": False})
        if answer.status == 201 and isinstance(answer.body, dict):
            return pull_of_rest(answer.body)
        known = self._unmarked(wanted) if answer.status == 422 else None
        if known is not None:  # an earlier try was done, and the list lagged behind it
            self._update(known, wanted, text)
            return known
        if answer.status == 422 and "already exists" in answer.message.lower():
            raise UnansweredError("a pull request", "one is there already and cannot be seen yet")
        asked = f"A pull request from '{wanted.source}' to '{wanted.target}' was to be opened."
        remedy = "`gitsched doctor` tells what this credential may do there."
        raise RefusedError(asked, f"GitHub refused: {answer.message}.", remedy)

    def _update(self, known: PullRequestView, wanted: PullRequestView, text: str) -> None:
        if (known.title, known.body.replace("\r\n", "\n").strip()) != (wanted.title, text.strip()):
            answer = self._repository.send("PATCH", f"/pulls/{known.number}", {"title": wanted.title, "body": text})
            if not answer.ok:
                raise UnfitAnswerError(f"an update of pull request {known.number}", answer)
        if wanted.state is PullRequestState.DRAFT and known.state is PullRequestState.OPEN:
            self._repository.ask(queries.CONVERT_TO_DRAFT, Kind.MUTATION, id=self._node(known.number))

    def make_ready(self, number: int) -> None:
        """Take it out of its draft."""
        seen = self.one(number)
        if seen is not None and seen.state is PullRequestState.DRAFT:
            self._repository.ask(queries.MARK_READY, Kind.MUTATION, id=self._node(number))
            self.one(number)

    def close(self, number: int) -> None:
        """Close it, if it is open."""
        seen = self.one(number)
        if seen is not None and seen.state in (PullRequestState.DRAFT, PullRequestState.OPEN):
            self._repository.send("PATCH", f"/pulls/{number}", {"state": "closed"})
            self.one(number)

    def merge(self, number: int, head: str, method: str) -> MergeAnswer:
        """Merge it now, if its head is still that one."""
        seen = self.one(number)
        if seen is None:
            return MergeRefused(detail=f"there is no pull request {number}")
        if seen.state is PullRequestState.MERGED:
            return Merged(commit=seen.merge_commit or seen.head, at=seen.merged_at or "")
        if seen.state is not PullRequestState.OPEN:
            return MergeRefused(detail=f"pull request {number} is {seen.state}")
        if seen.head != head:
            return MergeRefused(detail=f"its head is {seen.head}, not {head}")
        answer = self._repository.send("PUT", f"/pulls/{number}/merge", {"sha": head, "merge_method": method})
        if answer.status == 405:
            return Waiting(reason="merge-refused-for-now", detail=answer.message)
        if answer.status == 409:
            return MergeRefused(detail=f"its head has moved: {answer.message}")
        if not answer.ok:
            return MergeRefused(detail=answer.message)
        seen = self.one(number) or seen
        return Merged(commit=seen.merge_commit or head, at=seen.merged_at or self._now())

    def park(self, number: int, head: str, by: MergeBy, method: str) -> None:
        """Ask for what merges it by itself; what stands already is left as it is."""
        seen = self.one(number)
        if seen is None or seen.state is not PullRequestState.OPEN:
            return
        if by.mechanism.traits.has_label:
            if by.label not in seen.labels:
                self._comments.add_labels(number, (by.label,))
        elif seen.standing is None or not seen.standing.is_parked:
            self.ASKED_BY[by.mechanism](self, number, head, method)
        self.one(number)

    def _queue(self, number: int, head: str, method: str) -> None:
        self._repository.ask(queries.ENQUEUE, Kind.MUTATION, id=self._node(number), head=head)

    def _auto_merge(self, number: int, head: str, method: str) -> None:
        fields = {"id": self._node(number), "method": method.upper(), "head": head}
        try:
            self._repository.ask(queries.ENABLE_AUTO_MERGE, Kind.MUTATION, **fields)
        except UnfitAnswerError as told:
            # GitHub takes no auto-merge for what could be merged at once: then that is what was asked for.
            if "clean status" not in str(told).lower():
                raise
            self.merge(number, head, method)

    ASKED_BY: ClassVar = {Mechanism.QUEUE: _queue, Mechanism.AUTO: _auto_merge}
    """How each mechanism of GitHub's own is asked for."""

    def _node(self, number: int) -> str:
        answer = self._repository.get(f"/pulls/{number}")
        if not answer.ok or not isinstance(answer.body, dict):
            raise UnfitAnswerError(f"pull request {number}", answer)
        return str(answer.body["node_id"])

    def _seen(self, raw: dict[str, Any]) -> PullRequestView:
        required = self._rules.required(str(raw.get("baseRefName") or "")) if raw.get("state") == "OPEN" else ()
        head, at = self._repository.known.published.get(str(raw.get("headRefName")), ("", None))
        seen = pull_of_graph(raw, required, at if head == raw.get("headRefOid") else None)
        after = contexts_of(raw)[1]
        while after is not None and seen.standing is not None:
            found = self._repository.ask(queries.CONTEXTS, number=seen.number, after=after)
            more, after = contexts_of((found.get("repository") or {}).get("pullRequest") or {})
            standing = replace(seen.standing, checks=(*seen.standing.checks, *checks_of(more)))
            seen = replace(seen, standing=standing)
        return seen

    def withdraw_branch(self, branch: str, head: str) -> None:
        """Delete a branch whose work has merged, if it is still at `head`; GitHub may have done that."""
        path = f"heads/{quote(branch)}"
        found = self._repository.get(f"/git/ref/{path}")
        commit = found.body.get("object", {}).get("sha") if isinstance(found.body, dict) else None
        if found.ok and commit == head:
            try:
                self._repository.send("DELETE", f"/git/refs/{path}")
            except DeniedError:
                return  # a rule keeps it: that is the repository's choice
