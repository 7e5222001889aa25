"""A repository as tests hold it: what people and other services do in it."""

from tests.github.fake import events
from tests.github.fake.verbs_evidence import EvidenceVerbs
from tests.github.fake.verbs_issues import IssueVerbs
from tests.github.fake.verbs_pulls import PullVerbs


class RepositoryVerbs(IssueVerbs, PullVerbs, EvidenceVerbs):
    """A repository on the hub; people are named by login and join when they are first named."""

    def role(self, login: str, role: str) -> None:
        """Give a person a role here: read, triage, write, maintain, admin, or a custom one."""
        self.model.roles[self._user(login)] = role

    def rename(self, name: str) -> None:
        """Rename the repository: the old name answers 301 from now on."""
        with self.hub.lock:
            self.hub.world.old_names[self.full_name.lower()] = self.id
            changes = {"repository": {"name": {"from": self.model.name}}}
            self.model.name = name
            events.moved(self.hub, self.model, "renamed", changes)

    def transfer(self, owner: str) -> None:
        """Give the repository to another owner: the old name answers 301 from now on."""
        with self.hub.lock:
            self.hub.world.old_names[self.full_name.lower()] = self.id
            before = self.hub.world.users[self.model.owner_id]
            self.model.owner_id = self.hub.user(owner, "Organization").id
            changes = {"owner": {"from": {"organization": self.hub.shapes().organization(before)}}}
            events.moved(self.hub, self.model, "transferred", changes)

    def delete(self) -> None:
        """Delete the repository; pull requests from it keep their number and lose their head repository."""
        with self.hub.lock:
            for place in self.hub.world.repositories.values():
                for issue in place.issues.values():
                    if issue.pull and issue.pull.head_repository == self.id:
                        issue.pull.head_repository = issue.pull.head_owner = None
            del self.hub.world.repositories[self.id]

    def fork(self, owner: str) -> "RepositoryVerbs":
        """Make somebody's fork, with all branches."""
        with self.hub.lock:
            fork = self.hub.repository(f"{owner}/{self.model.name}", parent=self.id)
            fork.git.git("fetch", "-q", str(self.model.path), "+refs/heads/*:refs/heads/*", "--update-head-ok")
            return fork
