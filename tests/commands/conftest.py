"""Commands are heard in an office whose forge has nine issues, by a conversation in memory."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.ref_moves import GitRefs
from gitsched.config.settings import Settings
from gitsched.domain.commands import Person, Role, Spoken
from gitsched.domain.records import Heard
from gitsched.engine.commands.hearing import Hearing, hear
from gitsched.engine.commands.office import Office as Counter
from gitsched.engine.intake.booking import Booking, add_schedule
from gitsched.engine.intake.issues import read_issues
from gitsched.engine.looking import Machine, picture_in, situation_for_reading
from gitsched.engine.milestones import Table, reconcile
from gitsched.engine.packet import issues_in, packet_of
from gitsched.policy.situation import Situation
from gitsched.view.commands import answer_marker
from gitsched.view.picture import Picture
from tests.commands.board import Board
from tests.commands.talk import Talk
from tests.engine.intake.conftest import nine_issues
from tests.engine.intake.office import ACTOR, Office

__all__ = ["nine_issues"]

MACHINE = Machine(lambda _name: True, lambda: 2**60)


class Hall(Office):
    """An office of requests in which people speak by comments."""

    def __init__(self, repository: Path, text: str = "") -> None:
        super().__init__(repository, text)
        self.talk = Talk(self.clock.now())
        self.shipped: list[str] = []
        self.woken = 0
        self.milestones = Board(self)

    def settings_with(self, **github: object) -> Settings:
        return replace(self.settings, github=replace(self.settings.github, **github))

    @property
    def counter(self) -> Counter:
        return Counter(
            store=self.store,
            forge=self.forge,
            talk=self.talk,
            clock=self.clock,
            settings=self.settings,
            look=self._look,
            situation=self._situation,
            refs=GitRefs(self.store.place),
            ship=self._ship,
            reconcile=self.reconcile,
            wake=self._wake,
        )

    def hear(self, spoken: Spoken) -> Hearing:
        return hear(self.counter, spoken)

    def reconcile(self) -> int:
        """Bring batches to what the milestones say."""
        return reconcile(
            Table(
                store=self.store,
                forge=self.forge,
                milestones=self.milestones,
                talk=self.talk,
                clock=self.clock,
                settings=self.settings,
            )
        )

    def say(self, body: str, number: int = 1, by: Person | None = None, *, role: Role | None = None) -> Hearing:
        """Let somebody comment, and hear it."""
        return self.hear(self.talk.say(number, body, by, role=role))

    def row(self, comment: int = 1000) -> Heard:
        return self.state.heard[comment]

    def answer(self, number: int = 1, comment: int = 1000) -> str:
        return self.talk.answers.get((number, answer_marker(comment)), "")

    def book(self, *units: str) -> None:
        """Book units for a night, with an approval."""
        booking = Booking(units=units, window="22:00-06:00", zone="Europe/Berlin", needs_approval=True)
        add_schedule(self.store, self._situation(), booking, ACTOR)

    def token(self) -> str:
        """Give the token of the first schedule's packet as it is now; nothing where there is none."""
        situation = self._situation()
        schedule = situation.state.schedules.get("s1")
        if schedule is None:
            return ""
        texts = read_issues(self.forge, issues_in(situation.state, schedule))
        return packet_of(situation, schedule, GitRefs(self.store.place), texts).token

    def _look(self) -> Picture:
        return picture_in(self._situation(), self.store.tip)

    def _situation(self) -> Situation:
        return situation_for_reading(self.store, self.forge, self.clock, self.settings, MACHINE)

    def _ship(self, batch: str) -> str:
        self.shipped.append(batch)
        return ""

    def _wake(self) -> None:
        self.woken += 1


@pytest.fixture
def hall(tmp_path: Path, nine_issues: Path) -> Hall:
    return Hall(Path(shutil.copytree(nine_issues, tmp_path / "repo", symlinks=True)))
