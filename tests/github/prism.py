"""GitHub's description served by a published mock server, which refuses a request that does not fit."""

import json
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import urllib3

from tests.github.fake.audit import Heard
from tests.github.fake.description import FILE
from tests.golden import ROOT

PACKAGE = "@stoplight/prism-cli@5.14.2"
FOLDER = ROOT / "build" / "prism"
PROGRAM = FOLDER / "node_modules" / ".bin" / "prism"
START_S, ENDING_S, LOOK_S = 240.0, 10.0, 0.1


def install() -> str | None:
    """Install the mock server once; say why where that cannot be."""
    if PROGRAM.exists():
        return None
    if shutil.which("npm") is None:
        return "no npm on this machine"
    FOLDER.mkdir(parents=True, exist_ok=True)
    person = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}
    person = {name: value for name, value in person.items() if not name.startswith("XDG_")}
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(FOLDER), PACKAGE]
    ended = subprocess.run(command, env=person, capture_output=True, text=True, check=False)
    return None if ended.returncode == 0 else f"the package registry did not answer: {ended.stderr.strip()[-200:]}"


@contextmanager
def served() -> Iterator[str]:
    """Serve the description on loopback and give its address."""
    port = _free_port()
    command = [str(PROGRAM), "mock", "-h", "127.0.0.1", "-p", str(port), str(FILE)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(ENDING_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), LOOK_S).close()
        except OSError:
            try:
                process.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                continue
        else:
            return
    raise AssertionError(f"the mock server did not start: {process.poll()}")


def refusal(pool: urllib3.PoolManager, address: str, heard: Heard) -> str | None:
    """Send a request to the mock as it was sent to the fake; say what the mock has against it.

    Without its `Accept`: the mock does not know that GitHub's own media type is JSON.
    """
    kept = {name: value for name, value in heard.headers.items() if name.lower() == "content-type"}
    url = f"{address}{heard.path}{'?' if heard.query else ''}{heard.query}"
    raw = pool.request(heard.method, url, body=heard.body or None, headers=kept, redirect=False, timeout=60)
    if "problem+json" in raw.headers.get("Content-Type", ""):
        return f"{heard}: {raw.data.decode()[:500]}"
    violations = json.loads(raw.headers.get("sl-violations", "[]"))
    told = [found["message"] for found in violations if found["location"][0] == "request"]
    return f"{heard}: {told}" if told else None
