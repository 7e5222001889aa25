"""`gitsched schedule install`."""

import os
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import RefusedError

if TYPE_CHECKING:
    from gitsched.view.timers import Kind

_ENABLE = {
    "systemd": "systemctl --user daemon-reload && systemctl --user enable --now {name}.timer",
    "launchd": "launchctl load {file}",
    "cron": "Put the line into `crontab -e`.",
}


@verb(name="install", example="gitsched schedule install --print")
@click.option("--kind", type=click.Choice(["systemd", "cron", "launchd"]), help="Which timer; else the system's own.")
@click.option("--print", "only_prints", is_flag=True, help="Only show what would be written.")
def install(call: Call, *, kind: str | None, only_prints: bool) -> int:
    """Have a timer of this machine drive.

    Writes a user unit that makes the passes which are due every ten minutes, never over a file that says something
    else, and tells the command that switches it on. For cron it shows the line.
    """
    from gitsched.view.timers import timer_files

    root = call.clone.root
    chosen = cast("Kind", kind or ("launchd" if sys.platform == "darwin" else "systemd"))
    name = f"gitsched-{root.name}-{sha256(str(root).encode()).hexdigest()[:8]}"
    argv = (sys.executable, "-m", "gitsched", "-C", str(root), "tick", "--until-idle")
    files = timer_files(chosen, name, argv, os.environ.get("PATH", os.defpath))
    if only_prints or chosen == "cron":
        call.show("\n".join(f"# {file}\n{text}" for file, text in files.items()).rstrip("\n"))
        return 0
    folder = _folder(chosen)
    written = _write(folder, files)
    call.tell("\n".join(f"Written: {path}" for path in written))
    call.tell(f"Switch it on: {_ENABLE[chosen].format(name=name, file=written[0])}")
    return 0


def _folder(kind: "Kind") -> Path:
    if kind == "launchd":
        return Path.home() / "Library" / "LaunchAgents"
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "systemd" / "user"


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write the files that are not there. Raises RefusedError where one says something else."""
    for file, text in files.items():
        path = folder / file
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise RefusedError(
                f"'{path}' was to be written.", "It is there and says something else.", "Remove it, or use --print."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [folder / file for file in files]
