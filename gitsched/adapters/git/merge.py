"""Merge three trees as git would, by the cheapest way that is sure to give git's answer."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from gitsched.adapters.git.attributes import AttributeFolders, attribute_blobs, disarmed_drivers, renormalizes
from gitsched.adapters.git.merge_tree import (
    RENORMALIZES_SINCE,
    STREAMS_SINCE,
    MergedTree,
    OneShot,
    Stream,
)
from gitsched.adapters.git.objects import Objects
from gitsched.adapters.git.process import Git
from gitsched.adapters.git.sequencer import Sequencer, scratch_sequencer, sequencer_in
from gitsched.adapters.git.trees import clashes, merge_one_sided

Version = tuple[int, int, int]


class Merged(NamedTuple):
    """The three trees joined."""

    tree: str
    by_git: bool
    """False: no path was changed on both sides."""
    disagreed: bool = False
    """Our first answer was a conflict and git's rebase had none."""


class Clashed(NamedTuple):
    """The three trees do not join."""

    paths: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Machinery:
    """What git's own merges need, for as long as a repository is open."""

    git: Git
    version: Version
    attributes: AttributeFolders
    allowed_drivers: frozenset[str]
    """Custom merge drivers that may run."""


class Merges:
    """The merges of one landing: processes and folders they need live as long as the `with` block."""

    def __init__(self, objects: Objects, machinery: Machinery, confirm_in: Path | None = None) -> None:
        """Stand on the objects of a repository; nothing is started before git must be asked."""
        self._objects = objects
        self._machinery = machinery
        self._confirm_in = confirm_in
        self._stack = ExitStack()
        self._machines: dict[Path, OneShot | Stream] = {}
        self._scratch: Sequencer | None = None

    def merge(self, base: str, ours: str, theirs: str, picked: str | None = None) -> Merged | Clashed:
        """Merge two trees over a third; `picked` is a commit that leads from base to theirs, if one does."""
        tree = merge_one_sided(self._objects, base, ours, theirs)
        if tree is not None:
            return Merged(tree, by_git=False)
        twice = list(clashes(self._objects, base, ours, theirs))
        submodules = tuple(clash.path for clash in twice if clash.is_submodule_moved_twice())
        if submodules:
            return Clashed(submodules)
        answer = self.by_git(base, ours, theirs, picked)
        if answer.clean:
            return Merged(answer.tree, by_git=True)
        paths = answer.paths or tuple(clash.path for clash in twice)
        return self._confirmed(base, ours, theirs) or Clashed(paths)

    def by_git(self, base: str, ours: str, theirs: str, picked: str | None = None) -> MergedTree:
        """Merge by git's machinery, whatever the trees are like."""
        renormalize = renormalizes(self._objects.repository)
        if renormalize and self._machinery.version < RENORMALIZES_SINCE:
            return self.by_sequencer(base, ours, theirs)
        folder = self._machinery.attributes.lay_out(self._attribute_files(base, ours, theirs))
        machine = self._machines.get(folder)
        if machine is None:
            machine = self._machines[folder] = self._started(folder, renormalize=renormalize)
            self._stack.callback(machine.close)
        return machine.merge(base, ours, theirs, picked)

    def by_sequencer(self, base: str, ours: str, theirs: str) -> MergedTree:
        """Merge by git's own rebase, in a worktree of our own."""
        if self._scratch is None:
            env = self._disarmed()
            self._scratch = self._stack.enter_context(scratch_sequencer(self._machinery.git, self._objects, env))
        return self._scratch.merge(base, ours, theirs)

    def _confirmed(self, base: str, ours: str, theirs: str) -> Merged | None:
        """Ask git's rebase about a conflict, where the caller lent a worktree for it."""
        if self._confirm_in is None:
            return None
        env = self._disarmed()
        asked = sequencer_in(self._confirm_in, self._machinery.git, self._objects, env)
        answer = asked.merge(base, ours, theirs)
        return Merged(answer.tree, by_git=True, disagreed=True) if answer.clean else None

    def _attribute_files(self, base: str, ours: str, theirs: str) -> dict[bytes, str]:
        """Find the attribute files that this merge can read.

        Contents are joined at paths that their side changed, and where our side moved what they changed;
        only then the paths of our side, which may be many, are looked at.
        """
        changed = [change.path for change in self._objects.changes(base, theirs)]
        if any(clash.ours is None for clash in clashes(self._objects, base, ours, theirs)):
            changed += [change.path for change in self._objects.changes(base, ours)]
        return attribute_blobs(self._objects, ours, changed)

    def _started(self, folder: Path, *, renormalize: bool) -> OneShot | Stream:
        places = {
            "GIT_DIR": self._objects.repository.path,
            "GIT_WORK_TREE": str(folder),
            "GIT_INDEX_FILE": str(self._machinery.attributes.nothing),
        }
        drivers = self._disarmed()
        git = Git(folder, {**self._machinery.git.environment, **drivers, **places}, self._machinery.git.options)
        if self._machinery.version >= STREAMS_SINCE:
            return Stream(git, renormalize=renormalize)
        return OneShot(git, self._objects, self._machinery.version, renormalize=renormalize)

    def _disarmed(self) -> dict[str, str]:
        return disarmed_drivers(self._objects.repository, self._machinery.allowed_drivers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
