"""Drivers: one process for each repository that has work, started when it is wanted, and ended with the service.

A process of its own keeps a repository's troubles from the others, and its work from the service's answers. Runs
outlive drivers, so ending one loses nothing.
"""

import logging
import subprocess
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from gitsched.wiring.service import Repository

_LOG = logging.getLogger(__name__)


class Drivers:
    """Keeps the number of runs of all repositories below a cap: each driver is given a share of it.

    A share is as many runs as the repository has slots, or what the others have left. So nobody waits until all the
    slots that it would take are free.
    """

    def __init__(self, most_live: Callable[[], int | None]) -> None:
        """Begin without any; `most_live` gives `webhook.max_live`, None is no cap."""
        self._most_live = most_live
        self._wanted: deque[Repository] = deque()
        self._running: dict[Path, _Driver] = {}

    def want(self, repository: Repository) -> None:
        """Let a repository be driven; one that is driven already is woken."""
        if repository.path in self._running:
            repository.clone.wake_all()
        if repository not in self._wanted:
            self._wanted.append(repository)

    def tend(self, served: Iterable[Repository]) -> None:
        """Clear away drivers that have ended, end those of repositories that are switched off, and start what fits."""
        off = {repository.path for repository in served if repository.is_disabled}
        for path, driver in list(self._running.items()):
            if path in off and driver.process.poll() is None:
                driver.process.terminate()
            if driver.process.poll() is not None:
                del self._running[path]
        for _ in range(len(self._wanted)):
            repository = self._wanted.popleft()
            if repository.path in off:
                continue
            share = self._share_of(repository)
            if repository.path in self._running or share == 0:
                self._wanted.append(repository)
                continue
            try:
                self._running[repository.path] = _Driver(_started(repository, share), share or 0)
            except OSError as failed:
                _LOG.error("%s: no driver could be started: %s", repository.name, failed)
                self._wanted.append(repository)

    def _share_of(self, repository: Repository) -> int | None:
        """Say how many runs it may have at once; None: as many as it wants."""
        most = self._most_live()
        if most is None:
            return None
        given = sum(driver.share for driver in self._running.values())
        return max(0, min(repository.slots_count, most - given))

    def stop(self, grace_s: float) -> None:
        """End all drivers within one grace; what they run goes on and is taken up by the next ones."""
        until_s = monotonic() + grace_s
        for driver in self._running.values():
            driver.process.terminate()
        for driver in self._running.values():
            try:
                driver.process.wait(max(0.0, until_s - monotonic()))
            except subprocess.TimeoutExpired:
                driver.process.kill()
                driver.process.wait()
        self._running.clear()


class _Driver(NamedTuple):
    process: "subprocess.Popen[bytes]"
    share: int


def _started(repository: Repository, share: int | None) -> "subprocess.Popen[bytes]":
    command = repository.driver_command(share)
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
