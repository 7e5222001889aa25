"""The webhook service under load, and killed in the middle of it: answered deliveries a second, and none lost (P9).

Clients are processes of their own over kept-alive connections; the baseline is what they get from `/healthz`.
"""

import hashlib
import hmac
import http.client
import json
import multiprocessing
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figures import Measured, tell
from benchmarks.ground import settle_environment
from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef

SECRET = b"bench"
CLIENTS, DELIVERIES = 8, 3_000
CONFIG = """\
[project]
remote = ""
[suite]
run = "none"
[github]
repository = "octo/repo"
webhook_secrets_env = ["BENCH_SECRET"]
[webhook]
disabled = true
"""
TITLE = "x" * 8_000
"""Real payloads have about that size."""


def payload(name: str) -> bytes:
    about = {"action": "labeled", "repository": {"id": 77, "full_name": "octo/repo"}, "issue": {"number": 1}}
    return json.dumps({**about, "title": TITLE, "name": name}).encode()


def headers(name: str, body: bytes) -> dict[str, str]:
    signed = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": name,
        "X-GitHub-Event": "issues",
        "X-Hub-Signature-256": f"sha256={signed}",
    }


def client(port: int, names: list[str], path: str, out: "multiprocessing.Queue[list[tuple[str, float]]]") -> None:
    """Post each delivery once and tell which were answered with 202, each with the seconds that took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    answered: list[tuple[str, float]] = []
    try:
        for name in names:
            body = payload(name)
            began_s = time.perf_counter()
            if path == "/webhook":
                connection.request("POST", path, body, headers(name, body))
            else:
                connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            if answer.status in (200, 202):
                answered.append((name, time.perf_counter() - began_s))
    except (OSError, http.client.HTTPException):
        pass
    out.put(answered)


def load(
    port: int, count: int, path: str = "/webhook", kill: "subprocess.Popen[str] | None" = None, tag: str = "d"
) -> tuple[list[tuple[str, float]], float]:
    """Run all clients and give what was answered, and the seconds it took; `kill` ends a process half-way."""
    out: multiprocessing.Queue[list[tuple[str, float]]] = multiprocessing.Queue()
    names = [[f"{tag}-{one}-{number}" for number in range(count // CLIENTS)] for one in range(CLIENTS)]
    clients = [multiprocessing.Process(target=client, args=(port, part, path, out)) for part in names]
    began_s = time.perf_counter()
    for one in clients:
        one.start()
    if kill is not None:
        clients[0].join(1.5)
        kill.send_signal(signal.SIGKILL)
    answered = [found for _ in clients for found in out.get()]
    took_s = time.perf_counter() - began_s
    for one in clients:
        one.join()
    return answered, took_s


def started(repo: Path) -> "tuple[subprocess.Popen[str], int]":
    command = [sys.executable, "-m", "gitsched", "serve", "-C", str(repo), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r":(\d+)/webhook", line)
        if found:
            return process, int(found[1])
    raise SystemExit("the service did not start")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settle_environment(home)
        os.environ["BENCH_SECRET"] = SECRET.decode()
        repo = home / "repo"
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q", "-b", "main", str(repo)], check=True)
        (repo / "gitsched.toml").write_text(CONFIG)
        subprocess.run([*git, "-C", str(repo), "add", "-A"], check=True)
        subprocess.run([*git, "-C", str(repo), "commit", "-q", "-m", "Configure"], check=True)
        process, port = started(repo)
        _, idle_s = load(port, DELIVERIES, "/healthz")
        answered, took_s = load(port, DELIVERIES)
        per_second, baseline = len(answered) / took_s, DELIVERIES / idle_s
        tell("P9 deliveries a second", Measured(per_second, "1/s", baseline), ">= 300", met=per_second >= 300)
        p99_s = statistics.quantiles([seconds for _, seconds in answered], n=100)[-1]
        tell("P9 p99 of an answer", Measured(1000 * p99_s, "ms", 1000 / baseline * CLIENTS), "<= 50", met=p99_s <= 0.05)
        killed, _ = load(port, DELIVERIES, kill=process, tag="k")
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
        waiting = [found.id for found in InboxRef(repo, SystemClock()).waiting()]
        told = {name for name, _ in (*answered, *killed)}
        lost, doubled = len(told - set(waiting)), len(waiting) - len(set(waiting))
        tell("P9 lost or doubled by a kill", Measured(lost + doubled, "", 1), "0", met=lost + doubled == 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
