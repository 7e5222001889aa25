"""The worker: drains the inboxes in turn, a few deliveries of each, and keeps a driver at work where there is work.

Fair: in one round every repository that has something waiting is given the same number of deliveries, so that nobody
waits for all of another's. One that fails is tried again, each time after a longer pause, and holds up nobody else.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from gitsched.domain.instants import Instant
from gitsched.errors import GitschedError
from gitsched.ports.inbox import Courier
from gitsched.wiring.service import Repository
from webhook.drivers import Drivers
from webhook.locks import draining
from webhook.metrics import Metrics
from webhook.tenants import Tenants

ROUND_COUNT = 20
"""How many deliveries one repository is given in a round."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 300.0
LOOK_AGAIN_S = 60.0
"""How often comments are polled, milestones read and failed deliveries asked for."""
_LOG = logging.getLogger(__name__)


class Worker:
    """Works the inboxes of all tenants off, in one thread."""

    def __init__(self, tenants: Tenants, metrics: Metrics, drivers: Drivers, now: Callable[[], Instant]) -> None:
        """Prepare; `start` begins."""
        self._tenants = tenants
        self._metrics = metrics
        self._drivers = drivers
        self._now = now
        self._poked = Event()
        self._stopping = Event()
        self._thread = Thread(target=self._work, name="drain", daemon=True)
        self._paused_until_s: dict[Path, float] = {}
        self._pauses_s: dict[Path, float] = {}
        self._look_again_at_s: dict[Path, float] = {}
        self._failed: dict[Path, frozenset[str]] = {}
        """Deliveries that failed before: they come after all others."""
        self.courier_of: Callable[[Repository], Courier | None] = lambda _repository: None
        self.is_disabled: Callable[[], bool] = lambda: False
        """The kill switch of the whole service."""
        self.drained_at: dict[Path, Instant] = {}
        self.troubles: dict[Path, str] = {}

    @property
    def has_died(self) -> bool:
        """Say whether it ended without being asked to: then nothing is worked off any more."""
        return self._thread.ident is not None and not self._thread.is_alive() and not self.is_stopping

    @property
    def is_stopping(self) -> bool:
        """Say whether the service is about to end."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def poke(self) -> None:
        """Let it look at the inboxes now."""
        self._poked.set()

    def stop(self, grace_s: float) -> bool:
        """End after the delivery in hand, drivers too, all within one grace; say whether the delivery was in time."""
        until_s = monotonic() + grace_s
        self._stopping.set()
        self._poked.set()
        if self._thread.is_alive():
            self._thread.join(grace_s)
        self._drivers.stop(max(0.0, until_s - monotonic()))
        return not self._thread.is_alive()

    def _work(self) -> None:
        while not self.is_stopping:
            self._poked.clear()
            if not self.turn():
                self._poked.wait(_SHORTEST_PAUSE_S)

    def turn(self) -> bool:
        """Make a round and see to the drivers, whatever stands in the way of either; say whether anything was done."""
        went_on = False
        for step in (self.round, lambda: self._drivers.tend(self._tenants.all)):
            try:
                went_on = bool(step()) or went_on
            except (GitschedError, OSError) as failed:
                _LOG.error("%s", failed)
        return went_on

    def round(self) -> bool:
        """Give every repository its share, and say whether anything was done."""
        if self.is_disabled():
            return False
        served = [self._serve(repository) for repository in self._tenants.all if not self.is_stopping]
        return any(served)

    def _serve(self, repository: Repository) -> bool:
        if monotonic() < self._paused_until_s.get(repository.path, 0.0):
            return False
        try:
            repository.refresh()
            if repository.is_disabled:
                return False
            with draining(repository.clone.common_dir) as is_ours:
                return is_ours and self._drain(repository)
        except (GitschedError, OSError) as failed:
            self._pause(repository, str(failed))
            return False

    def _drain(self, repository: Repository) -> bool:
        failed = self._failed.get(repository.path, frozenset())
        waiting = sorted(repository.inbox.waiting(), key=lambda delivery: delivery.id in failed)[:ROUND_COUNT]
        if waiting:
            drained = repository.drain(waiting, lambda: not self.is_stopping)
            self._failed[repository.path] = (failed | drained.failures.keys()) - drained.outcomes.keys()
            self._metrics.done.labels(repository.name).inc(len(drained.outcomes))
            self._metrics.failed.labels(repository.name).inc(len(drained.failures))
            self.drained_at[repository.path] = self._now()
            if drained.outcomes:
                self._drivers.want(repository)
            if drained.failures:
                self._pause(repository, next(iter(drained.failures.values())))
                return bool(drained.outcomes)
        self._look_again(repository)
        self._recover(repository)
        return bool(waiting)

    def _look_again(self, repository: Repository) -> None:
        """Look for what no delivery told; the first time is when the service begins."""
        if monotonic() < self._look_again_at_s.get(repository.path, 0.0):
            return
        self._look_again_at_s[repository.path] = monotonic() + LOOK_AGAIN_S
        repository.look_again(self.courier_of(repository))
        if repository.has_work:
            self._drivers.want(repository)

    def _pause(self, repository: Repository, why: str) -> None:
        pause_s = min(_LONGEST_PAUSE_S, 2 * self._pauses_s.get(repository.path, _SHORTEST_PAUSE_S / 2))
        self._pauses_s[repository.path] = pause_s
        self._paused_until_s[repository.path] = monotonic() + pause_s
        self.troubles[repository.path] = why
        _LOG.warning("%s: %s", repository.name, why)

    def _recover(self, repository: Repository) -> None:
        self._pauses_s.pop(repository.path, None)
        self._paused_until_s.pop(repository.path, None)
        self.troubles.pop(repository.path, None)
