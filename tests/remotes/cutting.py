"""A network that loses answers: a proxy that cuts the line once the server has taken a push."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from urllib.parse import urlsplit

_CHUNK = 65_536
_PUSH = b"git-receive-pack HTTP/1.1\r\n"


class Cutting:
    """Passes everything on, but for the answers to the next pushes."""

    def __init__(self, server: str) -> None:
        """Stand before a server by its address."""
        self._server = urlsplit(server)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._lock = Lock()
        self.to_cut = 0
        """How many answers to pushes are lost from now on."""
        self.cut_count = 0
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        there = socket.create_connection((self._server.hostname or "", self._server.port or 80))
        asks = _Asks()
        with client, there, suppress(OSError):
            up = Thread(target=_pass_on, args=(client, there, asks), daemon=True)
            up.start()
            while chunk := there.recv(_CHUNK):
                if asks.is_push and self._is_cut():
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(chunk)

    def _is_cut(self) -> bool:
        with self._lock:
            if not self.to_cut:
                return False
            self.to_cut -= 1
            self.cut_count += 1
            return True


class _Asks:
    """What a connection asks for."""

    is_push = False


def _pass_on(client: socket.socket, there: socket.socket, asks: _Asks) -> None:
    with suppress(OSError):
        while chunk := client.recv(_CHUNK):
            if b"POST " in chunk[:_CHUNK] or b"GET " in chunk[:4]:
                asks.is_push = _PUSH in chunk
            there.sendall(chunk)
        there.shutdown(socket.SHUT_WR)


@contextmanager
def cutting(server: str) -> Iterator[Cutting]:
    """Put such a proxy before a server."""
    proxy = Cutting(server)
    try:
        yield proxy
    finally:
        proxy.close()
