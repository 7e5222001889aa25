"""A world whose agents do not work in its own clone: a template starts their workers somewhere else."""

import shutil
from pathlib import Path
from typing import Any, Self

from gitsched.wiring.clone import Clone
from tests.engine.far import FarWorld
from tests.engine.scripts import GITSCHED
from tests.fleet.jobs import FILE, Machines
from tests.github.fake.hub import Hub
from tests.golden import ROOT
from tests.real_git import run_git

WORKER = """\
#!/bin/sh
# Starts a worker with nothing but what a machine has that is reached by a job: `away RUN REMOTE`.
echo "$1" >> {scripts}/asked
number=$(grep -c . {scripts}/asked)
[ -e {scripts}/swallow.$number ] && exit 0
cd {home}
exec env -i PATH="$PATH" HOME={home} PYTHONPATH={root} DECLARED_KEY=k-12345678 OTHER_TOKEN=t-87654321 \\
    {gitsched} worker --run "$1" --remote "$2"
"""


class AwayWorld(FarWorld):
    """A far world with the back-end `command`."""

    def served_at(self, address: str) -> None:
        """Be reached at that address from now on, with workers elsewhere."""
        self.home = self.scripts.parent / "elsewhere"
        self.home.mkdir()
        run_git(self.repo, "remote", "set-url", "origin", address)
        script = self.scripts / "away"
        words = {"scripts": self.scripts, "home": self.home, "root": ROOT, "gitsched": GITSCHED}
        script.write_text(WORKER.format(**words))
        self.dispatch()

    def dispatch(self, *, start_timeout: str = "60s", ttl: str = "20s", agent_env: tuple[str, ...] = ()) -> None:
        """Write the configuration of such worlds."""
        text = (
            '[batch]\nmax_members = 64\n[dispatch]\nbackend = "command"\n'
            f'command = ["sh", "{self.scripts}/away", "{{run}}", "{{remote}}"]\n'
            f'start_timeout = "{start_timeout}"\nttl = "{ttl}"\n'
        )
        self.configure(text)
        file = self.repo / "gitsched.toml"
        file.write_text(file.read_text().replace("[agents.fake]", f"[agents.fake]\nenv = {list(agent_env)}", 1))
        self.clone = Clone(self.repo)

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


class ActionsWorld(FarWorld):
    """A far world with the back-end `actions`: the remote is a repository on the fake GitHub, and that has machines."""

    machines: Machines
    hub: Hub

    @classmethod
    def on(cls, hub: Hub, repo: Path, home: Path) -> Self:
        """Make the repository on the hub and let the workflow be in it."""
        there = hub.repository("acme/shop")
        workflows = repo / ".github/workflows"
        workflows.mkdir(parents=True)
        shutil.copy(FILE, workflows)
        run_git(repo, "add", "-A")
        run_git(repo, "commit", "-q", "-m", "Let members be worked by Actions")
        there.git.git("fetch", "-q", str(repo), "+main:refs/heads/main")
        there.workflow(FILE.name)
        token = hub.app.token(lifetime_s=86_400 * 365, contents="write", workflows="write")
        run_git(repo, "remote", "add", "origin", there.clone_url.replace("://", f"://x-access-token:{token}@"))
        cls.remote, cls.hub = there.model.path, hub
        cls.machines = hub.jobs = Machines(hub, there, home / "machines")
        return cls(repo, home)

    def configure(self, more: str = "", *, start_timeout: str = "60s", **options: Any) -> None:
        """Write gitsched.toml with Actions as the fleet."""
        there = f'[github]\napi_url = "{self.hub.api_url}"\nrepository = "acme/shop"\n'
        super().configure(
            f'[dispatch]\nbackend = "actions"\nttl = "20s"\nstart_timeout = "{start_timeout}"\n{more}\n{there}',
            **options,
        )

    def left_there(self) -> list[str]:
        """List what the remote holds that should be gone once everything is over."""
        refs = run_git(self.remote, "for-each-ref", "--format=%(refname)").splitlines()
        return [ref for ref in refs if ref.startswith("refs/gitsched/runs/")]
