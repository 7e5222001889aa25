"""What happens to pull requests: heads that move, what stands against a merge, merges by real git."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.github.fake import acts_issues
from tests.github.fake.calls import AnsweredError, invalid
from tests.github.fake.model import Issue, Pull, Repository

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

PASSING = frozenset({"success", "neutral", "skipped"})


@dataclass(frozen=True)
class Wanted:
    """A pull request that is to be opened."""

    title: str
    body: str | None
    source: str
    base: str
    head_repository: int
    is_draft: bool = False


def open_pull(hub: "Hub", repository: Repository, wanted: Wanted, user_id: int) -> Issue:
    """Open it, or say why not in GitHub's words."""
    acts_issues.check_title(wanted.title, "PullRequest")
    acts_issues.check_body(wanted.body, "PullRequest")
    from_place = hub.world.repositories[wanted.head_repository]
    head, base = hub.git(from_place).branch(wanted.source), hub.git(repository).branch(wanted.base)
    for field, found in (("head", head), ("base", base)):
        if found is None:
            raise invalid("PullRequest", field)
    assert head is not None
    assert base is not None
    if wanted.is_draft and not repository.has_drafts:
        raise AnsweredError(422, "Draft pull requests are not supported in this repository.", errors=[])
    _refuse_another(hub, repository, wanted)
    number = acts_issues.next_number(repository)
    fetch(hub, repository, number, from_place, wanted.source)
    if not hub.git(repository).between(base, head):
        message = f"No commits between {wanted.base} and {wanted.source}"
        raise AnsweredError(422, "Validation Failed", errors=[_told(message)])
    issue = Issue(hub.world.fresh_id(), number, wanted.title, wanted.body, user_id, hub.clock.tick(), hub.now_s())
    issue.pull = Pull(wanted.base, wanted.source, head, from_place.id, from_place.owner_id, base, wanted.is_draft)
    issue.pull.looks_until_mergeable = hub.looks_until_mergeable
    repository.issues[number] = issue
    hub.hooks.pull(repository, issue, "opened", user_id)
    return issue


def _told(message: str) -> dict[str, str]:
    return {"resource": "PullRequest", "code": "custom", "message": message}


def _refuse_another(hub: "Hub", repository: Repository, wanted: Wanted) -> None:
    for issue in open_pulls(repository):
        pull = issue.pull
        same = pull and (pull.source, pull.base, pull.head_repository) == (
            wanted.source,
            wanted.base,
            wanted.head_repository,
        )
        if same:
            owner = hub.world.users[hub.world.repositories[wanted.head_repository].owner_id].login
            message = f"A pull request already exists for {owner}:{wanted.source}."
            raise AnsweredError(422, "Validation Failed", errors=[_told(message)])


def fetch(hub: "Hub", repository: Repository, number: int, from_place: Repository, source: str) -> None:
    """Keep the head under `refs/pull/N/head`, as GitHub does, wherever it comes from."""
    place = hub.git(repository)
    place.git("fetch", "-q", str(from_place.path), f"+refs/heads/{source}:refs/pull/{number}/head")


def open_pulls(repository: Repository) -> list[Issue]:
    return [issue for issue in repository.issues.values() if issue.pull and issue.closed_at is None]


def pull_of(issue: Issue) -> Pull:
    assert issue.pull is not None
    return issue.pull


def look(hub: "Hub", repository: Repository, issue: Issue) -> bool | None:
    """Tell whether it merges, None while GitHub has not computed it; each look brings that nearer."""
    pull = pull_of(issue)
    if issue.closed_at is not None:
        return None
    if pull.looks_until_mergeable > 0:
        pull.looks_until_mergeable -= 1
        return None
    return merges(hub, repository, issue)


def merges(hub: "Hub", repository: Repository, issue: Issue) -> bool:
    pull = pull_of(issue)
    base = hub.git(repository).branch(pull.base)
    return base is not None and hub.git(repository).merged_tree(base, pull.head) is not None


def blockers(hub: "Hub", repository: Repository, issue: Issue) -> list[str]:
    """Say what stands against a merge, in GitHub's words; empty for nothing."""
    pull = pull_of(issue)
    protection = repository.protection(pull.base)
    told = ["Pull Request is still a draft"] if pull.is_draft else []
    if not merges(hub, repository, issue):
        told.append("Pull Request is not mergeable")
    if protection is None:
        return told
    told += [
        f'Required status check "{name}" is {word}.' for name, word in _unmet(repository, pull, protection.contexts)
    ]
    if protection.strict and is_behind(hub, repository, pull):
        told.append("Head branch is out of date.")
    if approvals(repository, issue) < protection.approvals:
        told.append(f"At least {protection.approvals} approving review is required by reviewers with write access.")
    return told


def is_behind(hub: "Hub", repository: Repository, pull: Pull) -> bool:
    base = hub.git(repository).branch(pull.base)
    return base is not None and not hub.git(repository).holds(pull.head, base)


def approvals(repository: Repository, issue: Issue) -> int:
    """Count people whose last word is an approval; the author's own does not count."""
    last = {
        review.user_id: review.state
        for review in pull_of(issue).reviews
        if review.state in {"APPROVED", "CHANGES_REQUESTED", "DISMISSED"}
    }
    if "CHANGES_REQUESTED" in last.values():
        return -1
    return sum(1 for user_id, state in last.items() if state == "APPROVED" and user_id != issue.user_id)


def _unmet(repository: Repository, pull: Pull, contexts: tuple[str, ...]) -> list[tuple[str, str]]:
    found = []
    for name in contexts:
        runs = [check for check in repository.checks if check.head == pull.head and check.name == name]
        posts = [status for status in repository.statuses if status.sha == pull.head and status.context == name]
        # A check and a status of one name are both required.
        words = ([runs[-1].conclusion or "pending"] if runs else []) + ([posts[-1].state] if posts else [])
        if not words:
            found.append((name, "expected"))
        elif not set(words) <= PASSING:
            found.append((name, "pending" if "pending" in words else "failing"))
    return found


def is_unstable(repository: Repository, pull: Pull) -> bool:
    """Tell whether anything on the head is not green."""
    runs = {check.name: check.conclusion or "pending" for check in repository.checks if check.head == pull.head}
    posts = {status.context: status.state for status in repository.statuses if status.sha == pull.head}
    return not {*runs.values(), *posts.values()} <= PASSING
