"""Serving: put the parts together, listen, and on TERM stop taking in, finish what is in hand, and end."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from types import FrameType
from typing import NoReturn

from flask import Flask

from gitsched.errors import ConfigError, RefusedError
from gitsched.wiring.clone import Clone
from gitsched.wiring.service import Repository, courier_of, repositories_of, webhook_secrets
from webhook.app import Service, close_the_door, create_app
from webhook.dashboard.door import is_loopback
from webhook.dashboard.pages import dashboard
from webhook.drivers import Drivers
from webhook.metrics import Metrics
from webhook.reception import Reception
from webhook.server import Server, server_for
from webhook.tenants import Tenants
from webhook.worker import Worker

GRACE_S = 20.0
_LOG = logging.getLogger(__name__)


def service_of(clone: Clone) -> Service:
    """Put the service of a clone together. Raises ConfigError without a secret: any delivery could be forged."""
    settings = clone.settings
    if not webhook_secrets(settings):
        named = ", ".join(settings.github.webhook_secrets_env) or "none is named"
        raise ConfigError(
            "The webhook service was to be started.",
            f"No secret is set in github.webhook_secrets_env ({named}).",
            'Write `[github]` / `webhook_secrets_env = ["GITSCHED_WEBHOOK_SECRET"]` and set that variable.',
        )
    own = Repository(clone.root)
    tenants, metrics = Tenants(partial(repositories_of, clone)), Metrics()
    now = clone.clock.now
    worker = Worker(tenants, metrics, Drivers(lambda: own.settings.webhook.max_live), now)
    worker.courier_of = courier_of
    worker.is_disabled = partial(_is_switched_off, own)
    reception = Reception(
        secrets=lambda: webhook_secrets(own.settings),
        store=tenants,
        now=now,
        app_id=lambda: own.settings.github.app_id,
    )
    return Service(
        reception=reception,
        tenants=tenants,
        worker=worker,
        metrics=metrics,
        now=now,
        dashboard_token_env=lambda: own.settings.github.dashboard_token_env,
    )


def _is_switched_off(own: Repository) -> bool:
    own.refresh()
    return own.is_disabled


def serve(start: Path, host: str, port: int, tell: Callable[[str], None]) -> int:
    """Serve until TERM or INT. Raises ConfigError, RefusedError."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
    service = service_of(Clone(start))
    server = _listening(create_app(service), host, port, "The webhook service")
    service.worker.start()
    tell(f"Listening at http://{host}:{server.effective_port}/webhook")
    _run(server, service.ending)
    return 0 if service.worker.stop(GRACE_S) else 1


def serve_dashboard(start: Path, host: str, port: int, tell: Callable[[str], None]) -> int:
    """Serve the dashboard alone until TERM or INT. Raises ConfigError, RefusedError."""
    clone, ending = Clone(start), Event()
    own = Repository(clone.root)
    _refuse_open_door(host, own)
    tenants = Tenants(partial(repositories_of, clone))
    app = Flask("webhook", static_folder=None)
    pages = dashboard(lambda: tenants.all, lambda: own.settings.github.dashboard_token_env, ending.is_set)
    app.register_blueprint(pages)
    close_the_door(app)
    server = _listening(app, host, port, "The dashboard")
    tell(f"The dashboard is at http://{host}:{server.effective_port}/")
    _run(server, ending)
    return 0


def _refuse_open_door(host: str, own: Repository) -> None:
    named = own.settings.github.dashboard_token_env
    if not is_loopback(host) and not os.environ.get(named or ""):
        where = f"github.dashboard_token_env ({named or 'none is named'})"
        raise RefusedError(
            f"The dashboard was to listen at {host}.",
            f"Others reach that address, and no token is set in {where}.",
            "Set one, or stay at 127.0.0.1.",
        )


def _listening(app: Flask, host: str, port: int, what: str) -> Server:
    try:
        return server_for(app, host, port)
    except OSError as taken:
        asked = f"{what} was to listen at {host}:{port}."
        raise RefusedError(asked, f"{taken.strerror}.", "Give another --port.") from taken


def _run(server: Server, ending: Event) -> None:
    """Answer until TERM or INT, and then the requests in hand."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        ending.set()
        raise SystemExit

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    server.run()
    server.close()
