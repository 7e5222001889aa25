"""Rollouts: look at what the forge knows of the deployment of each batch that has merged, where that is asked for."""

from collections.abc import Mapping
from functools import partial

from gitsched.domain.forge import Rollout
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus
from gitsched.engine.desk import Desk, Surroundings


class RolloutLook:
    """Looks for one driver, and remembers which commits the forge has deployed that are not here."""

    def __init__(self) -> None:
        """Begin without any memory."""
        self._strange: set[str] = set()

    def look(self, desk: Desk, state: State) -> Mapping[str, Rollout | Unreachable | None]:
        """Look at the batches that wait for their deployment."""
        around, found = desk.around, dict[str, Rollout | Unreachable | None]()
        for batch in state.batches.values():
            if around.rollouts is None or batch.status is not BatchStatus.MERGED:
                continue
            environment = desk.settings_of(batch).deploy.environment
            if environment:
                merged = "" if batch.pr is None else batch.pr.merge_commit or batch.pr.head
                holds = partial(self._holds, around, (batch.target, merged))
                found[batch.id] = around.rollouts.rollout(environment, merged, holds)
        return found

    def _holds(self, around: Surroundings, shipped: tuple[str, str], commit: str) -> bool:
        """Say whether a deployed commit holds what was shipped into a target, which may have gone on since."""
        (target, merged), lander = shipped, around.lander
        if not lander.is_ancestor(commit, commit) and commit not in self._strange:
            around.forge.target(target)
            self._strange.add(commit)
        return lander.is_ancestor(commit, commit) and lander.is_ancestor(merged, commit)
