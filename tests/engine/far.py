"""Worlds that share a remote: one repository that people push to, and clones of it that drive."""

from pathlib import Path
from typing import Self

from msgspec.structs import replace

from gitsched.adapters.forge.tracker import Tracker
from gitsched.engine.driver import Driver
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import tracker_of
from tests.engine.relay import without_guard
from tests.engine.scripts import SUITE
from tests.engine.world import World
from tests.real_git import run_git
from tests.store.remotes import clone_of, make_remote

LOOK_AGAIN_S = 0.3


class FarWorld(World):
    """A clone whose remote is the authority."""

    remote: Path
    address: str

    @classmethod
    def begin(cls, repo: Path, home: Path) -> Self:
        """Make the remote of a repository, and set everything up."""
        cls.remote = make_remote(home, repo)
        return cls(repo, home)

    def beside(self, place: Path) -> Self:
        """Clone the remote, and stand on the clone: its agents are the same, its trees are its own."""
        url = run_git(self.repo, "remote", "get-url", "origin")
        world = object.__new__(type(self))
        world.repo = clone_of(url, place)
        for key, value in (("user.name", "Ann Author"), ("user.email", "ann@example.org")):
            run_git(world.repo, "config", key, value)
        world.scripts, world.trees = self.scripts, place.with_name(f"{place.name}-trees")
        text = (self.repo / "gitsched.toml").read_text().replace(str(self.trees), str(world.trees))
        (world.repo / "gitsched.toml").write_text(text)
        (world.repo / ".git" / "info" / "exclude").write_text("gitsched.toml\n")
        world.clone = Clone(world.repo)
        return world

    def configure(self, more: str = "", *, slots: int = 4, completion: str = "exit", suite: str = SUITE) -> None:
        """Write gitsched.toml, and push what it is for."""
        super().configure(more, slots=slots, completion=completion, suite=suite)
        file = self.repo / "gitsched.toml"
        file.write_text(file.read_text().replace('target = "main"', 'target = "main"\nremote = "origin"', 1))
        run_git(self.repo, "push", "-q", "origin", "main")
        self.clone = Clone(self.repo)

    @property
    def tracker(self) -> Tracker:
        """Give the local forge as a person uses it."""
        clone = Clone(self.repo)
        clone.catch_up()
        return tracker_of(clone)

    def driver(self) -> Driver:
        """Make a driver that asks the remote for news often."""
        return self.driver_with(look_again_s=LOOK_AGAIN_S)

    def driver_with(self, **ports: object) -> Driver:
        """Make a driver of which some ports are changed."""
        clone = Clone(self.repo)
        around = replace(clone.surroundings(), **{"look_again_s": LOOK_AGAIN_S, **ports})
        return Driver(around, clone.settings, without_guard)

    def news(self) -> Self:
        """Bring what the remote has."""
        Clone(self.repo).catch_up()
        return self

    def pushes(self) -> int:
        """Count the pushes that the remote has accepted since it was made."""
        log = self.remote / "pushes"
        return len(log.read_text().splitlines()) if log.exists() else 0
