"""What the service counts, as Prometheus reads it."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from gitsched.domain.instants import Instant, seconds_between
from webhook.tenants import Tenants

_BUCKETS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """The figures of one service; labels hold names of repositories and fixed words, never text of others."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.registry = CollectorRegistry()
        self.received = Counter(
            "gitsched_deliveries_received", "Deliveries answered", ["status", "reason"], registry=self.registry
        )
        self.answered_s = Histogram(
            "gitsched_delivery_answer_seconds", "Time to answer", buckets=_BUCKETS, registry=self.registry
        )
        self.done = Counter("gitsched_deliveries_done", "Deliveries done", ["repository"], registry=self.registry)
        self.failed = Counter(
            "gitsched_deliveries_failed", "Tries that failed and are repeated", ["repository"], registry=self.registry
        )
        self.waiting = Gauge("gitsched_inbox_waiting", "Deliveries that wait", ["repository"], registry=self.registry)
        self.age_s = Gauge(
            "gitsched_inbox_age_seconds", "Age of the oldest that waits", ["repository"], registry=self.registry
        )
        self.live = Gauge("gitsched_runs_live", "Live runs", ["repository"], registry=self.registry)

    def page(self, tenants: Tenants, now: Instant) -> bytes:
        """Write the figures as they are now."""
        for repository in tenants.all:
            waiting = repository.inbox.waiting()
            age_s = seconds_between(waiting[0].received_at, now) if waiting else 0.0
            self.waiting.labels(repository.name).set(len(waiting))
            self.age_s.labels(repository.name).set(max(0.0, age_s))
            self.live.labels(repository.name).set(repository.live_count)
        return generate_latest(self.registry)
