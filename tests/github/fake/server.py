"""The HTTP server: one port on loopback, a thread for each connection, ended by the test that began it."""

import socket
import threading
from typing import TYPE_CHECKING, Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from tests.github.fake import git_http
from tests.github.fake.audit import Heard
from tests.github.fake.calls import Answer, AnsweredError
from tests.github.fake.exchange import Exchange
from tests.github.fake.faults import Fault

if TYPE_CHECKING:
    from tests.github.fake.hub import Hub

JOIN_S = 10.0


class _Quiet(WSGIRequestHandler):
    """Logs nothing: the audit knows."""

    timeout = 60

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - the library's own name
        """Say nothing."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Send no `Date` of the machine's clock: the hub has its own."""
        self.send_response_only(code, message)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class Server:
    """Serves a hub until it is stopped."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self._exchange = Exchange(hub)
        self._http: BaseWSGIServer = make_server("127.0.0.1", 0, self._serve, threaded=True, request_handler=_Quiet)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="fake GitHub", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join(JOIN_S)
        self._http.server_close()

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Any:
        request = Request(environ)
        body = request.get_data()
        heard = Heard(
            request.method, request.path, request.query_string.decode(), dict(request.headers), body, self._hub.now_s()
        )
        self._hub.audit.hear(heard)
        due = self._hub.faults.due(
            heard.method, f"{heard.path}?{heard.query}".removesuffix("?"), body.decode(errors="replace")
        )
        heard.fate.extend(sorted(due))
        if "hold" in due:
            due["hold"].released.wait(due["hold"].hold_s)
        if "cut" in due:
            return _cut(environ)
        if "answer" in due:
            response = self._scripted(due["answer"])
        else:
            response = self._act(request, heard)
            if "double" in due:
                response = self._act(request, heard)
        if "lose" in due:
            heard.status = 0
            return _cut(environ)
        if "spoil" in due:
            response = self._scripted(due["spoil"])
        heard.status = response.status_code
        return response(environ, start_response)

    def _act(self, request: Request, heard: Heard) -> Response:
        if git_http.is_git(request.path):
            heard.operation = "git"
            return git_http.serve(self._hub, request)
        return self._exchange.answer(request, heard)

    def _scripted(self, fault: Fault) -> Response:
        told = AnsweredError(fault.status, fault.message, headers=dict(fault.headers))
        return self._exchange.response(Answer(told.body(), told.status, told.headers))


def _cut(environ: dict[str, Any]) -> list[bytes]:
    """End the connection without a word."""
    connection: socket.socket = environ["werkzeug.socket"]
    try:
        connection.shutdown(socket.SHUT_RDWR)
    finally:
        raise ConnectionAbortedError("cut on purpose")
