"""Timers: what a machine's own clock is told, so that it drives while nobody is there.

Sources: systemd.timer(5) and systemd.service(5), crontab(5), launchd.plist(5).
"""

import shlex
from collections.abc import Mapping
from typing import Final, Literal
from xml.sax.saxutils import escape

Kind = Literal["systemd", "cron", "launchd"]
EVERY_MIN: Final = 10
"""How often the timer drives; while it waits, a window that opens is noticed that late at most."""


def timer_files(kind: Kind, name: str, argv: tuple[str, ...], path: str) -> Mapping[str, str]:
    """Write the files of a timer, by their names; `path` is the PATH on which agents are found."""
    match kind:
        case "systemd":
            return {f"{name}.service": _service(argv, path), f"{name}.timer": _timer(name)}
        case "launchd":
            return {f"{name}.plist": _plist(name, argv, path)}
        case "cron":
            return {name: f"*/{EVERY_MIN} * * * * PATH={shlex.quote(path)} {_cron(shlex.join(argv))}\n"}


def _cron(command: str) -> str:
    return command.replace("%", r"\%")


def _service(argv: tuple[str, ...], path: str) -> str:
    return (
        "[Unit]\n"
        "Description=gitsched: drive what is due\n\n"
        "[Service]\n"
        "Type=oneshot\n"
        f"Environment={_unit_word(f'PATH={path}')}\n"
        f"ExecStart={' '.join(_unit_word(word) for word in argv)}\n"
        "# Agents and their workers outlive the driver.\n"
        "KillMode=process\n"
        "# Evicted or parked work is an outcome, not a broken unit; a rival or a pause is tried again.\n"
        "SuccessExitStatus=1 75\n"
    )


def _unit_word(word: str) -> str:
    """Quote one word of a unit's line: `%` and `$` mean something there."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _timer(name: str) -> str:
    return (
        "[Unit]\n"
        f"Description=gitsched: every {EVERY_MIN} minutes\n\n"
        "[Timer]\n"
        f"OnCalendar=*:0/{EVERY_MIN}\n"
        "# After sleep or power-off the missed pass is made at once.\n"
        "Persistent=true\n"
        f"Unit={name}.service\n\n"
        "[Install]\n"
        "WantedBy=timers.target\n"
    )


def _plist(name: str, argv: tuple[str, ...], path: str) -> str:
    words = "".join(f"    <string>{escape(word)}</string>\n" for word in argv)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<dict>\n'
        f"  <key>Label</key>\n  <string>{escape(name)}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        "  <key>EnvironmentVariables</key>\n  <dict>\n    <key>PATH</key>\n"
        f"    <string>{escape(path)}</string>\n  </dict>\n"
        f"  <key>StartInterval</key>\n  <integer>{EVERY_MIN * 60}</integer>\n"
        "  <key>AbandonProcessGroup</key>\n  <true/>\n"
        "</dict>\n</plist>\n"
    )
