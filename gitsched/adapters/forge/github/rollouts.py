"""Deployments: the newest one to an environment that holds a commit, and what GitHub says of it."""

from collections.abc import Callable
from typing import Any, Final

from gitsched.adapters.forge.github.answers import UnfitAnswerError
from gitsched.adapters.forge.github.repository import Repository
from gitsched.codec.plain import one_line
from gitsched.domain.forge import Rollout

_LISTED: Final = 30
"""So many deployments are looked through, newest first."""
LONGEST: Final = 200
"""Of what a deployment says of itself; whoever deploys may write anything."""
_SUCCESS, _INACTIVE = "success", "inactive"


class GitHubRollouts:
    """The deployments of one repository."""

    def __init__(self, repository: Repository) -> None:
        """Stand on a repository."""
        self._repository = repository

    def newest(self, environment: str, holds: Callable[[str], bool]) -> Rollout | None:
        """Find it, and say how it stands."""
        rows = self._read("/deployments", environment=environment, per_page=_LISTED)
        found = next((row for row in rows if holds(str(row.get("sha")))), None)
        return None if found is None else self._standing(int(found["id"]))

    def _standing(self, deployment: int) -> Rollout:
        """Read its newest status. One that a newer deployment has made inactive stands as it stood before."""
        statuses = self._read(f"/deployments/{deployment}/statuses", per_page=_LISTED)
        if not statuses:
            return Rollout(word="pending", detail=f"deployment {deployment}")
        words = [str(row.get("state")) for row in statuses]
        word = _SUCCESS if words[0] == _INACTIVE and _SUCCESS in words else words[0]
        said = one_line(str(statuses[0].get("description") or words[0]), LONGEST)
        return Rollout(word=word, detail=f"deployment {deployment}: {said}")

    def _read(self, path: str, **query: Any) -> list[dict[str, Any]]:
        answer = self._repository.get(path, **query)
        if not answer.ok or not isinstance(answer.body, list):
            raise UnfitAnswerError(path.strip("/"), answer)
        return answer.body
