"""Rollouts: what the forge knows of deployments, for those who let others deploy."""

from collections.abc import Callable
from typing import Protocol

from gitsched.domain.forge import Rollout
from gitsched.domain.outcomes import Unreachable


class Rollouts(Protocol):
    """Reads how deployments stand; Unreachable is an answer."""

    def rollout(self, environment: str, commit: str, holds: Callable[[str], bool]) -> Rollout | Unreachable | None:
        """Tell how the newest deployment to an environment that holds a commit stands; None: there is none.

        `holds` says of a deployed commit whether it does.
        """
