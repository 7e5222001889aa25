"""The back-end `command`: an operator's template starts a worker wherever it likes, and is not waited for.

The template is an argument vector, and only names that gitsched itself has made are put into it: a run, and the
remote's address. No word of an issue is ever among them.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from gitsched.domain.words import Liveness

RUN, REMOTE = "{run}", "{remote}"
OUTPUT = "dispatch.log"


class CommandStarter:
    """Starts workers by the template."""

    def __init__(self, template: Sequence[str], remote: str) -> None:
        """Stand on `dispatch.command` and the address that workers reach the repository at."""
        self._template = tuple(template)
        self._remote = remote
        self._children: set[int] = set()

    def start(self, run: str, folder: Path) -> str | None:
        """Start the command in a session of its own, what it prints kept in the run's folder."""
        self._reap()
        argv = [word.replace(RUN, run).replace(REMOTE, self._remote) for word in self._template]
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        log = os.open(folder / OUTPUT, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, log, 1),
            (os.POSIX_SPAWN_DUP2, log, 2),
        ]
        try:
            self._children.add(os.posix_spawnp(argv[0], argv, env, file_actions=files, setsid=True))
        except (OSError, ValueError) as refused:
            os.write(log, f"{refused}\n".encode())
            return None
        finally:
            os.close(log)
        return ""

    def _reap(self) -> None:
        """Let those that have ended go; nobody waits for one, and what it says is in its log."""
        for pid in tuple(self._children):
            try:
                ended, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                ended = pid
            if ended:
                self._children.discard(pid)

    def liveness(self, run: str, job: str) -> Liveness | None:
        """Know nothing: where the worker is, only its signs of life tell."""
        return None

    def cancel(self, run: str, job: str) -> None:
        """Leave it to the word on the ref: nobody here can reach the worker."""
