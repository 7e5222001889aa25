"""Serving: put the parts together, listen, and on TERM stop taking in, finish what is in hand, and end."""

import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NoReturn

from gitsched.errors import ConfigError, RefusedError
from gitsched.wiring.clone import Clone
from gitsched.wiring.service import Repository, courier_of, repositories_of, webhook_secrets
from webhook.app import Service, create_app
from webhook.drivers import Drivers
from webhook.metrics import Metrics
from webhook.reception import Reception
from webhook.server import server_for
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
    return Service(reception=reception, tenants=tenants, worker=worker, metrics=metrics, now=now)


def _is_switched_off(own: Repository) -> bool:
    own.refresh()
    return own.is_disabled


def serve(start: Path, host: str, port: int, tell: Callable[[str], None]) -> int:
    """Serve until TERM or INT. Raises ConfigError, RefusedError."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
    service = service_of(Clone(start))
    try:
        server = server_for(create_app(service), host, port)
    except OSError as taken:
        asked = f"The webhook service was to listen at {host}:{port}."
        raise RefusedError(asked, f"{taken.strerror}.", "Give another --port.") from taken
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    service.worker.start()
    tell(f"Listening at http://{host}:{server.effective_port}/webhook")
    server.run()  # returns after `_end`, once the requests in hand are answered
    server.close()
    return 0 if service.worker.stop(GRACE_S) else 1


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit
