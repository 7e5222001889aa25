"""Rules: what a branch demands and offers, from its rulesets and the repository's settings; asked seldom."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from gitsched.adapters.forge.github.answers import DeniedError, UnfitAnswerError
from gitsched.adapters.forge.github.repository import Repository
from gitsched.domain.forge import ShipRules
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.merging import Mechanism

KEPT_S = 600.0
_AGAINST_PUSHES = frozenset(
    {
        *("creation", "update", "deletion", "non_fast_forward", "pull_request", "merge_queue"),
        *("required_status_checks", "required_signatures", "workflows", "code_scanning"),
    }
)
_QUEUE_METHODS = {"MERGE": "merge", "SQUASH": "squash", "REBASE": "rebase"}


class Rules:
    """The rules of one repository's branches, kept for ten minutes."""

    def __init__(self, repository: Repository, now: Callable[[], Instant]) -> None:
        """Stand on a repository."""
        self._repository = repository
        self._now = now
        self._kept: dict[str, tuple[Instant, list[dict[str, Any]]]] = {}

    def required(self, target: str) -> tuple[str, ...]:
        """Name the checks that a branch demands."""
        found = [
            str(check.get("context"))
            for rule in self._of(target)
            if rule.get("type") == "required_status_checks"
            for check in (rule.get("parameters") or {}).get("required_status_checks") or ()
        ]
        return tuple(dict.fromkeys(found))

    def against_pushes(self, branch: str) -> tuple[str, ...]:
        """Name the kinds of rules that can keep us from making, moving or deleting a branch; it need not exist."""
        found = {str(rule.get("type")) for rule in self._of(branch)}
        return tuple(sorted(found & _AGAINST_PUSHES))

    def ship(self, target: str, *, labels: frozenset[str] | None) -> ShipRules:
        """Tell everything that matters before a pull request is opened, read afresh."""
        self._kept.pop(target, None)
        identity = self._repository.reopen()
        types = {str(rule.get("type")): rule.get("parameters") or {} for rule in self._of(target)}
        allowed = types.get("pull_request", {}).get("allowed_merge_methods") or identity.methods
        queue = types.get("merge_queue")
        mechanisms = {Mechanism.DIRECT if queue is None else Mechanism.QUEUE}
        methods = frozenset(identity.methods) & frozenset(allowed)
        if "required_linear_history" in types:
            methods -= {"merge"}
        return ShipRules(
            methods=methods,
            mechanisms=frozenset(mechanisms | ({Mechanism.AUTO} if identity.has_auto_merge else set())),
            queue_method=None if queue is None else _QUEUE_METHODS.get(str(queue.get("merge_method"))),
            labels=labels,
            required=self.required(target),
            wants_signatures="required_signatures" in types,
            has_drafts=True,
            closes_issues=target == identity.default_branch,
        )

    def _of(self, target: str) -> list[dict[str, Any]]:
        kept, now = self._kept.get(target), self._now()
        if kept is not None and seconds_between(kept[0], now) < KEPT_S:
            return kept[1]
        try:
            rows = self._repository.pages(f"/rules/branches/{quote(target, safe='')}")
            rows += self._classic(target)
        except (DeniedError, UnfitAnswerError):
            # Rules are not on every plan and server: what cannot be read is found out by GitHub's own refusals.
            rows = []
        self._kept[target] = (now, rows)
        return rows

    def _classic(self, target: str) -> list[dict[str, Any]]:
        """Read what a branch protection of the older kind tells to everybody: the names of its required checks."""
        answer = self._repository.get(f"/branches/{quote(target, safe='')}")
        protection = answer.body.get("protection") if answer.ok and isinstance(answer.body, dict) else None
        checks = (protection or {}).get("required_status_checks") or {}
        contexts = [{"context": name} for name in checks.get("contexts") or ()]
        if not contexts:
            return []
        return [{"type": "required_status_checks", "parameters": {"required_status_checks": contexts}}]
