"""A driver of a town: registers, ticks, dies, or leaves."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.engine.driver import Driver
from gitsched.engine.sweep import sweep
from gitsched.engine.tick import Ticked, tick
from gitsched.errors import TemporaryError
from tests.engine.relay import without_guard
from tests.walks.host import DriverProcesses, StillWaker
from tests.walks.mortal import Fate, Killed, mortal

if TYPE_CHECKING:
    from gitsched.engine.desk import Surroundings
    from tests.walks.town import Town


def surroundings_in(town: "Town", processes: DriverProcesses) -> "Surroundings":
    """Give everything of a town's clone, its processes played."""
    around = town.opened().surroundings()
    around.waker.close()
    return replace(around, runner=town.runner, processes=processes, waker=StillWaker(), programs=lambda _: True)


class Townsman:
    """A driver of the town, registered until it leaves or dies."""

    def __init__(self, town: "Town") -> None:
        """Be born, register and sweep."""
        self._town = town
        self._processes = DriverProcesses(town.played)
        self.fate = Fate()
        real = surroundings_in(town, self._processes)
        self.driver = Driver(mortal(real, self.fate), town.clone.settings, without_guard)
        self.is_dead = False
        self.last: Ticked | None = None
        """What the last tick came to; None: it did not come to its end."""
        self._live(self._begin)

    def _begin(self) -> None:
        self.driver._register()
        sweep(self.driver.desk)

    def tick(self) -> int:
        """Tick once, and say how much was done; dead drivers do nothing."""
        self.last = None
        self._live(self._once)
        return self._done_count()

    def _once(self) -> None:
        self.last = tick(self.driver.desk, self.driver._gatherer, without_guard)

    def _done_count(self) -> int:
        return self.last.performed_count if self.last is not None else 0

    def leave(self) -> None:
        """Leave in an orderly way."""
        self._live(self.driver._leave)
        self._processes_end()

    def _live(self, deed: Callable[[], None]) -> None:
        if self.is_dead:
            return
        try:
            deed()
        except Killed:
            self._processes_end()
        except TemporaryError:
            pass  # as a face takes it: another time

    def _processes_end(self) -> None:
        self.is_dead = True
        self._town.played.die(self._processes.me)
