"""What goes wrong on purpose: at which call, how often, and how."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any

HOLD_LIMIT_S = 30.0


@dataclass
class Fault:
    """One thing that goes wrong, at the calls it fits: the first `after` of them pass, then it comes `times` times."""

    kind: str
    """cut (before acting), lose (after acting), answer (instead of acting), spoil (after acting), double, hold."""
    method: str | None = None
    path: str = ""
    """Found anywhere in the path: a pattern."""
    text: str = ""
    """Found anywhere in the body: a pattern, to tell one GraphQL document from another."""
    after: int = 0
    times: int | None = 1
    status: int = 502
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    released: threading.Event = field(default_factory=threading.Event)
    hold_s: float = HOLD_LIMIT_S
    came_count: int = 0

    def is_due(self, method: str, path: str, body: str) -> bool:
        """Tell whether this call is hit, and count it."""
        fits = self.method in {None, method} and re.search(self.path, path) and re.search(self.text, body)
        if not fits or self.times == 0:
            return False
        if self.after > 0:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        self.came_count += 1
        return True

    def release(self) -> None:
        """Let the held calls go on."""
        self.released.set()

    def stop(self) -> None:
        """Let it come no more."""
        self.times = 0


class Faults:
    """All that is to go wrong."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []
        self._lock = threading.Lock()

    def plan(self, fault: Fault) -> Fault:
        with self._lock:
            self._planned.append(fault)
        return fault

    def due(self, method: str, path: str, body: str) -> dict[str, Fault]:
        """Return what hits this call, by kind."""
        with self._lock:
            found: dict[str, Fault] = {}
            for fault in self._planned:  # of one kind the first that fits: those planned after it come after it
                if fault.kind not in found and fault.is_due(method, path, body):
                    found[fault.kind] = fault
            return found

    def clear(self) -> None:
        with self._lock:
            for fault in self._planned:
                fault.release()
            self._planned.clear()


class Scripting:
    """The verbs by which a test says what goes wrong. `where` is method=, path=, text=, after=, times=."""

    faults: Faults

    def lose_reply(self, **where: Any) -> Fault:
        """Act, then cut the connection before a word of the answer."""
        return self.faults.plan(Fault("lose", **where))

    def cut(self, **where: Any) -> Fault:
        """Cut the connection before anything is done."""
        return self.faults.plan(Fault("cut", **where))

    def answer(self, status: int, message: str = "Server Error", **where: Any) -> Fault:
        """Answer with that status and do nothing."""
        return self.faults.plan(Fault("answer", status=status, message=message, **where))

    def spoil(self, status: int = 502, message: str = "Server Error", **where: Any) -> Fault:
        """Do what was asked, and answer with an error all the same."""
        return self.faults.plan(Fault("spoil", status=status, message=message, **where))

    def double(self, **where: Any) -> Fault:
        """Let a call come twice, as from a proxy that repeats it; the second answer is told."""
        return self.faults.plan(Fault("double", **where))

    def hold(self, **where: Any) -> Fault:
        """Hold a call before acting until its `release()`."""
        return self.faults.plan(Fault("hold", **where))

    def delay(self, seconds: float, **where: Any) -> Fault:
        """Hold a call for that long."""
        return self.faults.plan(Fault("hold", hold_s=seconds, **where))

    def limit(self, kind: str = "primary", status: int = 403, *, retry_after: int | None = None, **where: Any) -> Fault:
        """Answer as a limit does: `primary`, `secondary`, or `secondary` with `retry_after` seconds."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        if kind == "primary":
            headers["X-RateLimit-Remaining"] = "0"
        message = {
            "primary": "API rate limit exceeded for installation ID 1.",
            "secondary": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        }[kind]
        return self.faults.plan(Fault("answer", status=status, message=message, headers=headers, **where))

    def forbid(self, **where: Any) -> Fault:
        """Answer 403 as for a permission that is missing."""
        headers = {"X-Accepted-GitHub-Permissions": "issues=write"}
        message = "Resource not accessible by integration"
        return self.faults.plan(Fault("answer", status=403, message=message, headers=headers, **where))

    def down(self, times: int | None = None, **where: Any) -> Fault:
        """Answer 503 to all that comes, until `stop()`."""
        return self.faults.plan(Fault("answer", status=503, message="Service unavailable", times=times, **where))
