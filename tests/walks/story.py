"""The story that is told again and again with a fault in it: a batch with one of everything, round by round."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.real_git import run_git
from tests.walks.clock import PlayedClock
from tests.walks.manners import Manners
from tests.walks.town import Town

FATES = {1: "good", 2: "bad", 3: "clashes", 4: "clashes", 5: "hands-back", 6: "breaks", 7: "dirty", 8: "good"}
ROUNDS_AT_MOST = 100


class End(NamedTuple):
    """What a batch came to."""

    entries: tuple[tuple[int, str, str | None], ...]
    members: tuple[tuple[int, str, str | None], ...]
    batches: tuple[tuple[str, str, str | None], ...]
    tree: str
    comments: int


def nothing(town: Town) -> None:
    """Let nothing happen between two ticks."""


class Story:
    """One batch on one town. The clock stands still, so that everything is the same each time but for names."""

    def __init__(self, made: Path, folder: Path) -> None:
        """Enqueue the batch."""
        folder.mkdir()
        self.town = Town(made, folder, Manners(), PlayedClock(step_s=0.0))
        self.town.enqueue(*FATES, batch="b1")
        self.calls = 0
        """How many calls drivers have made to the world."""

    def round(self, between: Callable[[Town], None] = nothing) -> bool:
        """Tick once, look at the properties, and let all agents and jobs end; False: nothing is left to be done."""
        driver = self.town.living()[0]
        begun, driver.fate.has_met = driver.fate.calls, False
        done = driver.tick()
        self.calls += driver.fate.calls - begun
        self.town.look()
        between(self.town)
        for key in self.town.agents():
            self.town.end_agent(key, FATES[int(key[1])])
        for key in self.town.jobs():
            self.town.end_job(key)
        return bool(done) or driver.is_dead or driver.fate.has_met or bool(self.town.runner.live)

    def end(self) -> End:
        """Bring the town to rest and say what it all came to."""
        town = self.town
        town.come_to_rest()
        state = town.state
        return End(
            entries=tuple((e.issue, str(e.status), e.reason) for e in state.entries_in_order()),
            members=tuple(sorted((m.issue, str(m.status), m.reason) for m in state.members.values())),
            batches=tuple((b.id, str(b.status), b.reason) for b in state.batches_in_order()),
            tree=run_git(town.repo, "rev-parse", "main^{tree}"),
            comments=sum(len(town.clone.forge.comments(number)) for number in FATES),
        )


def told(made: Path, folder: Path, between: Callable[[Town], None] = nothing) -> End:
    """Tell the whole story."""
    story = Story(made, folder)
    for _ in range(ROUNDS_AT_MOST):
        if not story.round(between):
            return story.end()
    raise AssertionError("the story has no end")
