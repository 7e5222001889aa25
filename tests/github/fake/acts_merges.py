"""Merges by real git, GitHub's merge queue, and what a push does to open pull requests."""

import re
from typing import TYPE_CHECKING

from tests.github.fake import acts_issues, events
from tests.github.fake.acts_pulls import blockers, fetch, open_pulls, pull_of
from tests.github.fake.calls import AnsweredError
from tests.github.fake.clock import stamp
from tests.github.fake.model import AutoMerge, Issue, QueueEntry, Repository

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

METHODS = {"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}
REFUSALS = {
    "merge": "Merge commits are not allowed on this repository.",
    "squash": "Squash merges are not allowed on this repository.",
    "rebase": "Rebase merges are not allowed on this repository.",
}
QUOTED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<!--.*?-->|`[^`\n]*`", re.DOTALL)


def settle(hub: "Hub", repository: Repository) -> None:
    """See what was pushed since, and merge what waits for nothing more."""
    for issue in open_pulls(repository):
        _look_at_head(hub, repository, issue)
    for issue in open_pulls(repository):
        pull = issue.pull
        if pull and pull.auto_merge and pull.entry is None and not blockers(hub, repository, issue):
            _auto_merge(hub, repository, issue, pull.auto_merge)


def _auto_merge(hub: "Hub", repository: Repository, issue: Issue, asked: AutoMerge) -> None:
    protection = repository.protection(pull_of(issue).base)
    if protection and protection.queue:
        enqueue(hub, repository, issue, asked.user_id)
    else:
        merge(hub, repository, issue, asked.user_id, asked.method)


def _look_at_head(hub: "Hub", repository: Repository, issue: Issue) -> None:
    pull = pull_of(issue)
    from_place = hub.world.repositories.get(pull.head_repository or 0)
    head = hub.git(from_place).branch(pull.source) if from_place else None
    place = hub.git(repository)
    base = place.branch(pull.base)
    if head is not None and head != pull.head and from_place:
        fetch(hub, repository, issue.number, from_place, pull.source)
        _moved(hub, repository, issue, head)
    if base is not None and base != pull.base_sha:
        pull.base_sha, pull.looks_until_mergeable = base, hub.looks_until_mergeable
        if place.holds(base, pull.head):
            _mark_merged(hub, repository, issue, None, pull.head)
            return
    if head is None:
        acts_issues.close(hub, repository, issue, None)


def _moved(hub: "Hub", repository: Repository, issue: Issue, head: str) -> None:
    """Take a pushed head: approvals go stale by the rules, and a force push moves what they name."""
    pull = pull_of(issue)
    protection = repository.protection(pull.base)
    forced = not hub.git(repository).holds(head, pull.head)
    for review in pull.reviews:
        if protection and protection.dismiss_stale and review.state == "APPROVED":
            review.state = "DISMISSED"
        if forced:
            review.commit = head
    before = pull.head
    pull.head, pull.looks_until_mergeable, pull.entry = head, hub.looks_until_mergeable, None
    acts_issues.touch(hub, issue)
    hub.hooks.pull(repository, issue, "synchronize", None, before=before, after=head)


def merge_by_call(
    hub: "Hub", repository: Repository, issue: Issue, user_id: int, method: str, expected: str | None
) -> str:  # many-parameters: GitHub's own
    """Merge as `PUT …/merge` does: refused where rules stand against it."""
    pull = pull_of(issue)
    protection = repository.protection(pull.base)
    if issue.closed_at is not None:
        raise AnsweredError(405, "Pull Request is not mergeable")
    if expected is not None and expected != pull.head:
        raise AnsweredError(409, "Head branch was modified. Review and try the merge again.")
    if not getattr(repository, METHODS[method]) or (protection and method not in protection.methods):
        raise AnsweredError(405, REFUSALS[method])
    if protection and protection.queue:
        raise AnsweredError(405, "Changes must be made through the merge queue")
    told = blockers(hub, repository, issue)
    if told:
        raise AnsweredError(405, told[0])
    return merge(hub, repository, issue, user_id, method)


def merge(hub: "Hub", repository: Repository, issue: Issue, user_id: int | None, method: str) -> str:
    """Merge it by real git, move the base, and close what closing words name."""
    pull, place = pull_of(issue), hub.git(repository)
    base = place.branch(pull.base)
    assert base is not None
    date = stamp(hub.clock.tick())
    owner = hub.world.users.get(pull.head_owner or 0, hub.ghost).login
    if method == "merge":
        message = f"Merge pull request #{issue.number} from {owner}/{pull.source}\n\n{issue.title}\n"
        made = place.merge(base, pull.head, message, date)
    elif method == "squash":
        subjects = "\n\n".join(f"* {place.commit(sha).message}" for sha in place.between(base, pull.head))
        made = place.squash(base, pull.head, f"{issue.title} (#{issue.number})\n\n{subjects}\n", date)
    else:
        made = place.rebase(base, pull.head, date)
    if made is None:
        raise AnsweredError(405, "Pull Request is not mergeable")
    place.move(f"refs/heads/{pull.base}", made, base)
    events.pushed(hub, repository, {f"refs/heads/{pull.base}": (base, made)}, user_id)
    pull.base_sha = base
    _mark_merged(hub, repository, issue, user_id, made)
    return made


def _mark_merged(hub: "Hub", repository: Repository, issue: Issue, user_id: int | None, commit: str) -> None:
    pull = pull_of(issue)
    acts_issues.touch(hub, issue)
    pull.merged_at, pull.merged_by, pull.merge_commit = issue.updated_at, user_id, commit
    pull.auto_merge = pull.entry = None
    issue.closed_at, issue.closed_by = issue.updated_at, user_id
    hub.hooks.pull(repository, issue, "closed", user_id)
    if pull.base == repository.default_branch:
        _close_named(hub, repository, issue, user_id, commit)
    if repository.delete_branch_on_merge and pull.head_repository == repository.id:
        hub.git(repository).forget(f"refs/heads/{pull.source}")


def _close_named(hub: "Hub", repository: Repository, issue: Issue, user_id: int | None, commit: str) -> None:
    """Close what the body and the commits name with a closing word; quoted text closes nothing."""
    place, pull = hub.git(repository), pull_of(issue)
    messages = [place.commit(sha).message for sha in {*place.between(pull.base_sha, commit), pull.head}]
    for text in [QUOTED.sub(" ", issue.body or ""), *messages]:
        for number in map(int, acts_issues.CLOSING.findall(text)):
            named = repository.issues.get(number)
            if named and named.pull is None:
                acts_issues.close(hub, repository, named, user_id)


def enqueue(hub: "Hub", repository: Repository, issue: Issue, user_id: int) -> QueueEntry:
    """Put it into GitHub's merge queue."""
    pull = pull_of(issue)
    pull.entry = QueueEntry(hub.world.fresh_id(), user_id, pull.head, hub.clock.tick(), "AWAITING_CHECKS")
    pull.auto_merge = None
    hub.hooks.pull(repository, issue, "enqueued", user_id)
    return pull.entry


def dequeue(hub: "Hub", repository: Repository, issue: Issue, user_id: int | None, reason: str) -> None:
    pull_of(issue).entry = None
    acts_issues.touch(hub, issue)
    hub.hooks.pull(repository, issue, "dequeued", user_id, reason=reason)
