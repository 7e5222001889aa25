import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from gitsched.adapters.notifier import OwnNotifier
from gitsched.config.shipping import NotifySettings


@contextmanager
def receiver(status: int = 204) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Listen on the loopback, answer with a status, and keep what comes."""
    heard: list[tuple[str, bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def notifier(place: Path, environment: dict[str, str] | None = None, **chosen: object) -> OwnNotifier:
    return OwnNotifier(NotifySettings(**chosen), environment or {}, place)  # type: ignore[arg-type]


def test_a_notice_is_posted_and_the_secret_part_of_the_address_comes_from_the_environment(tmp_path: Path) -> None:
    with receiver() as (address, heard):
        one = notifier(tmp_path, {"HOOK": "s3cret"}, url=address + "/${HOOK}", env=("HOOK",))
        assert one.send(b'{"id": "1"}') is None
    assert heard == [("/s3cret", b'{"id": "1"}')]


def test_what_goes_wrong_is_told_without_the_address(tmp_path: Path) -> None:
    with receiver(500) as (address, _):
        told = notifier(tmp_path, {"HOOK": "s3cret"}, url=address + "/${HOOK}", env=("HOOK",)).send(b"{}")
    assert told == "the address answered 500"
    gone = notifier(tmp_path, {"HOOK": "s3cret"}, url=address + "/${HOOK}", env=("HOOK",)).send(b"{}")
    assert gone == "the address could not be reached (URLError)"
    unnamed = notifier(tmp_path, {"HOOK": "s3cret"}, url=address + "/${HOOK}").send(b"{}")
    assert unnamed == "HOOK is not set, or notify.env does not name it"


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with receiver(302) as (address, heard):
        assert notifier(tmp_path, url=address).send(b"{}") == "the address answered 302"
    assert len(heard) == 1


def test_a_command_gets_the_notice_and_only_the_secrets_that_are_named(tmp_path: Path) -> None:
    script = "import os, sys, json; json.dump([sys.stdin.read(), os.getcwd(), sorted(os.environ)], open('out', 'w'))"
    environment = {"MY_TOKEN": "a", "OTHER_TOKEN": "b", "LANG": "C"}
    assert (
        notifier(tmp_path, environment, command=(sys.executable, "-c", script), env=("MY_TOKEN",)).send(b"{}") is None
    )
    said, where, names = json.loads((tmp_path / "out").read_text())
    assert (said, where) == ("{}", str(tmp_path))
    assert "MY_TOKEN" in names
    assert "OTHER_TOKEN" not in names


def test_a_command_that_fails_or_is_missing_is_told(tmp_path: Path) -> None:
    assert notifier(tmp_path, command=("false",)).send(b"{}") == "false ended with 1"
    missing = notifier(tmp_path, command=("no-such-program",)).send(b"{}")
    assert missing == "no-such-program could not be started: No such file or directory"


def test_a_command_that_does_not_read_is_no_trouble(tmp_path: Path) -> None:
    assert notifier(tmp_path, command=("true",)).send(b"x" * 1_000_000) is None
