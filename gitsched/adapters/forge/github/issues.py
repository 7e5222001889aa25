"""Issues: those that are asked about, read together and kept, and afterwards only what has changed since.

A list shows neither what was deleted nor what has moved away, so every known issue is looked at by itself again from
time to time; and a list may lag behind a write, so it is asked from a little before the newest change that was seen.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from gitsched.adapters.forge.github.answers import Answer, UnfitAnswerError
from gitsched.adapters.forge.github.repository import GONE, Repository
from gitsched.adapters.forge.github.shapes import issue_of
from gitsched.domain.forge import Issue
from gitsched.domain.instants import Instant, after, seconds_between

FEW = 3
"""So many unknown issues are read one by one; more of them from the list of all."""
LAG_S = 120.0
RECHECK_S = 3600.0
_MOST_LISTED = 6
"""Pages of the list of all that are read for unknown issues; what is older is read one by one."""


class Issues:
    """The issues of one repository."""

    def __init__(self, repository: Repository) -> None:
        """Stand on a repository."""
        self._repository = repository

    def every_open(self) -> dict[int, Issue]:
        """Read all open issues, whoever asks for them."""
        found = self._taken(self._repository.pages("/issues", state="open"))
        self._repository.known.issues.update(found)
        return found

    def refresh(self, now: Instant) -> None:
        """Learn what has changed since the last look; without a known issue nothing is asked."""
        known = self._repository.known
        if known.issues and (not known.recheck_at or seconds_between(known.recheck_at, now) >= RECHECK_S):
            self._repository.recheck()
            self._read_each(sorted(number for number, issue in known.issues.items() if issue.gone is None))
            known.recheck_at = now
        elif known.issues:
            self._read_changed(now)
        known.issues_at = now

    def _read_changed(self, now: Instant) -> None:
        known = self._repository.known
        known.since = known.since or _whole_seconds(after(now, -LAG_S))
        query = {"state": "all", "sort": "updated", "direction": "desc", "since": known.since}
        answer = self._repository.get("/issues", known.etag, per_page=100, **query)
        if answer.status != 304:
            rows = self._repository.pages("/issues", answer, **query)
            self._keep(rows, only=frozenset(known.issues))
            known.etag = answer.headers.get("etag") if "link" not in answer.headers else None

    def missing(self, numbers: Iterable[int], now: Instant) -> None:
        """Read those that are not known yet."""
        known = self._repository.known
        wanted = sorted(set(numbers) - known.issues.keys())
        if not wanted:
            return
        if not known.issues:
            known.issues_at = known.recheck_at = now
            known.since = _whole_seconds(after(now, -LAG_S))
        self._read_each(wanted)

    def read(self, number: int) -> Issue | None:
        """Read one issue by itself, and say where it has gone; None for what never was an issue."""
        answer = self._repository.get(f"/issues/{number}")
        found = self._one(number, answer)
        if found is not None:
            self._repository.known.issues[number] = found
        return found

    def take(self, row: dict[str, Any]) -> None:
        """Take over an issue that came as the answer to something else."""
        if "pull_request" not in row:
            issue = issue_of(row, self._blockers(row))
            self._repository.known.issues[issue.number] = issue

    def _read_each(self, wanted: list[int]) -> None:
        seen = self._listed(wanted) if len(wanted) > FEW else set()
        for number in wanted:
            if number not in seen:
                self.read(number)

    def _listed(self, wanted: list[int]) -> set[int]:
        """Read the list of all, newest first, within a bound as far down as the oldest that is wanted; say which."""
        seen: set[int] = set()
        for page in range(1, _MOST_LISTED + 1):
            answer = self._repository.get(
                "/issues", per_page=100, page=page, state="all", sort="created", direction="desc"
            )
            if answer.status != 200 or not isinstance(answer.body, list):
                raise UnfitAnswerError("the list of issues", answer)
            rows = [row for row in answer.body if isinstance(row, dict)]
            self._keep(rows, only=frozenset(wanted))
            seen |= {int(row["number"]) for row in rows}
            if not rows or min(seen) <= wanted[0]:
                break
        return seen

    def _keep(self, rows: list[dict[str, Any]], only: frozenset[int]) -> None:
        known = self._repository.known
        known.issues.update(self._taken([row for row in rows if row.get("number") in only]))
        newest = max((str(row.get("updated_at") or "") for row in rows), default="")
        if newest:
            known.since = max(known.since, _whole_seconds(after(newest, -LAG_S)))

    def _taken(self, rows: list[dict[str, Any]]) -> dict[int, Issue]:
        issues = [row for row in rows if "pull_request" not in row]
        return {int(row["number"]): issue_of(row, self._blockers(row)) for row in issues}

    def _blockers(self, row: dict[str, Any]) -> tuple[int, ...]:
        """Read GitHub's own dependencies of an issue that has some; an older server does not tell of them at all.

        Those in other repositories are not ours to wait for.
        """
        summary = row.get("issue_dependencies_summary")
        if not isinstance(summary, dict) or not summary.get("total_blocked_by"):
            return ()
        rows = self._repository.pages(f"/issues/{row['number']}/dependencies/blocked_by")
        here = self._repository.identity.full_name.lower()
        ours = [found for found in rows if _repository_of(found).lower() in ("", here)]
        return tuple(int(found["number"]) for found in ours)

    def _one(self, number: int, answer: Answer) -> Issue | None:
        known = self._repository.known.issues.get(number)
        if answer.status in GONE or "x-moved-to" in answer.headers:
            gone = "transferred" if "x-moved-to" in answer.headers else "deleted"
            if known is None and answer.status == 404:
                return None
            before = known or Issue(number=number, title="")
            return replace(before, is_open=False, as_not_planned=True, gone=gone)
        if not answer.ok or not isinstance(answer.body, dict):
            raise UnfitAnswerError(f"issue {number}", answer)
        if "pull_request" in answer.body:
            return None
        return issue_of(answer.body, self._blockers(answer.body))


def _repository_of(row: dict[str, Any]) -> str:
    """Name the repository that an issue says it is in; empty where it does not say."""
    return "/".join(str(row.get("repository_url") or "").split("/")[-2:])


def _whole_seconds(instant: Instant) -> str:
    """Write an instant as GitHub takes it."""
    return f"{instant[:19]}Z"
