"""A whole batch's life in one process: what people do on the forge, its deliveries, drivers that tick, played agents.

Deliveries get lost, doubled, late and out of order by chance; polls, sweeps, ticks and ends of runs come in between.
"""

import random  # noqa: TID251 - each case is a seed
from collections.abc import Callable, Sequence
from pathlib import Path

from gitsched.adapters.store.inbox import InboxRef
from gitsched.adapters.store.ref_moves import GitRefs
from gitsched.domain.commands import Person, Role
from gitsched.domain.deliveries import Delivery, FailedDelivery
from gitsched.domain.effects import Merge
from gitsched.domain.forge import Comment
from gitsched.domain.instants import Instant
from gitsched.engine.commands.office import Office
from gitsched.engine.deliveries.draining import drain
from gitsched.engine.deliveries.looking_again import expect_all_heard, poll_comments, sweep_deliveries
from gitsched.engine.looking import Machine, picture_in, situation_for_reading
from gitsched.engine.milestones import Table, reconcile
from gitsched.engine.perform.table import perform
from gitsched.policy.situation import Situation
from gitsched.view.picture import Picture
from tests.commands.board import Board
from tests.commands.talk import Talk
from tests.walks.manners import Manners
from tests.walks.town import Town

MACHINE = Machine(lambda _name: True, lambda: 2**60)
EVE = Person(id=66, login="eve")
BATCH = "login"
TICKS_AT_MOST = 60


class Chance:
    """What happens to deliveries, and when anybody looks."""

    def __init__(self, seed: int | None) -> None:
        """Go by a seed; without one each comes once and in order, and everybody looks at once."""
        self._random = None if seed is None else random.Random(seed)  # noqa: S311 - each case is a seed

    def happens(self, share: float) -> bool:
        return self._random is None or self._random.random() < share

    def copies(self) -> int:
        return 1 if self._random is None else self._random.choice((0, 1, 1, 2, 3))

    def part_of(self, count: int) -> int:
        return count if self._random is None else self._random.randint(0, count)

    def shuffle(self, found: list[Delivery]) -> None:
        if self._random is not None:
            self._random.shuffle(found)


class Parish(Town):
    """A town with an inbox, comments and GitHub milestones."""

    def __init__(self, made: Path, folder: Path, chance: Chance) -> None:
        super().__init__(made, folder, Manners(merge="manual"))
        self.chance = chance
        self.talk = Talk(self.clock.now())
        self.milestones = Board(self.clone)
        self.box = InboxRef(self.repo / ".git", self.clock, fsync=False)
        self.under_way: list[Delivery] = []
        self.lost: dict[int, Delivery] = {}
        self.told_count = 0
        poll_comments(self.office)
        self.clock.pass_by(1.0)

    @property
    def office(self) -> Office:
        return Office(
            store=self.clone.store,
            forge=self.clone.forge,
            talk=self.talk,
            clock=self.clock,
            settings=self.clone.settings,
            look=self._look,
            situation=self._situation,
            refs=GitRefs(self.clone.store.place),
            ship=self._ship,
            reconcile=self.reconcile,
            wake=lambda: None,
        )

    def _situation(self) -> Situation:
        return situation_for_reading(self.clone.store, self.clone.forge, self.clock, self.clone.settings, MACHINE)

    def _look(self) -> Picture:
        return picture_in(self._situation(), self.clone.store.tip)

    def _ship(self, batch: str) -> str:
        with self.desk() as desk:
            perform(Merge(batch), desk)
        return ""

    def reconcile(self) -> int:
        return reconcile(
            Table(
                store=self.clone.store,
                forge=self.clone.forge,
                milestones=self.milestones,
                talk=self.talk,
                clock=self.clock,
                settings=self.clone.settings,
            )
        )

    # ---------------------------------------------------------------- what is done on the forge

    def tell(self, event: str, action: str = "", **fields: int) -> None:
        """Send a delivery on its way, as often as chance has it; of one that is lost the forge knows."""
        self.told_count += 1
        told = Delivery(
            id=f"d{self.told_count}",
            event=event,
            action=action,
            received_at=self.clock.now(),
            **fields,  # type: ignore[arg-type]
        )
        copies = self.chance.copies()
        self.under_way += [told] * copies
        if copies == 0:
            self.lost[self.told_count] = told
        self.meanwhile()

    def say(self, number: int, body: str, by: Person | None = None, role: Role = Role.ADMIN) -> int:
        self.clock.pass_by(1.0)
        self.talk.now = self.clock.now()
        comment = self.talk.say(number, body, by, role=role).comment
        self.tell("issue_comment", "created", comment=comment, number=number)
        return comment

    # ---------------------------------------------------------------------------- who looks when

    def meanwhile(self) -> None:
        """Let some of what is under way arrive, and somebody work on it, look, or tick."""
        self.chance.shuffle(self.under_way)
        for _ in range(self.chance.part_of(len(self.under_way))):
            self.box.receive(self.under_way.pop(0))
        if self.chance.happens(0.5):
            waiting = list(self.box.waiting())
            self.chance.shuffle(waiting)
            self._drain(waiting[: self.chance.part_of(len(waiting))])
        if self.chance.happens(0.1):
            self.reconcile()
            expect_all_heard(poll_comments(self.office))
        if self.chance.happens(0.1):
            sweep_deliveries(self.box, self, self.clock.now())

    def _drain(self, waiting: Sequence[Delivery]) -> None:
        assert drain(self.office, self.box, waiting).failures == {}

    def failed_since(self, at: Instant) -> tuple[FailedDelivery, ...]:
        """List what did not arrive (the Courier port)."""
        return tuple(FailedDelivery(attempt=attempt, id=told.id) for attempt, told in self.lost.items())

    def ask_again(self, attempt: int) -> None:
        """Have it sent once more; it may take its time."""
        self.under_way.append(self.lost.pop(attempt))

    def settle(self) -> None:
        """Let the rest arrive or be found by looking, and be worked off."""
        for told in self.under_way:
            self.box.receive(told)
        self.under_way.clear()
        self.reconcile()
        expect_all_heard(poll_comments(self.office))
        self._drain(self.box.waiting())
        assert self.box.waiting() == ()

    def work(self, plays: dict[int, str], may_end: Callable[[], bool]) -> None:
        """Let drivers tick and agents come to their ends until nothing moves; hints of it all are told."""
        for _ in range(TICKS_AT_MOST):
            before = self.clone.store.tip
            for key in self.agents():
                if self.chance.happens(0.7):
                    self.end_agent(key, plays.get(int(key[1]), "good"))
                    self.tell("push")
            for key in self.jobs():
                if self.chance.happens(0.7):
                    self.end_job(key)
                    self.tell("check_run", "completed")
            for driver in self.living():
                driver.tick()
            self.meanwhile()
            if not self.runner.live and not self._has_moved(before) and may_end():
                return
        raise AssertionError("it does not come to rest")

    def comments(self, number: int) -> list[Comment]:
        found = self.clone.forge.comments(number)
        assert isinstance(found, tuple)
        return list(found)
