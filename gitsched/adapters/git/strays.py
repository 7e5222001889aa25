"""Find commits that a run made somewhere else than on its member's branch.

Three places: the tree's own HEAD when it is not on the branch, worktrees nested below the tree, and local branches
that stood at a commit which was made in one of them. Nothing is moved: they are named, so that nobody lands them
unseen or loses them.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from gitsched.adapters.git.branches import tip
from gitsched.adapters.git.process import Git, engine_git
from gitsched.adapters.git.reflog import entries
from gitsched.adapters.git.site import Site, nested_in, sites_of

_FOREIGN = ("--branches", "--remotes", "--tags")
_LOG = "logs/HEAD"
_OID = re.compile(r"[0-9a-f]{40,64}")
_MADE = re.compile(r"(commit|cherry-pick|revert|am|rebase \((pick|continue|squash|fixup|edit|reword)\))\b")
"""How git begins the log entry of a commit that was made, and not only gone to."""


def stray_commits(
    site: Site, base: str, branch: str, logged: int, visited: Collection[str]
) -> Mapping[str, tuple[str, ...]]:
    """Map each place to its commits beyond `base` and not on `branch`; see `TreeWork.stray_commits`.

    `logged` is how long the log of the tree's HEAD was when the tree was handed to its owner; `visited` are the
    worktrees of others in which it called git.
    """
    common = site.admin.parents[1]
    others = [*nested_in(site), *(one for one in sites_of(common) if os.path.realpath(one.path) in visited)]
    logs = {site.admin / _LOG: logged, **{one.admin / _LOG: 0 for one in others}}
    made = {entry.new for log, skip in logs.items() for entry in entries(log, skip) if _MADE.match(entry.message)}
    moved = set(_branches_that_had(common, made))
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


def made_in(site: Site, base: str, logged: int) -> tuple[str, ...]:
    """Name the newest commits beyond `base` that logs of HEAD tell of, in the tree and in those nested below it.

    What was amended, reset away or made on no branch is held by nothing but such a log. `logged` is how long the
    tree's own one was when the tree was handed to its owner.
    """
    moves = list(entries(site.admin / _LOG, logged))
    nested = [move for one in nested_in(site) for move in entries(one.admin / _LOG)]
    made = sorted({move.new for move in (*moves, *nested) if _OID.fullmatch(move.new)})
    if not made:
        return ()
    git = engine_git(site.admin.parents[1], {"GIT_DIR": str(site.admin.parents[1])})
    words = ("rev-list", "--ignore-missing", "--topo-order", "--children", "--stdin")
    listed = git.run(*words, stdin="\n".join([*made, f"^{base}", ""]).encode(), check=False).lines()
    return tuple(line for line in listed if " " not in line)


def _branches_that_had(common: Path, made: Collection[str]) -> Iterator[str]:
    """Name the local branches that stood at one of these commits at any time."""
    logs = common / "logs/refs/heads"
    for folder, _, names in os.walk(logs) if made else ():
        for name in names:
            log = Path(folder, name)
            if any(entry.new in made for entry in entries(log)):
                yield str(log.relative_to(logs))


def _beyond(git: Git, head: str, known: Sequence[str], places: Mapping[str, str], *, own: bool) -> tuple[str, ...]:
    """List the commits of a place, oldest first; of one that no reflog ties to the run only those nobody else has."""
    hidden = [f"--exclude={name}" for name in places]
    limits = () if own else (*hidden, *_FOREIGN)
    words = ("rev-list", "--reverse", "--topo-order", head, "--not", *known, *limits)
    return tuple(git.run(*words).text().split()) if head else ()
