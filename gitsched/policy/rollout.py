"""Rollout: what a merged batch waits for where the forge is to tell of its deployment (`deploy.environment`).

1. It is out when the newest deployment to that environment that holds its work has succeeded.
2. One that failed stops the batch with the forge's word; nothing that merged is put back.
3. What has neither succeeded nor failed in time stops it too, and so does what the forge denies to tell for so long.
   What could not be asked decides nothing.
"""

from collections.abc import Iterator
from typing import Final

from gitsched.domain.effects import Block, Effect
from gitsched.domain.forge import Rollout
from gitsched.domain.instants import seconds_between
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch
from gitsched.domain.ship_effects import AwaitRollout
from gitsched.policy.situation import Situation, basis_of

SUCCESS: Final = "success"
FAILED: Final = frozenset({"failure", "error"})


def is_out(situation: Situation, batch: Batch) -> bool:
    """Say whether nothing more is to be heard from the forge."""
    seen = situation.facts.rollouts.get(batch.id)
    asked = situation.settings_of(batch).deploy.environment
    return not asked or (isinstance(seen, Rollout) and seen.word == SUCCESS)


def rollout_steps(situation: Situation, batch: Batch) -> Iterator[Effect]:
    """Name what follows from what the forge says of a deployment that has not succeeded yet."""
    seen, deploy = situation.facts.rollouts.get(batch.id), situation.settings_of(batch).deploy
    if isinstance(seen, Unreachable):
        return
    basis = basis_of(batch, situation.state.members_of(batch))
    reason = f"deploying:{deploy.environment}"
    if seen is not None and seen.word in FAILED:
        yield Block(batch.id, f"deploy-failed:{seen.word}", basis, seen.detail)
    elif seconds_between(batch.updated_at, situation.facts.now) >= deploy.timeout_s:
        told = f"nothing was deployed to {deploy.environment}" if seen is None else f"{seen.detail} is {seen.word}"
        yield Block(batch.id, "deploy-timed-out", basis, told)
    elif batch.reason != reason:
        yield AwaitRollout(batch.id, reason)
