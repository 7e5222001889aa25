"""A clone: one repository with every port wired to its adapter, each made when it is first asked for."""

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.store import GitStore
from gitsched.config.settings import Settings
from gitsched.wiring.configured import Edits, bounded, configuration_text, settings_in
from gitsched.wiring.machine import is_program, machine_of
from gitsched.wiring.marks import known_mark
from gitsched.wiring.notices import told_and_heard
from gitsched.wiring.signing import with_signer

if TYPE_CHECKING:
    from gitsched.adapters.forge.local import LocalForge
    from gitsched.adapters.git.lander import GitLander
    from gitsched.adapters.git.tree_work import GitTreeWork
    from gitsched.adapters.git.treeref import Shared
    from gitsched.adapters.git.worktrees import GitWorktrees
    from gitsched.adapters.process import HostProcesses
    from gitsched.adapters.runner.fleet import FleetRunner
    from gitsched.adapters.runner.local import LocalRunner
    from gitsched.adapters.runner.posts import RunPosts
    from gitsched.adapters.runner.refs import RunRefs
    from gitsched.adapters.store.ref_moves import GitRefs
    from gitsched.engine.desk import Surroundings
    from gitsched.engine.driver import Driver
    from gitsched.engine.hygiene.premises import Premises
    from gitsched.engine.intake.issues import IssueReader
    from gitsched.engine.tick import Guard
    from gitsched.policy.situation import Situation
    from gitsched.ports.forge import Forge
    from gitsched.wiring.sharing import SharedPorts


_DEAD_LOCK_S = 30.0
"""How long a lock that nobody noted must have been unchanged to be taken for dead."""


class Clone:
    """One repository and everything that gitsched asks of it."""

    def __init__(self, start: Path) -> None:
        """Find the repository at or above a path. Raises RefusedError where there is none that can be used."""
        self.configured_at: str | None = os.environ.get("GITSCHED_CONFIGURED_AT") or None
        self.place = find_place(start)
        self.common_dir = self.place.common

    @cached_property
    def root(self) -> Path:
        """Name the top of the user's main checkout; in a bare repository its git directory."""
        common = self.common_dir
        return common.parent if common.name == ".git" else common

    @cached_property
    def settings(self) -> Settings:
        """Read gitsched.toml from the main checkout. Raises ConfigError when it is missing or wrong."""
        return settings_in(self.configuration, self.root)

    @cached_property
    def configuration(self) -> str | None:
        """Read the text of gitsched.toml, of the revision `configured_at` where it is named; None: there is none."""
        return configuration_text(self.root, self.common_dir, self.configured_at)

    @cached_property
    def settings_or_default(self) -> Settings:
        """Read gitsched.toml where there is one, else take the defaults: enough for verbs that only look."""
        return self.settings if self.configuration is not None else Settings()

    @cached_property
    def clock(self) -> SystemClock:
        """Give the clock that this process's environment asks for."""
        return SystemClock.of_environment()

    @cached_property
    def store(self) -> GitStore:
        """Give the store."""
        if self.shared is not None:
            return with_signer(self.shared.store, self.settings, self.root)
        fsync, mark = self.settings_or_default.store.fsync, known_mark(self.common_dir)
        own = GitStore(self.common_dir, self.clock, driver=f"cli-{os.getpid()}", fsync=fsync, mark=mark)
        return with_signer(own, self.settings_or_default, self.root)

    def with_ended(self) -> "Clone":
        """Give this clone as if `gc` had never archived a batch, for verbs that look."""
        from gitsched.adapters.store.whole import WholeStore

        whole, store = Clone(self.common_dir), WholeStore(self.common_dir, self.clock)
        whole.configured_at, store.beginning = self.configured_at, self.store.beginning
        whole.store = store
        return whole

    @cached_property
    def shared(self) -> "SharedPorts | None":
        """Give what is another where a remote is the authority; None without one."""
        if not self.settings_or_default.project.remote:
            return None
        from gitsched.wiring.sharing import SharedPorts

        return SharedPorts(self.common_dir, self.settings, self.clock, self.wake_all)

    @cached_property
    def refs(self) -> "GitRefs":
        """Give the refs."""
        if self.shared is not None:
            return self.shared.refs
        from gitsched.adapters.store.ref_moves import GitRefs

        return GitRefs(self.place)

    @cached_property
    def lander(self) -> "GitLander":
        """Give what computes landings."""
        from gitsched.adapters.git.lander import GitLander

        return GitLander(self.common_dir)

    @cached_property
    def trees(self) -> "GitWorktrees":
        """Give the pool of worktrees."""
        from gitsched.adapters.git.worktrees import GitWorktrees

        chosen = self.settings_or_default.worktrees
        root = Path(chosen.dir) if chosen.dir else None
        return GitWorktrees(self.common_dir, root, keep=chosen.keep, pool_size=chosen.pool)

    @cached_property
    def work(self) -> "GitTreeWork":
        """Give what looks at the work in a tree."""
        from gitsched.adapters.git.tree_work import GitTreeWork

        return GitTreeWork(self.trees.pool)

    @cached_property
    def processes(self) -> "HostProcesses":
        """Give the processes of this host."""
        if self.shared is not None:
            return self.shared.processes
        from gitsched.adapters.process import HostProcesses

        return HostProcesses(known_mark(self.common_dir))  # apart from the remote it is the host that it was

    @cached_property
    def run_refs(self) -> "RunRefs":
        """Give the run refs."""
        from gitsched.adapters.git.blobref import LoadedBlobRefs
        from gitsched.adapters.git.objects import open_repository
        from gitsched.adapters.runner.refs import RunRefs

        return RunRefs(LoadedBlobRefs(open_repository(self.common_dir)), self._unstick)

    def _unstick(self, ref: str) -> None:
        import logging

        from gitsched.adapters.git.ref_locks import move_aside

        move_aside(self.place, ref, _DEAD_LOCK_S, logging.getLogger(__name__).warning)

    @cached_property
    def posting_refs(self) -> "RunRefs":
        """Give the run refs to a short-lived process inside a run: git itself starts faster than libgit2 loads."""
        from gitsched.adapters.git.blobref import SpawnedBlobRefs
        from gitsched.adapters.git.process import engine_git
        from gitsched.adapters.runner.refs import RunRefs

        return RunRefs(SpawnedBlobRefs(engine_git(self.common_dir)))

    @cached_property
    def runner(self) -> "LocalRunner | FleetRunner":
        """Give what starts and looks after runs on this host."""
        neighbours = (self.common_dir, self.run_refs, self.processes, self.clock, self.wake_all)
        if self.shared is not None:
            return self.shared.runner(*neighbours)
        from gitsched.adapters.runner.local import LocalRunner

        return LocalRunner(*neighbours)

    @cached_property
    def poster(self) -> "RunPosts":
        """Give what appends milestones to run refs."""
        from gitsched.adapters.runner.posts import RunPosts

        return RunPosts(self.posting_refs, self.wake_all)

    @cached_property
    def forge(self) -> "LocalForge":
        """Give the embedded forge."""
        if self.shared is not None:
            return self.shared.forge
        from gitsched.adapters.forge.local import LocalForge

        return LocalForge(self.common_dir, self.clock, fsync=self.settings_or_default.store.fsync)

    @cached_property
    def served_forge(self) -> "Forge":
        """Give the forge that `project.forge` names: the embedded one, or GitHub."""
        if self.settings_or_default.project.forge == "local":
            return self.forge
        from gitsched.wiring.github import github_forge

        return github_forge(self)

    @property
    def issue_reader(self) -> "IssueReader":
        """Give what verbs that only look read issues with: nothing is asked outside of this clone."""
        if self.settings_or_default.project.forge == "local":
            from gitsched.adapters.forge.glance import Glance

            return Glance(self.common_dir)
        from gitsched.adapters.forge.github.recall import Recall

        return Recall(self.common_dir)

    @property
    def refs_there(self) -> "Shared | None":
        """Give what the embedded forge needs of the remote that is the authority; None without one."""
        return self.shared.refs_there if self.shared is not None else None

    def catch_up(self) -> None:
        """Have what the remote has, where one is the authority. Raises RemoteAwayError."""
        if self.shared is not None:
            self.shared.store.need()

    def wake_all(self) -> None:
        """Wake every driver of this clone that waits."""
        from gitsched.adapters.wake import wake_all

        wake_all(self.common_dir)

    def premises(self) -> "Premises":
        """Bundle what looking after the store asks of."""
        from gitsched.adapters.store.care import GitCare
        from gitsched.engine.hygiene.premises import Premises

        return Premises(
            store=self.store,
            care=GitCare(self.store),
            refs=self.refs,
            lander=self.lander,
            runner=self.runner,
            trees=self.trees,
            work=self.work,
            processes=self.processes,
        )

    def surroundings(self) -> "Surroundings":
        """Bundle every port for a driver, with a wake-up place of its own."""
        from gitsched.adapters.streaks import StreakFile
        from gitsched.adapters.wake import FifoWaker
        from gitsched.engine.desk import Surroundings

        return Surroundings(
            store=self.store,
            refs=self.refs,
            lander=self.lander,
            trees=self.trees,
            work=self.work,
            runner=self.runner,
            processes=self.processes,
            waker=FifoWaker(self.common_dir, self.processes),
            streaks=StreakFile(self.common_dir),
            forge=self._settled(self.served_forge),
            clock=self.clock,
            common_dir=self.common_dir,
            environment=dict(os.environ),
            programs=is_program,
            edits=Edits(self.root, self.configuration if self.configured_at is None else None),
            **told_and_heard(self),
            **(self.shared.surroundings() if self.shared is not None else {}),
        )

    def _settled(self, forge: "Forge") -> "Forge":
        """Let a driver write to the forge only once the remote, where one is the authority, knows why."""
        if self.shared is None or forge is self.shared.forge:
            return forge
        from gitsched.wiring.settled_forge import SettledForge

        return SettledForge(forge, self.shared.store.settle)

    def driver(self, guard: "Guard", at_most: int | None = None) -> "Driver":
        """Make a driver, of at most so many runs here; `guard` is the face's containment of what nobody expected."""
        from gitsched.engine.driver import Driver

        return Driver(*bounded(self.surroundings(), self.settings, at_most), guard)

    def situation(self) -> "Situation":
        """Look at the present situation for a verb that only reads; nothing is written."""
        from gitsched.engine.looking import situation_for_reading

        settings = self.settings_or_default
        return situation_for_reading(self.store, self.issue_reader, self.clock, settings, machine_of(settings))


def open_clone(start: Path) -> Clone:
    """Open the repository at or above a path."""
    return Clone(start)
