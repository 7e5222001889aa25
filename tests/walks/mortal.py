"""Ports through which a driver can die, fail, or be overtaken, at any one of its calls.

A driver that is killed leaves the world as the call before left it, and does nothing any more: not even what it would
do on its way out. One that meets a fault lives on: a full disk keeps the call from being made, a reply that is lost
comes after it was made.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any

from msgspec.structs import fields, replace

from gitsched.domain.outcomes import Unreachable
from gitsched.engine.desk import Surroundings
from gitsched.errors import BusyError, StorageFullError

PORTS = ("store", "refs", "lander", "trees", "work", "runner", "forge")


FORGE_READS = frozenset(
    {"issues", "comments", "target", "rules", "pull_request", "pull_requests", "pull_request_for", "pull_requests_from"}
)


WRITES = frozenset(
    {
        *("initialise", "apply", "keep_evidence", "move", "heal", "start", "stop", "fence", "forget", "place"),
        *("acquire", "reclaim", "release", "remove", "prepare_ahead", "restore", "lay_out", "commit_all", "rescue"),
        *("land", "revert", "open_issue", "close_issue", "comment", "publish", "withdraw", "open_pull_request"),
        *("merge", "park", "make_ready", "close_pull_request"),
    }
)
"""Calls that may change the world. No other does, which a test looks at."""


class Killed(BaseException):
    """The driver is dead."""


class Fault(Enum):
    """What can go wrong with a call while the driver lives on."""

    FULL = "full disk"
    """It is not made: the disk has no room."""
    ERROR = "error"
    """It is not made: it fails."""
    LOST = "lost reply"
    """It is made, and nobody hears its answer."""


class Fate:
    """What happens to one driver, and when: counted in its calls to the world."""

    def __init__(self) -> None:
        """Let it live."""
        self.calls = 0
        self.dies_at: int | str | None = None
        """The number of the call, or the name of what is called."""
        self.dies_after = False
        """After the call has done its work, and before its answer is heard."""
        self.is_dead = False
        self.fails_at: int | None = None
        self.fault: Fault | None = None
        self.has_met = False
        """It met its fault in this life."""
        self.on_call: Callable[[str], None] | None = None
        """Whom each call is told to before it is made."""
        self.on_answer: Callable[[str], None] | None = None
        """Whom each call is told to when it has been made."""
        self.forge_is_away = False
        """Every read of the forge is answered with Unreachable."""
        self.interlude_at: int | str | None = None
        """The number of the call, or the name of what is called."""
        self.interlude: Callable[[], object] | None = None
        """What others do in the middle: before that call."""

    def before(self, name: str) -> None:
        """Meet the fate of a call that is about to be made."""
        if self.is_dead:
            raise Killed
        self.calls += 1
        if self.on_call is not None:
            self.on_call(name)
        if self.interlude is not None and self.interlude_at in (self.calls, name):
            told, self.interlude = self.interlude, None
            told()
        if self.dies_at in (self.calls, name) and not self.dies_after:
            self.die()
        if self.fails_at == self.calls and self.fault is not Fault.LOST:
            self.has_met = True
            if self.fault is Fault.FULL:
                raise StorageFullError(f"{name} was called.", "The disk is full.")
            raise BusyError(f"{name} was called.", "It failed.")

    def after(self, name: str) -> None:
        """Meet the fate of a call that has been made."""
        if self.on_answer is not None:
            self.on_answer(name)
        if self.dies_at in (self.calls, name) and self.dies_after:
            self.die()
        if self.fails_at == self.calls and self.fault is Fault.LOST:
            self.has_met = True
            raise BusyError(f"{name} was called.", "Its reply was lost.")

    def die(self) -> None:
        """Die here."""
        self.is_dead = True
        raise Killed


class MortalPort:
    """One port of one driver: every call goes on to the real one, if the driver lives to make it."""

    def __init__(self, port: Any, fate: Fate, reads: frozenset[str] = frozenset()) -> None:
        """Stand before a port; `reads` are its calls that can go unanswered."""
        self._port = port
        self._fate = fate
        self._reads = reads

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return None if name == "cursor" and self._fate.forge_is_away else found

        def call(*arguments: Any, **named: Any) -> Any:
            self._fate.before(name)
            if self._fate.forge_is_away and name in self._reads:
                return Unreachable(what="the forge", detail="it is away")
            answer = found(*arguments, **named)
            self._fate.after(name)
            return answer

        return call


def mortal(around: Surroundings, fate: Fate) -> Surroundings:
    """Put a driver's fate between it and its ports."""
    assert {field.name for field in fields(Surroundings)} >= set(PORTS)
    ports = {name: MortalPort(getattr(around, name), fate) for name in PORTS}
    return replace(around, **{**ports, "forge": MortalPort(around.forge, fate, FORGE_READS)})
