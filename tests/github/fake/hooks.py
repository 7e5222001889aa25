"""Events and their deliveries, and the hook in the bare repository that refuses pushes."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.github.fake.model import Comment, GitHubMilestone, Issue, Repository
from tests.github.fake.model_apps import App, Delivery, Installation

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

Listener = Callable[[dict[str, str], bytes], int]
"""Takes headers and body, and answers a status code; 0 for no answer at all."""

UPDATE_HOOK = r"""#!/bin/sh
# Refuses what GitHub refuses; the server says in the environment what applies to this pusher.
ref=$1 old=$2 new=$3
zero=0000000000000000000000000000000000000000
refuse() { echo "error: GH006: Protected branch update failed for $ref." >&2; echo "error: $1" >&2; exit 1; }
case $ref in refs/pull/*) echo "error: deny updating a hidden ref" >&2; exit 1;; esac
for protected in $FAKE_NO_PUSH; do
    [ "$ref" = "refs/heads/$protected" ] && refuse "Changes must be made through a pull request."
done
for protected in $FAKE_NO_FORCE; do
    [ "$ref" = "refs/heads/$protected" ] || continue
    [ "$new" = $zero ] && refuse "Cannot delete this branch"
    [ "$old" = $zero ] || git merge-base --is-ancestor "$old" "$new" || refuse "Cannot force-push to this branch"
done
for queued in $FAKE_QUEUED; do
    [ "$ref" = "refs/heads/$queued" ] && refuse "This branch is in the merge queue."
done
if [ -n "$FAKE_NO_WORKFLOWS" ] && [ "$new" != $zero ]; then
    changed=$(git log --format= --name-only "$new" --not --all -- .github/workflows | head -n 1)
    if [ -n "$changed" ]; then
        echo "refusing to allow a GitHub App to create or update workflow" >&2
        echo "\`$changed\` without \`workflows\` permission" >&2
        exit 1
    fi
fi
exit 0
"""


def install_hook(folder: Path) -> None:
    hook = folder / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(UPDATE_HOOK)
    hook.chmod(0o755)


def signature(secret: str, body: bytes) -> str:
    """Sign a body as `X-Hub-Signature-256` does."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Hooks:
    """Makes deliveries of events to each App that is installed where they happened."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self.listener: Listener | None = None
        """Who is told; None records deliveries as failed, as for a service that is down."""
        self._guid_count = 0

    def issue(self, repository: Repository, issue: Issue, action: str, user_id: int | None, **more: Any) -> None:
        if issue.pull is not None:
            self.pull(repository, issue, action, user_id, **more)
            return
        shown = self._hub.shapes().issue(repository, issue) if self.is_heard(repository) else {}
        self.tell("issues", action, repository, user_id, {"issue": shown, **more})

    def pull(self, repository: Repository, issue: Issue, action: str, user_id: int | None, **more: Any) -> None:
        from tests.github.fake.shapes_pulls import in_event

        shown = in_event(self._hub, self._hub.shapes(), repository, issue) if self.is_heard(repository) else {}
        self.tell("pull_request", action, repository, user_id, {"number": issue.number, "pull_request": shown, **more})

    def comment(  # many-parameters: what a payload holds
        self,
        repository: Repository,
        issue: Issue,
        found: Comment,
        action: str,
        user_id: int | None,
        **more: Any,
    ) -> None:
        if self.is_heard(repository):
            shapes = self._hub.shapes()
            about = shapes.issue(repository, issue)
            about = {**about, "user": about["user"] or shapes.user(self._hub.ghost)}  # deliveries name the ghost
            shown = {**more, "issue": about, "comment": shapes.comment(repository, found)}
            self.tell("issue_comment", action, repository, user_id, shown)

    def milestone(self, repository: Repository, found: GitHubMilestone, action: str, user_id: int | None) -> None:
        if self.is_heard(repository):
            self.tell(
                "milestone", action, repository, user_id, {"milestone": self._hub.shapes().milestone(repository, found)}
            )

    def is_heard(self, repository: Repository) -> bool:
        return any(repository.id in found.repositories for found in self._hub.world.installations.values())

    def tell(
        self, event: str, action: str | None, repository: Repository, user_id: int | None, more: dict[str, Any]
    ) -> None:  # many-parameters: what a payload holds
        """Deliver an event to every App that asked for it."""
        world, shapes = self._hub.world, self._hub.shapes() if self.is_heard(repository) else None
        for installation in world.installations.values():
            app = world.apps[installation.app_id]
            if shapes is None or repository.id not in installation.repositories or event not in app.events:
                continue
            payload = {
                **({} if action is None else {"action": action}),
                **more,
                "repository": shapes.repository(repository),
                "sender": shapes.maybe_user(user_id) or shapes.user(self._hub.ghost),
                "installation": {"id": installation.id, "node_id": f"MDIz_{installation.id}"},
            }
            self._guid_count += 1
            guid = str(uuid.UUID(int=self._guid_count))
            self._record(
                app, installation, Delivery(0, guid, event, action, 0, 0, payload, installation.id, repository.id)
            )

    def again(self, delivery: Delivery) -> None:
        """Deliver once more what was delivered: the same guid, another id."""
        installation = self._hub.world.installations[delivery.installation_id or 0]
        again = Delivery(**{**vars(delivery), "is_redelivery": True})
        self._record(self._hub.world.apps[installation.app_id], installation, again)

    def _record(self, app: App, installation: Installation, delivery: Delivery) -> None:
        if self._hub.description is not None:
            self._hub.description.check_event(delivery.event, delivery.action, delivery.payload)
        delivery.id, delivery.at = self._hub.world.fresh_id(), self._hub.now_s()
        body = json.dumps(delivery.payload).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/fake",
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Hook-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-Hub-Signature-256": signature(app.webhook_secret, body),
        }
        delivery.status_code = self.listener(headers, body) if self.listener else 0
        self._hub.world.deliveries.append(delivery)
