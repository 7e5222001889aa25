"""What people do with issues, labels, GitHub milestones and comments."""

from typing import TYPE_CHECKING, Any

from tests.github.fake import acts_issues
from tests.github.fake.git_place import GitPlace
from tests.github.fake.model import Comment, Issue, Repository

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub


class Standing:
    """Where verbs act: a repository by its number."""

    def __init__(self, hub: "Hub", number: int) -> None:
        self.hub, self.id = hub, number

    @property
    def model(self) -> Repository:
        return self.hub.world.repositories[self.id]

    def _user(self, login: str) -> int:
        return self.hub.user(login).id

    @property
    def full_name(self) -> str:
        return self.hub.world.full_name(self.model)

    @property
    def git(self) -> GitPlace:
        """The bare repository: `repo.git.git("log", …)`, `repo.git.branch("main")`."""
        return self.hub.git(self.model)

    @property
    def clone_url(self) -> str:
        return f"{self.hub.web_url}/{self.full_name}.git"


class IssueVerbs(Standing):
    """Issues and comments."""

    def issue(self, number: int | None = None, by: str = "ada", **fields: Any) -> Issue:  # many-parameters: fields
        """Open an issue (under that number), or change it; fields: title, body, labels, milestone, assignees."""
        with self.hub.lock:
            place = self.model
            found = place.issues.get(number) if number is not None else None
            if found is None:
                at = number if number is not None else acts_issues.next_number(place)
                title = fields.pop("title", f"Issue {at}")
                found = acts_issues.enter(self.hub, place, at, self._user(by), title, fields.pop("body", ""))
            self._change(found, fields)
            return found

    def _change(self, issue: Issue, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            if name == "labels":
                acts_issues.set_labels(self.hub, self.model, issue, list(value), None)
            elif name == "milestone":
                number = None if value is None else self.milestone(value)
                acts_issues.set_milestone(self.hub, self.model, issue, number, None)
            elif name == "assignees":
                acts_issues.assign(self.hub, self.model, issue, [self.hub.user(login).login for login in value])
            elif name in {"title", "body"}:
                acts_issues.edit(self.hub, self.model, issue, {name: value}, None)
            else:
                setattr(issue, name, value)
                acts_issues.touch(self.hub, issue)

    def label(self, number: int, *names: str, by: str = "ada") -> None:
        """Put labels on an issue or pull request."""
        with self.hub.lock:
            acts_issues.add_labels(self.hub, self.model, self.model.issues[number], list(names), self._user(by))

    def unlabel(self, number: int, name: str, by: str = "ada") -> None:
        with self.hub.lock:
            acts_issues.remove_label(self.hub, self.model, self.model.issues[number], name, self._user(by))

    def close(self, number: int, reason: str = "completed", by: str = "ada") -> None:
        """Close an issue, or a pull request without merging it."""
        with self.hub.lock:
            issue = self.model.issues[number]
            acts_issues.close(self.hub, self.model, issue, self._user(by), reason)
            if issue.pull:
                issue.pull.auto_merge = issue.pull.entry = None

    def reopen(self, number: int, by: str = "ada") -> None:
        with self.hub.lock:
            acts_issues.reopen(self.hub, self.model, self.model.issues[number], self._user(by))

    def lock(self, number: int) -> None:
        self.model.issues[number].is_locked = True

    def delete_issue(self, number: int) -> None:
        """Delete it: it answers 410 from now on."""
        with self.hub.lock:
            self.hub.hooks.issue(self.model, self.model.issues[number], "deleted", None)
            self.model.issues[number].is_deleted = True

    def transfer_issue(self, number: int, to: "IssueVerbs") -> Issue:
        """Move it to another repository: here it answers 301 from now on."""
        with self.hub.lock:
            old = self.model.issues[number]
            new = to.issue(title=old.title, body=old.body)
            old.moved_to = (to.id, new.number)
            return new

    def block(self, number: int, *, by: int, within: "Standing | None" = None) -> None:
        """Let an issue be blocked by another one, natively."""
        with self.hub.lock:
            self.model.issues[number].blocked_by.append(((within or self).id, by))
            acts_issues.touch(self.hub, self.model.issues[number])

    def part(self, number: int, *, of: int) -> None:
        """Make an issue a sub-issue of another one."""
        with self.hub.lock:
            self.model.issues[of].sub_issues.append((self.id, number))
            self.model.issues[number].parent = (self.id, of)

    def milestone(self, title: str) -> int:
        """Find a GitHub milestone by its title, or make it; give its number."""
        with self.hub.lock:
            for found in self.model.milestones.values():
                if found.title == title:
                    return found.number
            return acts_issues.new_milestone(self.hub, self.model, title, self._user("ada")).number

    def comment(self, number: int, body: str, by: str = "ada") -> Comment:
        with self.hub.lock:
            return acts_issues.comment(self.hub, self.model, self.model.issues[number], body, self._user(by))

    def edit_comment(self, comment_id: int, body: str, by: str = "ada") -> None:
        with self.hub.lock:
            found = self.model.comments[comment_id]
            acts_issues.edit_comment(self.hub, self.model, found, body, self._user(by))

    def delete_comment(self, comment_id: int, by: str = "ada") -> None:
        with self.hub.lock:
            acts_issues.delete_comment(self.hub, self.model, self.model.comments[comment_id], self._user(by))

    def comments(self, number: int) -> list[Comment]:
        return [found for found in self.model.comments.values() if found.number == number]
