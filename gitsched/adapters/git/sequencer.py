"""Ask git's own rebase, in a worktree: the slow way, whose answer is the one that counts.

Used where a conflict is to be believed only when git's rebase has it too, as the second computation of a
proof, and where `git merge-tree` cannot do what the configuration asks for.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pygit2

from gitsched.adapters.git.merge_tree import MergedTree, synthetic_commit
from gitsched.adapters.git.objects import Objects
from gitsched.adapters.git.process import Git

_SETTINGS = (
    "-c",
    "rebase.autoStash=false",
    "-c",
    "rebase.autoSquash=false",
    "-c",
    "rebase.rebaseMerges=false",
    "-c",
    "notes.rewrite.rebase=false",
    "-c",
    "core.logAllRefUpdates=false",
)
_IDENTITY = {"GIT_COMMITTER_NAME": "gitsched", "GIT_COMMITTER_EMAIL": "gitsched@localhost"}
# Nothing but what merging reads is laid out: a rebase needs no files.
_SPARSE = ("-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=false")
_SPARSE_PATTERNS = "/.gitattributes\n**/.gitattributes\n"


class Sequencer:
    """Merges by `git rebase` in one worktree, which it leaves where it stood."""

    def __init__(self, git: Git, objects: Objects) -> None:
        """Stand on a git that runs in a clean, detached worktree."""
        self._git = git
        self._objects = objects

    def merge(self, base: str, ours: str, theirs: str) -> MergedTree:
        """Rebase the change base..theirs onto ours, all three trees."""
        start = synthetic_commit(self._objects, base)
        onto, picked = (synthetic_commit(self._objects, side, start) for side in (ours, theirs))
        stood = self._git.run("rev-parse", "HEAD").text()
        command = (*_SETTINGS, "rebase", "--keep-empty", "--empty=keep", "--onto", onto, start, picked)
        try:
            ended = self._git.run(*command, check=False, env=_IDENTITY)
            if ended.code < 0:
                self._clear_away()
            if ended.ok:
                return MergedTree(clean=True, tree=self._git.run("rev-parse", "HEAD^{tree}").text(), paths=())
            unmerged = self._git.run("diff", "--name-only", "--diff-filter=U", "-z").out.split(b"\0")
            return MergedTree(clean=False, tree=ours, paths=tuple(filter(None, unmerged)))
        finally:
            self._git.run("rebase", "--abort", check=False)
            self._git.run("checkout", "--force", "--detach", "--quiet", stood)

    def _clear_away(self) -> None:
        """Clear lock and notes of a rebase that died: git 2.39 kills itself over some conflicts.

        The worktree is ours alone, and its only process has ended. Source: merge-ort.c, "BUG: … this
        shouldn't happen"; what it leaves stops `git rebase --abort` too.
        """
        paths = self._git.run("rev-parse", "--git-path", "index.lock", "--git-path", "rebase-merge").lines()
        lock, notes = (self._git.directory / path for path in paths)
        lock.unlink(missing_ok=True)
        shutil.rmtree(notes, ignore_errors=True)
        self._git.run("reset", "--hard", "--quiet")
        self._git.run("clean", "--force", "-d", "--quiet")


def sequencer_in(worktree: Path, git: Git, objects: Objects, env: Mapping[str, str]) -> Sequencer:
    """Ask in a worktree that the caller lends."""
    return Sequencer(Git(worktree, {**git.environment, **env}, git.options), objects)


@contextmanager
def scratch_sequencer(git: Git, objects: Objects, env: Mapping[str, str]) -> Iterator[Sequencer]:
    """Ask in a worktree of our own, which git's list of worktrees never sees and which is gone afterwards.

    Its git folder holds a HEAD and the way to the shared repository (gitrepository-layout(5),
    "commondir"), so that objects and configuration are the repository's and all that a rebase writes for
    itself stays here.
    """
    with tempfile.TemporaryDirectory(prefix="gitsched-rebase-") as root:
        admin, worktree = Path(root, "admin"), Path(root, "scratch")
        (admin / "info").mkdir(parents=True)
        worktree.mkdir()
        (admin / "commondir").write_text(f"{common_folder(objects.repository)}\n")
        (admin / "HEAD").write_text(f"{synthetic_commit(objects, objects.empty_tree)}\n")
        (admin / "info/sparse-checkout").write_text(_SPARSE_PATTERNS)
        places = {"GIT_DIR": str(admin), "GIT_WORK_TREE": str(worktree)}
        environment = {**git.environment, **env, **places}
        yield Sequencer(Git(worktree, environment, (*git.options, *_SPARSE)), objects)


def common_folder(repository: pygit2.Repository) -> Path:
    """Name the git folder that all worktrees of a repository share."""
    own = Path(repository.path)
    link = own / "commondir"
    return Path(os.path.normpath(own / link.read_text().strip())) if link.exists() else own
