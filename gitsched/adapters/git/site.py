"""One linked worktree as git keeps it: the folder people see, and its own folder in the common git directory.

What only needs a look at git's small files is read from them: no process, no lock. An agent owns the tree and may
have rewritten its `.git` file, so git is always told by us which repository and which tree it works on.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitsched.adapters.git.process import Git, engine_git

PREFIX = "gitsched-"
"""With it begin the names of our trees, as git knows them."""
LONG_S = 1800.0
"""Time limit of a git command that writes or removes a whole tree."""
# Stat data is believed as git does by default, whatever the user's configuration relaxes.
STRICT = ("-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.untrackedCache=false")
_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick"),
    ("BISECT_START", "bisect"),
)
"""What git leaves in the worktree's own folder while it is in the middle of something; first match counts."""
_BRANCHES = "refs/heads/"
_HIDDEN = re.compile(rb"(?:\A|\0)[a-zS] ")


@dataclass(frozen=True, slots=True)
class Site:
    """A linked worktree."""

    path: Path
    admin: Path
    """`<common git directory>/worktrees/<name>`."""

    @property
    def git(self) -> Git:
        """Give the git for this tree, whatever its `.git` file says by now; paths are taken literally."""
        return engine_git(
            self.path,
            {"GIT_DIR": str(self.admin), "GIT_WORK_TREE": str(self.path), "GIT_LITERAL_PATHSPECS": "1"},
        )

    @property
    def is_linked(self) -> bool:
        """Say whether folder and git directory still name each other."""
        link = self.path / ".git"
        try:
            named = b"" if link.is_symlink() else link.read_bytes().removeprefix(b"gitdir:").strip()
        except OSError:
            return False
        return (
            bool(named)
            and b"\0" not in named
            and _same(self.path / os.fsdecode(named), self.admin)
            and path_of(self.admin) == self.path
        )

    @property
    def branch(self) -> str | None:
        """Name the branch that HEAD is on; None when it is on none."""
        return branch_of_head(self.admin)

    @property
    def operation(self) -> str | None:
        """Name what git is in the middle of in this tree."""
        return next((word for name, word in _OPERATIONS if (self.admin / name).exists()), None)

    @property
    def hides(self) -> bool:
        """Say whether the index takes a file for unchanged without a look at it, or cannot be read."""
        flags = self.git.run("ls-files", "-v", "-z", check=False)
        return not flags.ok or _HIDDEN.search(flags.out) is not None

    def head(self) -> str:
        """Ask git for the commit at HEAD; empty on a branch without one."""
        return self.git.run("rev-parse", "--verify", "-q", "HEAD", check=False).text()


def sites_of(common: Path) -> Iterator[Site]:
    """Yield every linked worktree that git keeps a folder for, whether or not its tree still exists."""
    for admin in sorted((common / "worktrees").glob("*/")):
        path = path_of(admin)
        if path is not None:
            yield Site(path, admin)


def nested_in(site: Site) -> Iterator[Site]:
    """Yield the worktrees that lie, or lay, below the tree of another one."""
    tree = os.path.realpath(site.path)
    for one in sites_of(site.admin.parents[1]):
        if os.path.realpath(one.path).startswith(f"{tree}/"):
            yield one


def path_of(admin: Path) -> Path | None:
    """Tell where the tree of a worktree's own folder is; None where that cannot be read."""
    try:
        link = (admin / "gitdir").read_bytes().removesuffix(b"\n")
    except OSError:
        return None
    is_path = link and b"\0" not in link  # which whoever works in a tree can write there
    return Path(os.path.normpath(admin / os.fsdecode(link))).parent if is_path else None


def branch_of_head(git_directory: Path) -> str | None:
    """Name the branch that the HEAD in a git directory is on; None when it is on none or cannot be read."""
    return _branch_in(git_directory / "HEAD")


def branches_in_use(git_directory: Path) -> frozenset[str]:
    """Name the branches that a worktree holds: its HEAD's, and those that a rebase or a bisect goes back to."""
    rebased = [_branch_in(git_directory / folder / "head-name") for folder in ("rebase-merge", "rebase-apply")]
    bisected = _words_in(git_directory / "BISECT_START").removeprefix(_BRANCHES)
    return frozenset(name for name in (branch_of_head(git_directory), *rebased, bisected) if name)


def _branch_in(file: Path) -> str | None:
    words = _words_in(file).removeprefix("ref:").strip()
    return words.removeprefix(_BRANCHES) if words.startswith(_BRANCHES) else None


def _words_in(file: Path) -> str:
    try:
        return os.fsdecode(file.read_bytes()).strip()
    except OSError:
        return ""


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
