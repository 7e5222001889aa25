"""The service's pages: `POST /webhook`, health, readiness, figures. A factory, so that each test has its own."""

from collections.abc import Callable
from threading import Event
from time import monotonic

from flask import Flask, Request, Response, jsonify, request
from msgspec import Struct, field

from gitsched.domain.instants import Instant, seconds_between
from webhook.dashboard.pages import dashboard
from webhook.metrics import Metrics
from webhook.reception import LARGEST_BYTES, Answer, Reception
from webhook.tenants import Tenants
from webhook.worker import Worker

_OLDEST_S = 300.0
"""A delivery that waits for longer than this means that the service does not keep up."""


class Service(Struct, frozen=True, kw_only=True):
    """What the pages show and use."""

    reception: Reception
    tenants: Tenants
    worker: Worker
    metrics: Metrics
    now: Callable[[], Instant]
    dashboard_token_env: Callable[[], str] = lambda: ""
    """Names the variable with the token that opens the dashboard from elsewhere."""
    ending: Event = field(default_factory=Event)
    """Set when the service is about to end: what streams ends with it."""


def create_app(service: Service) -> Flask:
    """Make the application."""
    app = Flask("webhook", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BYTES

    @app.post("/webhook")
    def webhook() -> Response:
        began_s = monotonic()
        answer = _received(service, request)
        service.metrics.received.labels(str(answer.status), answer.reason).inc()
        service.metrics.answered_s.observe(monotonic() - began_s)
        if answer.reason == "stored":
            service.worker.poke()
        return _told(answer)

    @app.errorhandler(413)
    def too_large(_refused: Exception) -> Response:
        answer = Answer(413, "too-large")
        service.metrics.received.labels(str(answer.status), answer.reason).inc()
        return _told(answer)

    @app.get("/healthz")
    def healthz() -> Response:
        return _text("ok\n")

    @app.get("/readyz")
    def readyz() -> Response:
        return _readiness(service)

    @app.get("/metrics")
    def metrics() -> Response:
        return Response(service.metrics.page(service.tenants, service.now()), content_type="text/plain; version=0.0.4")

    app.register_blueprint(dashboard(lambda: service.tenants.all, service.dashboard_token_env, service.ending.is_set))
    close_the_door(app)
    return app


def close_the_door(app: Flask) -> None:
    """Let no page of an application do more than it says itself, and keep none."""

    @app.after_request
    def closed(response: Response) -> Response:
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        response.headers["Cache-Control"] = "no-store"
        return response


def _received(service: Service, received: Request) -> Answer:
    if service.worker.is_stopping:
        return Answer(503, "stopping")
    # The bytes as they came: a form that was parsed, or JSON written anew, has another signature.
    body = received.get_data(cache=False, parse_form_data=False)
    return service.reception.receive(dict(received.headers), body)


def _told(answer: Answer) -> Response:
    response = jsonify({"reason": answer.reason})
    response.status_code = answer.status
    return response


def _readiness(service: Service) -> Response:
    """Tell how old the oldest waiting delivery is, and which repositories cannot be read."""
    rows = []
    for repository in service.tenants.all:
        waiting = repository.inbox.waiting()
        age_s = max(0.0, seconds_between(waiting[0].received_at, service.now())) if waiting else 0.0
        trouble = service.worker.troubles.get(repository.path)
        is_ready = repository.is_disabled or (age_s <= _OLDEST_S and trouble is None)
        rows.append(
            {
                "repository": repository.name,
                "ready": is_ready,
                "disabled": repository.is_disabled,
                "waiting": len(waiting),
                "inbox_age_s": round(age_s, 1),
                "last_drain_at": service.worker.drained_at.get(repository.path),
                "trouble": trouble,
            }
        )
    is_at_work = not (service.worker.is_stopping or service.worker.has_died)
    ready = bool(rows) and all(row["ready"] for row in rows) and is_at_work
    response = jsonify({"ready": ready, "repositories": rows})
    response.status_code = 200 if ready else 503
    return response


def _text(text: str) -> Response:
    return Response(text, content_type="text/plain; charset=utf-8")
