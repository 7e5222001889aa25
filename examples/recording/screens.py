"""Capture the screens and pages of the how-to `look.md`, each at three sizes: play the demo, and look at it.

    python examples/recording/screens.py docs/images

Terminals are captured from a real terminal of that size, pages from Chromium in a window of that size.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from record import FRAME, gitsched
from rich.console import Console
from rich.text import Text

TERMINALS = {"small": (80, 24), "middle": (110, 34), "large": (160, 45)}
WINDOWS = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
PARTS = {"time": ("report-time", (1280, 500)), "search": ("report-search", (1280, 840))}
"""Parts of a batch's page, each with the picture of it alone."""
LOOKS = (("status",), ("why", "b2"), ("plan",))
WIDTH = 110
PATIENCE_S = 30
SLOW = """
[agents.slow]
command = ["sh", "-c", "sleep 120"]
completion = "exit"
"""
TITLES = (
    "Show weights in kilograms",
    "Count visitors",
    "Sort goods by price",
    "Find goods by name",
    "Keep a wish list",
)


def watched(folder: Path, columns: int, rows: int) -> list[str]:
    """Read what the live view draws first on a terminal of this size, a line each."""
    ours, theirs = os.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(rows)}
    command = [sys.executable, "-m", "gitsched", "watch", "--all"]
    size = ["sh", "-c", f'stty cols {columns} rows {rows} && exec "$@"', "sh", *command]
    process = subprocess.Popen(size, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 0.5 if b"\n" in seen else PATIENCE_S)[0]:
        seen += os.read(ours, 65_536)
    process.terminate()
    process.wait(PATIENCE_S)
    os.close(ours)
    screen = seen.decode().rpartition("\x1b[H")[2]
    return [line.rstrip("\r") for line in screen.split("\n")][:rows]


def terminal_picture(lines: list[str], columns: int, name: str, title: str) -> str:
    """Draw a terminal's lines as an SVG."""
    console = Console(record=True, width=columns, file=open(os.devnull, "w"), highlight=False, markup=False)  # noqa: PTH123, SIM115
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    return console.export_svg(title=title, code_format=FRAME, unique_id=name)


def photographed(address: str, window: tuple[int, int], file: Path, profile: Path, *, is_night: bool = False) -> None:
    """Have Chromium draw a page in a window of this size."""
    browser = shutil.which("chromium") or "chromium"
    flags = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={profile}"]
    if is_night:
        flags.append("--blink-settings=preferredColorScheme=0")
    size = f"--window-size={window[0]},{window[1]}"
    command = [browser, *flags, size, f"--screenshot={file}", address]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S * 4)
    if find_spec("PIL") is not None:
        from PIL import Image

        Image.open(file).convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE, colors=48).save(
            file, optimize=True
        )


def cut_out(page: str, part: str) -> str:
    """Keep one part of a page: from its heading to the next one."""
    begin = page.index(f'<h2 id="{part}"')
    end = page.index("<h2 ", begin + 1)
    return f"{page[: page.index('<h1')]}{page[begin:end]}</main></body></html>"


def main() -> None:
    images = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="gitsched-screens-") as folder:
        place = Path(folder)
        subprocess.run(
            [sys.executable, "-m", "gitsched", "demo", "--keep", "shop"], cwd=place, capture_output=True, check=False
        )
        shop = place / "shop"
        for name, (columns, rows) in TERMINALS.items():
            lines = watched(shop / "repo", columns, rows)
            picture = terminal_picture(lines, columns, f"watch-{name}", f"gitsched watch, {columns} columns")
            (images / f"watch-{name}.svg").write_text(picture, encoding="utf-8")
        report = (shop / "report.html").as_uri()
        for name, window in WINDOWS.items():
            photographed(report, window, images / f"page-{name}.png", place / "profile")
        for part, (name, window) in PARTS.items():
            alone = place / f"{part}.html"
            alone.write_text(cut_out((shop / "report.html").read_text(encoding="utf-8"), part), encoding="utf-8")
            photographed(alone.as_uri(), window, images / f"{name}.png", place / "profile")
        with at_work(shop / "repo"):
            (images / "status.svg").write_text(looked(shop / "repo"), encoding="utf-8")
            with served(shop / "repo") as address:
                for name, window in WINDOWS.items():
                    file = images / f"dashboard-{name}.png"
                    photographed(address, window, file, place / "profile", is_night=name == "phone")


def looked(repo: Path) -> str:
    """Draw what the commands say that only look, one under the other."""
    lines = []
    for words in LOOKS:
        lines += [f"\x1b[1m$ gitsched {' '.join(words)}\x1b[0m", *gitsched(repo, *words).splitlines(), ""]
    return terminal_picture(lines, WIDTH, "looks", "gitsched")


@contextmanager
def at_work(repo: Path) -> Iterator[None]:
    """Have two more batches, one of them at work with three agents that take their time."""
    base = [sys.executable, "-m", "gitsched", "-C", str(repo)]
    with (repo / "gitsched.toml").open("a", encoding="utf-8") as file:
        file.write(SLOW)
    subprocess.run(["git", "-C", str(repo), "add", "-f", "gitsched.toml"], check=True)
    subprocess.run(["git", "-C", str(repo), "commit", "-q", "-m", "Configure a slow agent"], check=True)
    made = [subprocess.check_output([*base, "issue", "new", "--title", title], text=True).strip() for title in TITLES]
    for some in (made[:3], made[3:]):
        subprocess.run([*base, "enqueue", *some, "--profile", "slow"], check=True, capture_output=True)
    driver = subprocess.Popen([*base, "run", "--slots", "3"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s and not gitsched(repo, "status").startswith("3 of 3"):
            time.sleep(0.2)
        yield
    finally:
        for batch in ("b2", "b3"):
            subprocess.run([*base, "stop", batch], check=False, capture_output=True)
        driver.send_signal(signal.SIGINT)
        driver.send_signal(signal.SIGINT)
        driver.wait(PATIENCE_S * 4)


@contextmanager
def served(repo: Path) -> Iterator[str]:
    """Serve the dashboard for as long as it is looked at."""
    command = [sys.executable, "-m", "gitsched", "-C", str(repo), "serve", "--dashboard", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        told = next(line for line in server.stderr if "http://" in line)
        yield next(word for word in told.split() if word.startswith("http://")).rstrip(".,")
    finally:
        server.terminate()
        server.wait(PATIENCE_S)


if __name__ == "__main__":
    main()
