"""Drivers: one process for each repository that has work, started when it is wanted, and ended with the service.

A process of its own keeps a repository's troubles from the others, and its work from the service's answers. Runs
outlive drivers, so ending one loses nothing.
"""

import logging
import subprocess
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from gitsched.wiring.service import Repository

_LOG = logging.getLogger(__name__)


class Drivers:
    """Keeps the number of runs of all repositories below a cap: the sum of `slots.max` of those that are driven."""

    def __init__(self, most_live: Callable[[], int | None]) -> None:
        """Begin without any; `most_live` gives `webhook.max_live`, None is no cap."""
        self._most_live = most_live
        self._wanted: deque[Repository] = deque()
        self._running: dict[Path, tuple[Repository, subprocess.Popen[bytes]]] = {}

    def want(self, repository: Repository) -> None:
        """Let a repository be driven; one that is driven already is woken."""
        if repository.path in self._running:
            repository.clone.wake_all()
        if repository not in self._wanted:
            self._wanted.append(repository)

    def tend(self, served: Iterable[Repository]) -> None:
        """Clear away drivers that have ended, end those of repositories that are switched off, and start what fits."""
        off = {repository.path for repository in served if repository.is_disabled}
        for path, (_, process) in list(self._running.items()):
            if path in off and process.poll() is None:
                process.terminate()
            if process.poll() is not None:
                del self._running[path]
        for _ in range(len(self._wanted)):
            repository = self._wanted.popleft()
            if repository.path in off:
                continue
            if repository.path in self._running or not self._fits(repository):
                self._wanted.append(repository)
                continue
            try:
                self._running[repository.path] = (repository, _started(repository))
            except OSError as failed:
                _LOG.error("%s: no driver could be started: %s", repository.name, failed)
                self._wanted.append(repository)

    def _fits(self, repository: Repository) -> bool:
        most = self._most_live()
        driven = sum(other.settings.slots.max for other, _ in self._running.values())
        return most is None or driven + repository.settings.slots.max <= most

    def stop(self, grace_s: float) -> None:
        """End all drivers; what they run goes on and is taken up by the next ones."""
        for _, process in self._running.values():
            process.terminate()
        for _, process in self._running.values():
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.clear()


def _started(repository: Repository) -> "subprocess.Popen[bytes]":
    command = repository.driver_command()
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
