"""The stage: a folder with a home of its own, a repository in it, and gitsched as its only actor.

Everything runs with an environment in which home, configuration and temporary files lie on the stage, so
that nothing outside the folder is read or written.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gitsched.errors import InternalError

CONTENT: Final = Path(__file__).resolve().parent
FOREIGN: Final = ("GIT_", "GITSCHED_", "XDG_")
SLOTS: Final = 4


class Stage:
    """Where the demo plays, and how to run something there."""

    def __init__(self, folder: Path) -> None:
        """Lay the folders out and fix the environment; the repository is made by `build`."""
        self.folder = folder
        self.repo = folder / "repo"
        self.report = folder / "report.html"
        self.scratch = folder / "scratch"
        self.environment = _environment(self.scratch)

    def build(self) -> str:
        """Make the project's repository and give its first commit."""
        for place in (self.scratch / "home", self.scratch / "tmp"):
            place.mkdir(parents=True)
        _lay_out(CONTENT / "project", self.repo)
        (self.repo / "gitsched.toml").write_text(self._configuration(), encoding="utf-8")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Demo")
        self.git("config", "user.email", "demo@example.org")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Begin the shop")
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, directory: Path | None = None, stdin: str = "") -> str:
        """Run git in the repository, or elsewhere on the stage. Raises InternalError when it fails."""
        return self._run(["git", *arguments], directory or self.repo, stdin)

    def ask(self, *words: str) -> Any:
        """Ask gitsched for a document and read it."""
        return json.loads(self.gitsched(*words, "--json"))

    def json_lines(self, *words: str) -> list[Any]:
        """Ask gitsched for a stream of documents and read them."""
        return [json.loads(line) for line in self.gitsched(*words, "--json").splitlines()]

    def gitsched(self, *words: str) -> str:
        """Run a verb in the repository and give what it printed. Raises InternalError when it fails."""
        return self._run(self.command(*words), self.repo)

    def play(self, *words: str) -> int:
        """Run a verb with this process's own terminal and give its exit code.

        A Ctrl-C reaches it by itself and is waited for here, for as long as it takes.
        """
        with subprocess.Popen(self.command(*words), cwd=self.repo, env=self.environment) as verb:
            while True:
                try:
                    return verb.wait()
                except KeyboardInterrupt:
                    continue

    @staticmethod
    def command(*words: str) -> list[str]:
        """Name gitsched so that it is found whatever PATH holds."""
        return [sys.executable, "-P", "-m", "gitsched", *words]

    def issue_files(self) -> list[str]:
        """List the issues' files by number."""
        return [str(path) for path in sorted((CONTENT / "issues").glob("*.md"))]

    def patches(self, issue: int) -> list[Path]:
        """List what the agent of an issue commits, in order."""
        return sorted((CONTENT / "work").glob(f"{issue:02}-*.patch"))

    def clear(self, *, keeps_repo: bool) -> None:
        """Remove what only the run needed, and a folder in which nothing is left; the report always stays."""
        for place in (self.scratch, *(() if keeps_repo else (self.repo,))):
            shutil.rmtree(place, ignore_errors=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _run(self, argv: Sequence[str], directory: Path, stdin: str = "") -> str:
        ended = subprocess.run(
            argv, cwd=directory, env=self.environment, input=stdin, capture_output=True, text=True, check=False
        )
        if ended.returncode:
            told = ended.stderr.strip() or ended.stdout.strip()
            raise InternalError(f"The demo ran `{' '.join(argv[-4:])}`.", f"It ended with {ended.returncode}: {told}")
        return ended.stdout.rstrip("\n")

    def _configuration(self) -> str:
        template = (CONTENT / "gitsched.toml.txt").read_text(encoding="utf-8")
        places = {"PYTHON": sys.executable, "AGENT": CONTENT / "agent.py", "TREES": self.scratch / "trees"}
        for name, value in places.items():
            # A JSON string is a TOML string.
            template = template.replace(f"@{name}@", json.dumps(str(value), ensure_ascii=False))
        return template.replace("@SLOTS@", str(SLOTS))


def _environment(scratch: Path) -> Mapping[str, str]:
    """Keep what a person's environment says of this machine, and nothing of that person."""
    home = scratch / "home"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_RUNTIME_DIR": str(scratch / "tmp"),
        "TMPDIR": str(scratch / "tmp"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _lay_out(source: Path, goal: Path) -> None:
    """Copy the project; each file's name loses the `.txt` that it carries in the package."""
    for file in sorted(source.rglob("*.txt")):
        place = goal / file.relative_to(source).with_suffix("")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
