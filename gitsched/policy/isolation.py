"""Isolation: which of the git commands of a run could have changed the checkout they were called in.

Those that only read do not count, nor does one that git refused to carry out.
"""

from collections.abc import Iterable

from gitsched.domain.runs import GitCommand

_WRITES = frozenset(
    {
        *("add", "am", "apply", "bisect", "checkout", "checkout-index", "cherry-pick", "clean", "commit", "merge"),
        *("mv", "pull", "read-tree", "rebase", "reset", "restore", "revert", "rm", "sparse-checkout", "stage"),
        *("stash", "submodule", "switch", "symbolic-ref", "update-index", "update-ref"),
    }
)
_REFUSED = frozenset({128, 129})


def writes_in(commands: Iterable[GitCommand], folder: str) -> tuple[str, ...]:
    """Name the commands that could have changed the checkout in a folder, as git names that folder, oldest first."""
    here = (one for one in commands if one.worktree == folder and one.code not in _REFUSED)
    return tuple(one.name for one in here if one.name in _WRITES)


def visited(commands: Iterable[GitCommand]) -> frozenset[str]:
    """Name the worktrees in which a run called git."""
    return frozenset(one.worktree for one in commands)
