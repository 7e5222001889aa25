"""Find commits that a run made somewhere else than on its member's branch.

Three places: the tree's own HEAD when it is not on the branch, worktrees nested below the tree, and local branches
whose reflog tells of the run. Nothing is moved: they are named, so that nobody lands them unseen or loses them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gitsched.adapters.git.branches import tip
from gitsched.adapters.git.process import Git, engine_git
from gitsched.adapters.git.reflog import entries, is_by
from gitsched.adapters.git.site import Site, nested_in

_FOREIGN = ("--branches", "--remotes", "--tags")


def stray_commits(site: Site, base: str, branch: str, action: str) -> Mapping[str, tuple[str, ...]]:
    """Map each place to its commits beyond `base` and not on `branch`; see `TreeWork.stray_commits`."""
    common = site.admin.parents[1]
    moved = set(_branches_moved_by(common, action))
    nested = {one.branch or f"worktree {one.path}": one.head() for one in nested_in(site)}
    if site.branch != branch:
        nested[site.branch or f"worktree {site.path}"] = site.head()
    places = {name: f"refs/heads/{name}" for name in moved} | nested
    places.pop(branch, None)
    if not places:
        return {}
    git = engine_git(common, {"GIT_DIR": str(common)})
    known = (base, *([f"refs/heads/{branch}"] if tip(common, branch) else []))
    found = {name: _beyond(git, head, known, places, own=name in moved) for name, head in places.items()}
    return {name: found[name] for name in sorted(found) if found[name]}


def _branches_moved_by(common: Path, action: str) -> Iterator[str]:
    logs = common / "logs/refs/heads"
    for folder, _, names in os.walk(logs):
        for name in names:
            log = Path(folder, name)
            if any(is_by(entry, action) for entry in entries(log)):
                yield str(log.relative_to(logs))


def _beyond(git: Git, head: str, known: Sequence[str], places: Mapping[str, str], *, own: bool) -> tuple[str, ...]:
    """List the commits of a place, oldest first; of one that no reflog ties to the run only those nobody else has."""
    hidden = [f"--exclude={name}" for name in places]
    limits = () if own else (*hidden, *_FOREIGN)
    words = ("rev-list", "--reverse", "--topo-order", head, "--not", *known, *limits)
    return tuple(git.run(*words).text().split()) if head else ()
