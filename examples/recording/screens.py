"""Capture the screens and pages of the how-to `look.md`, each at three sizes: play the demo, and look at it.

    python examples/recording/screens.py docs/images

Terminals are captured from a real terminal of that size, pages from Chromium in a window of that size.
"""

import os
import select
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from record import FRAME
from rich.console import Console
from rich.text import Text

TERMINALS = {"small": (80, 24), "middle": (110, 34), "large": (160, 45)}
WINDOWS = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
PATIENCE_S = 30


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


def terminal_picture(lines: list[str], columns: int, name: str) -> str:
    """Draw a terminal's lines as an SVG."""
    console = Console(record=True, width=columns, file=open(os.devnull, "w"), highlight=False, markup=False)  # noqa: PTH123, SIM115
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    return console.export_svg(title=f"gitsched watch, {columns} columns", code_format=FRAME, unique_id=name)


def photographed(address: str, window: tuple[int, int], file: Path, profile: Path) -> None:
    """Have Chromium draw a page in a window of this size."""
    browser = shutil.which("chromium") or "chromium"
    flags = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={profile}"]
    size = f"--window-size={window[0]},{window[1]}"
    command = [browser, *flags, size, f"--screenshot={file}", address]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S * 4)
    if find_spec("PIL") is not None:
        from PIL import Image

        Image.open(file).convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE, colors=48).save(
            file, optimize=True
        )


def main() -> None:
    images = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="gitsched-screens-") as folder:
        place = Path(folder)
        subprocess.run(
            [sys.executable, "-m", "gitsched", "demo", "--keep", "shop"], cwd=place, capture_output=True, check=False
        )
        shop = place / "shop"
        for name, (columns, rows) in TERMINALS.items():
            picture = terminal_picture(watched(shop / "repo", columns, rows), columns, f"watch-{name}")
            (images / f"watch-{name}.svg").write_text(picture, encoding="utf-8")
        for name, window in WINDOWS.items():
            photographed((shop / "report.html").as_uri(), window, images / f"page-{name}.png", place / "profile")


main()
