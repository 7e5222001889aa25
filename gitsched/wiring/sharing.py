"""A clone whose remote is the authority: everything that is wired otherwise there."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.git.place import Place
from gitsched.adapters.git.remote import Remote
from gitsched.adapters.git.treeref import Shared
from gitsched.adapters.process import HostProcesses
from gitsched.adapters.runner.beats import Beats, Traffic
from gitsched.adapters.store.budget import Budget
from gitsched.adapters.store.shared import SharedStore
from gitsched.config.settings import Settings
from gitsched.domain.runs import ProcessName
from gitsched.domain.words import Liveness
from gitsched.errors import TemporaryError
from gitsched.wiring.marks import clone_mark
from gitsched.wiring.shared_ports import SharedRefs, SharedRunner

if TYPE_CHECKING:
    from gitsched.adapters.clock import SystemClock
    from gitsched.adapters.runner.fleet import FleetRunner
    from gitsched.adapters.runner.refs import RunRefs

LOOK_AGAIN_S = 5.0
"""How often a driver that has nothing to do asks the remote for news."""
GITHUB_PUSHES = 6
"""A minute; source: GitHub, "Repository limits"."""
BEATS = 6
"""So many signs of life a ttl has room for: a few may be late."""


class SharedPorts:
    """The ports of such a clone, each made when it is first asked for."""

    def __init__(self, common: Path, settings: Settings, clock: "SystemClock", wake: Callable[[], None]) -> None:
        """Stand on a clone by its common git directory."""
        self.common = common
        self.settings = settings
        self.clock = clock
        self._wake = wake
        self._fleet: FleetRunner | None = None
        self._fsync = settings.store.fsync

    @cached_property
    def remote(self) -> Remote:
        """Give the remote."""
        return Remote(self.common, self.settings.project.remote, self.settings.project.target)

    @cached_property
    def store(self) -> SharedStore:
        """Give the store; a driver's name ends in the clone's, so that clones know whom they meet."""
        driver, budget, discreet = f"cli-{os.getpid()}.{clone_mark(self.common)}", self._budget, self.is_discreet
        where = (self.common, self.clock, self.remote, driver)
        return SharedStore(*where, fsync=self._fsync, budget=budget, is_discreet=discreet)

    @cached_property
    def refs(self) -> SharedRefs:
        """Give the refs."""
        return SharedRefs(Place(self.common), self.store, self.settings.project.target)

    @cached_property
    def beats(self) -> Beats:
        """Give the signs of life of the clones that share the remote."""
        host = HostProcesses(clone_mark(self.common)).own().host
        traffic = Traffic(self.store.quiet_s, self.store.has_room, self.store.carry)
        refs = LoadedBlobRefs(open_repository(self.common))
        return Beats(refs, host, self.settings.dispatch.ttl_s, traffic)

    @cached_property
    def processes(self) -> HostProcesses:
        """Give the processes of this host; of other hosts their signs of life tell."""
        return HostProcesses(clone_mark(self.common), self.beats)

    @cached_property
    def forge(self) -> LocalForge:
        """Give the embedded forge of all clones of the remote."""
        return LocalForge(self.common, self.clock, fsync=self._fsync, shared=self.refs_there)

    @cached_property
    def refs_there(self) -> Shared:
        """Give what the embedded forge needs of the remote: its writes wait and go with the transactions."""
        return Shared(self.store.publish, self.refs.resolve)

    def runner(
        self, common: Path, refs: "RunRefs", processes: HostProcesses, clock: "SystemClock", wake: Callable[[], None]
    ) -> "SharedRunner | FleetRunner":
        """Give what starts runs; its neighbours are those of any runner."""
        here = SharedRunner(common, refs, processes, clock, wake, self.store)
        if self.settings.dispatch.backend == "local":
            return here
        from gitsched.wiring.fleet import fleet_runner

        self._fleet = fleet_runner(self, here)
        return self._fleet

    def surroundings(self) -> dict[str, Any]:
        """Give what a driver has here and elsewhere has not."""
        return {"hosts": self.beats, "look_again_s": LOOK_AGAIN_S, "fleet": self._fleet}

    def carry(self) -> None:
        """Push what only rides along otherwise, unless a driver of this clone lives and does it."""
        if not self._has_driver():
            with suppress(TemporaryError):  # a driver that comes later carries it
                self.store.carry()

    def beat(self) -> float:
        """Give a sign of life for what runs here without a driver, and tell in how many seconds the next is due."""
        with suppress(TemporaryError):
            if not self._has_driver():
                self.beats.beat()
        return self.settings.dispatch.ttl_s / BEATS

    def _has_driver(self) -> bool:
        drivers = self.store.read().drivers.values()
        names = [ProcessName(host=d.host, boot_id=d.boot_id, pid=d.pid, started=d.started) for d in drivers]
        own = self.processes.own().host
        return any(name.host == own and self.processes.liveness(name) is Liveness.ALIVE for name in names)

    def is_discreet(self) -> bool:
        """Say whether logs, evidence and rescued work stay here: the forge calls the remote public, or did not say."""
        if self.settings.store.publish or self.settings.project.forge == "local":
            return False
        from gitsched.adapters.forge.github.memory import Memory

        identity = Memory(self.common).load().identity
        return identity is None or identity.is_public is not False

    @property
    def pushes_per_minute(self) -> int:
        """Tell the push budget, 0 for none: as set, else GitHub's own where the remote is there."""
        wanted, is_there = self.settings.store.pushes_per_minute, "github.com" in self.remote.address
        return wanted if wanted is not None else GITHUB_PUSHES if is_there else 0

    def _budget(self) -> Budget:
        return Budget(self.pushes_per_minute)
