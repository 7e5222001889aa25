"""What every stand-in for an agent does: read its prompt, commit a change, and say so in its tool's own stream.

`STANDIN` in the environment chooses the end: `works` (the default), `limited`, `overloaded`, `turns`. With
`STANDIN_SAYS_DONE` set it calls `gitsched done`, as the prompt asks an agent to.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RESETS_AT_S = 1_767_351_600
ENDING = os.environ.get("STANDIN", "works")


def say(**event: Any) -> None:
    """Print one event of a JSON stream."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def read_prompt(text: str) -> str:
    """Check that a prompt has arrived whole, and give the issue's title from its fenced block."""
    lines = text.splitlines()
    fences = [index for index, line in enumerate(lines) if line.startswith("~~~~~~~~")]
    if len(fences) < 2:
        sys.exit("the prompt holds no fenced issue")
    return lines[fences[0] + 1]


def work(title: str) -> None:
    """Do the work: one file, one commit."""
    Path("work.txt").write_text(f"{title}\n", encoding="utf-8")
    subprocess.run(["git", "add", "work.txt"], check=True)
    subprocess.run(["git", "commit", "-q", "-m", f"Do: {title}"], check=True)
    if os.environ.get("STANDIN_SAYS_DONE"):
        subprocess.run(["gitsched", "done"], check=True, stdout=subprocess.DEVNULL)
