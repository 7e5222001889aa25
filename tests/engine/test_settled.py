"""When a driver that was asked for certain issues has done its work."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from gitsched.cli.fault import contained
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus
from gitsched.engine.driver import Driver, Until
from gitsched.wiring.clone import Clone
from tests.engine.relay import Relay
from tests.engine.world import World


def test_a_merge_that_is_tried_again_is_waited_for(world: World) -> None:
    """Its target is locked at the first two attempts: that waits for nobody, so the driver does."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    tries: list[int] = []

    def merge(real: Callable[..., Any], *asked: Any) -> Any:
        tries.append(asked[0])
        return Unreachable(what="main", detail="locked") if len(tries) < 3 else real(*asked)

    clone = Clone(world.repo)
    around = replace(clone.surroundings(), forge=Relay(clone.forge, merge=merge))
    ending = Driver(around, clone.settings, contained).run(Until.SETTLED, {1})
    assert world.batch("i1").status is BatchStatus.DONE
    assert not ending.went_wrong
