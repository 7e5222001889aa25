"""Drive as the command line does, in a process that a cancelled job ends with care."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from threading import Timer
from types import FrameType

from msgspec import Struct

_BETWEEN_S = 1.0
"""Signals of one kind that come at once are one: the second Ctrl-C waits until the first was taken."""


class Ended(Struct, frozen=True):
    """How a call of gitsched ended."""

    code: int
    said: str


def call(arguments: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Run gitsched to its end.

    A runner that cancels gives seconds: INT, TERM 7.5 s later, then KILL. Both are passed on as two Ctrl-Cs: nothing
    new starts, agents are ended, and what they did is saved.
    """
    command = [sys.executable, "-m", "gitsched", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(environment), start_new_session=True
    ) as process:
        second = Timer(_BETWEEN_S, os.kill, (process.pid, signal.SIGINT))

        def pass_on(_number: int, _frame: FrameType | None) -> None:
            if not second.is_alive() and not second.finished.is_set():
                os.kill(process.pid, signal.SIGINT)
                second.start()

        before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            said, _ = process.communicate()
        finally:
            second.cancel()
            for number, handler in before.items():
                signal.signal(number, handler)
    return Ended(process.returncode, said.decode("utf-8", "replace"))
