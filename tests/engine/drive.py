"""A driver as a process of its own, for tests that kill it: `python -m tests.engine.drive REPO [once]`."""

import sys
from collections.abc import Callable
from pathlib import Path

from gitsched.engine.driver import Until
from gitsched.wiring.clone import Clone


def unguarded(step: Callable[[], None]) -> Exception | None:
    """Let what nobody expected end the process."""
    step()
    return None


def main() -> None:
    """Drive the repository until it is idle, or for one tick."""
    until = Until.ONCE if sys.argv[2:] == ["once"] else Until.IDLE
    Clone(Path(sys.argv[1])).driver(unguarded).run(until)


if __name__ == "__main__":
    main()
