"""Record the terminal picture of the README: play the demo, look at it with three commands, and write an SVG.

    python examples/recording/record.py docs/images/terminal.svg

Nothing in the picture is drawn by hand; the demo's repository is made and removed here.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 108
SHOWN = (("status b1", slice(12)), ("why 4", slice(None)), ("log b1", slice(-8, None)))
"""Commands, and which lines of what they say."""
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; \
line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def gitsched(folder: Path, *words: str, size: tuple[int, int] = (WIDTH, 50)) -> str:
    """Run a command on a terminal of its own, of so many columns and rows, so that it shows its colours."""
    ours, theirs = os.openpty()
    env = {**os.environ, "TERM": "xterm-256color"}
    command = [
        "sh",
        "-c",
        f'stty cols {size[0]} rows {size[1]} && exec "$@"',
        "sh",
        sys.executable,
        "-m",
        "gitsched",
        *words,
    ]
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while True:
        try:
            chunk = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        text += chunk
    os.close(ours)
    process.wait()
    return text.decode().replace("\r\n", "\n").rstrip("\n")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gitsched-recording-") as folder:
        place = Path(folder)
        subprocess.run(
            [sys.executable, "-m", "gitsched", "demo", "--keep", "shop"], cwd=place, capture_output=True, check=False
        )
        console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), highlight=False, markup=False)  # noqa: PTH123, SIM115
        for command, which in SHOWN:
            console.print(Text(f"$ gitsched {command}", style="bold"))
            for line in gitsched(place / "shop" / "repo", *command.split()).splitlines()[which]:
                console.print(Text.from_ansi(line), no_wrap=True, crop=True)
            console.print()
    svg = console.export_svg(title="gitsched", code_format=FRAME, unique_id="gitsched")
    Path(sys.argv[1]).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
