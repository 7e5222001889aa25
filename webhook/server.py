"""The server in front of the application: waitress, with a limit on how long a request may take to arrive.

Waitress reads every connection in one loop and gives a thread only to requests that are whole, so a slow client
holds a buffer and no thread; what it does not bound is how long such a request may take.
"""

from time import monotonic
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from webhook.reception import LARGEST_BYTES

ARRIVAL_S = 20.0
"""How long a request may take to arrive; GitHub gives up after 10 s."""
_THREADS = 8
_CONNECTIONS = 500
_LARGEST_HEADER_BYTES = 32 * 1024


class _Channel(HTTPChannel):
    """A connection that knows since when its present request has been arriving."""

    begun_s = 0.0

    def received(self, data: bytes) -> bool:
        """Take bytes in."""
        if self.request is None:
            self.begun_s = monotonic()
        return bool(super().received(data))


class Server(TcpWSGIServer):
    """Waitress with bounds."""

    channel_class = _Channel

    arrival_s = ARRIVAL_S

    def maintenance(self, now: float) -> None:
        """Close connections that idle, those whose request takes too long to arrive, and the oldest of a crowd."""
        super().maintenance(now)
        unwhole = [channel for channel in self.active_channels.values() if _is_unwhole(channel)]
        for channel in unwhole:
            if channel.request is not None and monotonic() - channel.begun_s > self.arrival_s:
                channel.will_close = True
        # Whoever holds connections open must not keep the next one out: at the limit nothing is taken in any more.
        surplus = len(self.active_channels) - self.adj.connection_limit * 3 // 4
        for channel in sorted(unwhole, key=lambda channel: channel.creation_time)[: max(0, surplus)]:
            channel.will_close = True


def _is_unwhole(channel: HTTPChannel) -> bool:
    """Say whether nothing that it sent waits for an answer, or is being answered."""
    return isinstance(channel, _Channel) and not channel.requests


def server_for(app: Flask, host: str, port: int, **settings: Any) -> Server:
    """Listen at an address; port 0 takes a free one. Raises OSError where that is taken."""
    return Server(
        app,
        host=host,
        port=port,
        threads=_THREADS,
        connection_limit=_CONNECTIONS,
        max_request_body_size=LARGEST_BYTES + 1,
        max_request_header_size=_LARGEST_HEADER_BYTES,
        channel_timeout=30,
        cleanup_interval=1,
        ident="gitsched",
        asyncore_use_poll=True,
        **settings,
    )
