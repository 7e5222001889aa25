"""What a merged batch waits for where the forge is to tell of its deployment."""

from typing import Any

import pytest

from gitsched.domain.effects import Block, Deploy, Effect
from gitsched.domain.forge import Rollout
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.ship_effects import AwaitRollout
from gitsched.domain.words import BatchStatus, MemberStatus
from gitsched.policy.batches import batch_steps
from tests.policy.situations import a_batch, a_member, a_situation, a_state, at, settings

WAITS = "deploying:production"


def steps(seen: Rollout | Unreachable | None, environment: str = "production", **fields: Any) -> list[Effect]:
    """Ask for the steps of b1, which has merged, and of whose deployment the forge says that."""
    deploy = f'[deploy]\nenvironment = "{environment}"\ntimeout = "10m"\n'
    config = settings(f'[project]\nforge = "github"\n{deploy}')
    batch = a_batch(1, status=BatchStatus.MERGED, **{"updated_at": at(55), **fields})
    state = a_state(batch, a_member(1, MemberStatus.SHIPPED))
    return list(batch_steps(a_situation(state, config, sealed={"b1": config}, rollouts={"b1": seen})))


def test_g_29_without_an_environment_nothing_is_waited_for() -> None:
    """G-29 (the rule): where nobody asks for it, or it has succeeded, the batch goes on."""
    assert steps(None, "") == [Deploy("b1")]
    assert steps(Rollout(word="success"), reason=WAITS) == [Deploy("b1")]


@pytest.mark.parametrize("seen", [None, Rollout(word="queued"), Rollout(word="inactive"), Rollout(word="unheard-of")])
def test_g_29_what_is_not_out_yet_is_waited_for_once_and_not_for_ever(seen: Rollout | None) -> None:
    """G-29 (the rule): whatever word stands there; after its time limit the batch stops."""
    assert steps(seen) == [AwaitRollout("b1", WAITS)]
    assert steps(seen, reason=WAITS) == []
    (late,) = steps(seen, reason=WAITS, updated_at=at(49))
    assert isinstance(late, Block)
    assert late.reason == "deploy-timed-out"


@pytest.mark.parametrize("word", ["failure", "error"])
def test_g_29_a_failure_has_its_own_reason(word: str) -> None:
    """G-29 (the rule): the forge's word is in it."""
    (failed,) = steps(Rollout(word=word, detail="deployment 7: no room"))
    assert isinstance(failed, Block)
    assert (failed.reason, failed.detail) == (f"deploy-failed:{word}", "deployment 7: no room")


def test_g_29_what_could_not_be_asked_decides_nothing() -> None:
    """G-29 (the rule): not even after the time limit."""
    assert steps(Unreachable(what="GitHub", detail="503"), updated_at=at(0)) == []
