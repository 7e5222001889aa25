"""Servers of git repositories on loopback: smart HTTP by git's own http-backend, and git's daemon.

The web server is waitress; what it serves is `git http-backend` as CGI (RFC 3875), as it stands behind any web server.
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import waitress
from msgspec import Struct

_LOOPBACK = "127.0.0.1"
_PATIENCE_S = 20.0
_THREADS = 16


class Tally(Struct):
    """What a server was asked for."""

    push_count: int = 0
    """Pushes that brought something, accepted or not."""
    fetch_count: int = 0
    """Fetches, whether there was something new or not."""

    def note(self, method: str, path: str, query: str, body: bytes) -> None:
        """Count a request. git probes a push that needs a name and a word by an empty one."""
        self.push_count += method == "POST" and path.endswith("/git-receive-pack") and body != b"0000"
        self.fetch_count += method == "GET" and query == "service=git-upload-pack"


def _backend(root: Path, tally: Tally, asked: dict[str, Any], start: Any) -> Iterable[bytes]:
    """Answer a request by `git http-backend`."""
    body = asked["wsgi.input"].read()
    tally.note(asked["REQUEST_METHOD"], asked["PATH_INFO"], asked["QUERY_STRING"], body)
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(root),
        "REQUEST_METHOD": asked["REQUEST_METHOD"],
        "PATH_INFO": asked["PATH_INFO"],
        "QUERY_STRING": asked["QUERY_STRING"],
        "CONTENT_TYPE": asked.get("CONTENT_TYPE", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": asked.get("HTTP_CONTENT_ENCODING", ""),
        "GIT_PROTOCOL": asked.get("HTTP_GIT_PROTOCOL", ""),
        "REMOTE_USER": "somebody",
        "REMOTE_ADDR": _LOOPBACK,
    }
    done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=False)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    start(fields.pop("Status", "200 OK"), [*fields.items(), ("Content-Length", str(len(content)))])
    return [content]


@contextmanager
def smart_http(root: Path, tally: Tally | None = None) -> Iterator[str]:
    """Serve the bare repositories below a folder, and give the address that their names are put behind."""
    app = partial(_backend, root, tally or Tally())
    server = waitress.create_server(app, host=_LOOPBACK, port=0, threads=_THREADS, asyncore_use_poll=True)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://{_LOOPBACK}:{server.effective_port}/"
    finally:
        server.close()
        thread.join(_PATIENCE_S)


@contextmanager
def git_daemon(root: Path) -> Iterator[str]:
    """Serve the bare repositories below a folder by git's daemon, and give the address."""
    port = _free_port()
    words = ["git", "daemon", "--reuseaddr", f"--listen={_LOOPBACK}", f"--port={port}", f"--base-path={root}"]
    daemon = subprocess.Popen([*words, "--export-all", "--enable=receive-pack", str(root)], start_new_session=True)
    try:
        _wait_for(port)
        yield f"git://{_LOOPBACK}:{port}/"
    finally:
        os.killpg(daemon.pid, 15)
        daemon.wait()


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind((_LOOPBACK, 0))
        return int(trial.getsockname()[1])


def _wait_for(port: int) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until_s:
        with socket.socket() as trial:
            if trial.connect_ex((_LOOPBACK, port)) == 0:
                return
        Event().wait(0.02)
    raise AssertionError(f"nothing listens on {port}")
