"""A world whose agents do not work in its own clone: a template starts their workers somewhere else."""

from tests.engine.far import FarWorld
from tests.engine.scripts import GITSCHED
from tests.golden import ROOT
from tests.real_git import run_git

WORKER = """\
#!/bin/sh
# Starts a worker with nothing but what a machine has that is reached by a job: `away RUN REMOTE`.
echo "$1" >> {scripts}/asked
number=$(grep -c . {scripts}/asked)
[ -e {scripts}/swallow.$number ] && exit 0
cd {home}
exec env -i PATH="$PATH" HOME={home} PYTHONPATH={root} GITSCHED_TEST_SECRET=k-12345678 \\
    {gitsched} worker --run "$1" --remote "$2"
"""


class AwayWorld(FarWorld):
    """A far world with the back-end `command`."""

    more = ""

    def served_at(self, address: str) -> None:
        """Be reached at that address from now on, with workers elsewhere."""
        self.home = self.scripts.parent / "elsewhere"
        self.home.mkdir()
        run_git(self.repo, "remote", "set-url", "origin", address)
        script = self.scripts / "away"
        words = {"scripts": self.scripts, "home": self.home, "root": ROOT, "gitsched": GITSCHED}
        script.write_text(WORKER.format(**words))
        self.dispatch()

    def dispatch(self, more: str = "", *, start_timeout: str = "60s", ttl: str = "20s", **options: object) -> None:
        """Write the configuration: `more` in TOML beside what such worlds have."""
        text = (
            '[batch]\nmax_members = 64\n[dispatch]\nbackend = "command"\n'
            f'command = ["sh", "{self.scripts}/away", "{{run}}", "{{remote}}"]\n'
            f'start_timeout = "{start_timeout}"\nttl = "{ttl}"\n{more}'
        )
        self.configure(text, **options)  # type: ignore[arg-type]

    def swallow(self, number: int) -> None:
        """Let the `number`-th start come to nothing."""
        (self.scripts / f"swallow.{number}").touch()

    def asked(self) -> list[str]:
        """List the runs that a worker was asked for, in order."""
        return self.lines("asked")

    def left_there(self) -> list[str]:
        """List what the remote holds that should be gone once everything is over."""
        refs = run_git(self.remote, "for-each-ref", "--format=%(refname)").splitlines()
        return [ref for ref in refs if ref.startswith("refs/gitsched/runs/")]
