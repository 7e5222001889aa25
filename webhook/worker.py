"""The worker: drains the inboxes in turn, a few deliveries of each, and keeps a driver at work where there is work.

Fair: in one round every repository that has something waiting is given the same number of deliveries, so that nobody
waits for all of another's. A repository or a delivery that fails is tried again, each time after a longer pause, and
holds up nobody else.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import Instant
from gitsched.errors import GitschedError
from gitsched.ports.inbox import Courier
from gitsched.wiring.service import Repository
from webhook.drivers import Drivers
from webhook.locks import draining
from webhook.metrics import Metrics
from webhook.pauses import Pauses
from webhook.tenants import Tenants

ROUND_COUNT = 20
"""How many deliveries one repository is given in a round."""
_IDLE_S = 1.0
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
        self._shut = Pauses()
        """Of repositories that could not be served."""
        self._put_off = Pauses()
        """Of deliveries that failed: what comes in meanwhile is worked off."""
        self._look_again_at_s: dict[Path, float] = {}
        self._failed: dict[Path, frozenset[str]] = {}
        """Deliveries that failed before: they wait for a pause to end, and come after all others."""
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
                self._poked.wait(_IDLE_S)

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
        if self._shut.holds(repository.path):
            return False
        try:
            repository.refresh()
            if repository.is_disabled:
                return False
            with draining(repository.clone.common_dir) as is_ours:
                return is_ours and self._drain(repository)
        except (GitschedError, OSError) as failed:
            self._shut.lengthen(repository.path)
            self._tell(repository, str(failed))
            return False

    def _drain(self, repository: Repository) -> bool:
        path = repository.path
        failed, is_early = self._failed.get(path, frozenset()), self._put_off.holds(path)
        due = [delivery for delivery in repository.inbox.waiting() if not (is_early and delivery.id in failed)]
        done_count, trouble = self._work_off(repository, sorted(due, key=lambda one: one.id in failed)[:ROUND_COUNT])
        if trouble is not None:
            self._tell(repository, trouble)
            if not is_early:
                self._put_off.lengthen(path)
        elif not is_early:
            self._put_off.forget(path)
            self.troubles.pop(path, None)
        # Also where a delivery fails: what was lost of the others is made up for all the same.
        self._look_again(repository)
        self._shut.forget(path)
        return done_count > 0

    def _work_off(self, repository: Repository, due: Sequence[Delivery]) -> tuple[int, str | None]:
        """Say how many were done, and what stood in the way of the first that was not."""
        if not due:
            return 0, None
        drained = repository.drain(due, lambda: not self.is_stopping)
        failed = self._failed.get(repository.path, frozenset())
        self._failed[repository.path] = (failed | drained.failures.keys()) - drained.outcomes.keys()
        self._metrics.done.labels(repository.name).inc(len(drained.outcomes))
        self._metrics.failed.labels(repository.name).inc(len(drained.failures))
        self.drained_at[repository.path] = self._now()
        if drained.outcomes:
            self._drivers.want(repository)
        return len(drained.outcomes), next(iter(drained.failures.values()), None)

    def _look_again(self, repository: Repository) -> None:
        """Look for what no delivery told; the first time is when the service begins."""
        if monotonic() < self._look_again_at_s.get(repository.path, 0.0):
            return
        self._look_again_at_s[repository.path] = monotonic() + LOOK_AGAIN_S
        try:
            repository.look_again(self.courier_of(repository))
        finally:
            # A comment that cannot be heard, or a forge that gives no answer, is no reason to leave work lying.
            if repository.has_work:
                self._drivers.want(repository)

    def _tell(self, repository: Repository, why: str) -> None:
        self.troubles[repository.path] = why
        _LOG.warning("%s: %s", repository.name, why)
