"""What people do with branches and pull requests."""

from typing import Any

from tests.github.fake import acts_issues, acts_merges, acts_pulls, events
from tests.github.fake.git_place import by_person
from tests.github.fake.model import Issue, Protection, Pull, Review
from tests.github.fake.verbs_issues import Standing


class PullVerbs(Standing):
    """Branches and pull requests."""

    def tip(self, branch: str = "main") -> str | None:
        return self.git.branch(branch)

    def commit(
        self, branch: str, files: dict[str, str | None], message: str = "Change\n", by: str = "ada"
    ) -> str:  # many-parameters: a commit
        """Commit files onto a branch, made from the default branch if it is new, as a person's push would."""
        with self.hub.lock:
            parent = self.git.branch(branch) or self.git.branch(self.model.default_branch)
            made = self.git.write(parent, files, message, by_person(by, self._date()))
            before = self.git.branch(branch) or events.ABSENT
            self.git.move(f"refs/heads/{branch}", made)
            events.pushed(self.hub, self.model, {f"refs/heads/{branch}": (before, made)}, self._user(by))
            acts_merges.settle(self.hub, self.model)
            return made

    def _date(self) -> str:
        self.hub.clock.tick()
        return self.hub.now()

    def delete_branch(self, branch: str) -> None:
        with self.hub.lock:
            self.git.forget(f"refs/heads/{branch}")
            acts_merges.settle(self.hub, self.model)

    def protect(self, branch: str = "main", **rules: Any) -> Protection:
        """Set what a branch asks for; the rules are the fields of `Protection`."""
        self.model.protections[branch] = Protection(**rules)
        return self.model.protections[branch]

    def pull(self, source: str, base: str = "main", by: str = "ada", **fields: Any) -> Issue:  # many-parameters: fields
        """Open a pull request; fields: title, body, is_draft."""
        with self.hub.lock:
            wanted = acts_pulls.Wanted(
                title=fields.get("title", f"Merge {source}"),
                body=fields.get("body", ""),
                source=source,
                base=base,
                head_repository=fields["fork"].id if "fork" in fields else self.id,
                is_draft=fields.get("is_draft", False),
            )
            return acts_pulls.open_pull(self.hub, self.model, wanted, self._user(by))

    def _pull(self, number: int) -> tuple[Issue, Pull]:
        issue = self.model.issues[number]
        assert issue.pull is not None, f"#{number} is no pull request"
        return issue, issue.pull

    def pulls(self) -> list[Issue]:
        """Return all pull requests, open or not, by number."""
        return [issue for issue in self.model.issues.values() if issue.pull]

    def merge_by_person(self, number: int, method: str = "merge", by: str = "ada") -> str:
        """Merge a pull request by the forge's own button, whatever the rules say; give the commit on the base."""
        with self.hub.lock:
            acts_merges.settle(self.hub, self.model)
            return acts_merges.merge(self.hub, self.model, self._pull(number)[0], self._user(by), method)

    def review(
        self, number: int, by: str = "bob", state: str = "APPROVED", body: str = ""
    ) -> Review:  # many-parameters: a review
        with self.hub.lock:
            issue, pull = self._pull(number)
            acts_issues.touch(self.hub, issue)
            made = Review(self.hub.world.fresh_id(), self._user(by), state, body, pull.head, issue.updated_at)
            pull.reviews.append(made)
            events.reviewed(self.hub, self.model, issue, made)
            acts_merges.settle(self.hub, self.model)
            return made

    def stop_auto_merge(self, number: int) -> None:
        """Take the auto-merge request away, as a person's button or a push does."""
        self._pull(number)[1].auto_merge = None

    def merge_queue(self, number: int) -> str:
        """Let GitHub's merge queue merge an entry."""
        with self.hub.lock:
            issue, pull = self._pull(number)
            assert pull.entry is not None, f"#{number} is not in the queue"
            return acts_merges.merge(self.hub, self.model, issue, pull.entry.user_id, "merge")

    def drop_from_queue(self, number: int, reason: str = "CI_FAILURE") -> None:
        """Let GitHub's merge queue remove an entry."""
        with self.hub.lock:
            acts_merges.dequeue(self.hub, self.model, self._pull(number)[0], None, reason)
