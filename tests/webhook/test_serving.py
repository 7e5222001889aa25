"""The service as a process: its door, its end on TERM, and a death in the middle."""

import http.client
import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef
from tests.golden import ROOT
from tests.webhook.conftest import House
from tests.webhook.post import headers, payload
from webhook.app import create_app
from webhook.server import Server, server_for


class Served:
    """A `gitsched serve` of its own."""

    def __init__(self, repo: Path) -> None:
        command = [sys.executable, "-m", "gitsched", "serve", "-C", str(repo), "--port", "0"]
        self.process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        self.port = self._port()

    def _port(self) -> int:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = re.search(r"Listening at http://127\.0\.0\.1:(\d+)/webhook", line)
            if found:
                return int(found[1])
        pytest.fail("the service did not listen")

    def post(self, name: str, body: bytes | None = None, event: str = "push") -> int:
        content = payload() if body is None else body
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", "/webhook", content, headers(content, name, event))
            return connection.getresponse().status
        finally:
            connection.close()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()


@pytest.fixture
def served(house: House) -> Iterator[list[Served]]:
    started: list[Served] = []
    yield started
    for one in started:
        one.close()


def test_a_kill_right_after_the_answer_loses_nothing(house: House, served: list[Served]) -> None:
    """W-05: killed by KILL under load; started again, everything that was answered is worked off, once."""
    house.configure("[webhook]\ndisabled = true")
    served.append(Served(house.repo))
    answered: list[str] = []

    def deliver(start: int) -> None:
        for number in range(start, 4_000, 4):
            try:
                if served[0].post(f"d{number}") == 202:
                    answered.append(f"d{number}")
            except OSError:
                return

    takers = [Thread(target=deliver, args=(start,)) for start in range(4)]
    for taker in takers:
        taker.start()
    until_s = monotonic() + 30
    while len(answered) < 60 and monotonic() < until_s:
        takers[0].join(0.02)
    served[0].end(signal.SIGKILL)
    for taker in takers:
        taker.join()
    waiting = [found.id for found in InboxRef(house.repo, SystemClock()).waiting()]
    assert len(answered) >= 60
    assert set(answered) <= set(waiting)
    assert len(waiting) == len(set(waiting)) <= len(answered) + 4
    house.configure()
    served.append(Served(house.repo))
    assert served[1].post("d0") == 202
    box = InboxRef(house.repo, SystemClock())
    until_s = monotonic() + 60
    while box.waiting() and monotonic() < until_s:
        takers[0].join(0)
        select.select([], [], [], 0.05)
    assert box.waiting() == ()
    assert all(box.knows(name) for name in answered)


def test_a_command_comes_in_by_the_door_and_term_ends_it(house: House, served: list[Served]) -> None:
    """W-13: exits in its grace, with 0."""
    served.append(Served(house.repo))
    assert served[0].post("d1", house.comment(2, "/gitsched enqueue"), "issue_comment") == 202
    until_s = monotonic() + 30
    while 2 not in _entries(house) and monotonic() < until_s:
        select.select([], [], [], 0.05)
    assert 2 in _entries(house)
    assert served[0].end() == 0
    with pytest.raises(OSError, match="refused"):
        served[0].post("late")


def _entries(house: House) -> set[int]:
    from gitsched.errors import RefusedError

    try:
        return set(house.clone.store.read().entries)
    except RefusedError:
        return set()


def test_without_a_secret_it_does_not_start(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-02: with an empty list."""
    monkeypatch.delenv("SECRET_NEW")
    command = [sys.executable, "-m", "gitsched", "serve", "-C", str(house.repo), "--port", "0"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "No secret is set in github.webhook_secrets_env" in ended.stderr


def test_a_taken_port_is_refused(house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "gitsched", "serve", "-C", str(house.repo), "--port", str(port)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "was to listen at" in ended.stderr


@pytest.fixture
def door(house: House) -> Iterator[Server]:
    """The server in this process, which waits half a second for a request to arrive."""
    server = server_for(create_app(house.service), "127.0.0.1", 0)
    server.arrival_s = 0.5
    ended = Thread(target=server.run, daemon=True)
    ended.start()
    yield server
    server.task_dispatcher.shutdown()
    server.close()
    for channel in list(server.active_channels.values()):
        channel.will_close = True
    server.pull_trigger() if server.trigger.socket else None
    ended.join(5)


def connected(door: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", door.effective_port), timeout=10)


def test_slow_clients_are_cut_off_and_hold_nobody_up(door: Server) -> None:
    """Slowloris: twenty requests that never become whole, and one that is answered meanwhile."""
    slow = [connected(door) for _ in range(20)]
    for client in slow:
        client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12")
    with connected(door) as quick:
        quick.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"200 OK" in quick.recv(65_536)
    for client in slow:
        assert client.recv(1) == b""
        client.close()


def test_a_crowd_of_slow_clients_keeps_nobody_out(door: Server) -> None:
    """Slowloris with as many sockets as there are places, each in time still: the oldest go, and a sender comes in."""
    door.arrival_s, door.adj.connection_limit = 60.0, 40
    crowd = [connected(door) for _ in range(60)]
    for number, client in enumerate(crowd):
        with suppress(ConnectionError):
            client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12" if number % 2 else b"P")
    with connected(door) as sender:
        sender.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"200 OK" in sender.recv(65_536)
    for client in crowd:
        client.close()


def test_headers_without_end_and_a_length_beyond_the_bound_are_refused(door: Server) -> None:
    with connected(door) as client:
        client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\n" + b"X-A: " + b"a" * 40_000 + b"\r\n\r\n")
        assert b" 431 " in client.recv(65_536)
    with connected(door) as client:
        client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 27262976\r\n\r\n")
        assert b" 413 " in client.recv(65_536)


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"NONSENSE\r\n\r\n",
        b"POST /webhook HTTP/1.1\r\n Host: x\r\n\r\n",
    ],
)
def test_requests_that_are_read_in_two_ways_are_no_delivery(door: Server, sent: bytes) -> None:
    with connected(door) as client:
        client.sendall(sent)
        answer = client.recv(65_536)
    assert answer == b"" or re.match(rb"HTTP/1\.[01] 4\d\d ", answer)
