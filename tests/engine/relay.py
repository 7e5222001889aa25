"""A port as it is, but for the calls that a test puts something before or after."""

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


class Killed(BaseException):
    """The driver died here: what nobody contains."""


class Relay:
    """Passes everything on to the real port; a changed call is given the real one and then its arguments.

    Relay(clone.trees, acquire=lambda real, *words: real(*words))
    """

    def __init__(self, real: object, **changed: Call) -> None:
        """Stand before a port."""
        self._real = real
        self._changed = changed

    def __getattr__(self, name: str) -> Any:
        """Give the port's own attribute, or the changed call."""
        own = getattr(self._real, name)
        change = self._changed.get(name)
        if change is None:
            return own
        return lambda *words, **named: change(own, *words, **named)


def killed_before(call: int) -> Call:
    """Make a change that dies before the call of that number, 1 for the first."""
    return _killed(call, after=False)


def killed_after(call: int) -> Call:
    """Make a change that dies right after the call of that number has done its work."""
    return _killed(call, after=True)


def _killed(call: int, *, after: bool) -> Call:
    count = 0

    def change(real: Call, *words: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        if count == call and not after:
            raise Killed
        done = real(*words, **named)
        if count == call:
            raise Killed
        return done

    return change


def without_guard(step: Callable[[], None]) -> Exception | None:
    """Let what nobody expected fail the test."""
    step()
    return None
