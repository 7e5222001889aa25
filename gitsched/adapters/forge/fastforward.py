"""Move a target branch forward to a head, as an operator's `git merge --ff-only` would.

A target that is checked out nowhere is moved as a ref. One that is checked out is moved by git itself in that
worktree, where its files have to follow: the only write into a checkout, asked for by the operator's setting or
command. Local changes that stand in the way make git refuse; nothing is stashed, reset or forced.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from gitsched.adapters.git.branches import holder
from gitsched.adapters.git.history import is_ancestor
from gitsched.adapters.git.objects import Objects
from gitsched.adapters.git.process import engine_git, operator_git
from gitsched.adapters.git.registry import listed, main_checkout
from gitsched.adapters.git.sequencer import common_folder
from gitsched.adapters.git.treeref import Shared, tip_of
from gitsched.domain.forge import MergeRefused, TargetCheckedOut, TargetMoved
from gitsched.domain.ids import branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import RefMove
from gitsched.errors import RemoteAwayError, RemoteRefusedError
from gitsched.view.clean import one_line

_LONGEST_DETAIL = 1000
_TRIES = 10
_LOST_RACE = re.compile(r"cannot lock ref .*(: File exists|but expected)")
"""Git's words for a lock that another process holds, and for a ref that it has moved meanwhile."""
# Their settings for merges must not make it anything but the fast-forward that was asked for.
_MERGE = ("merge", "--ff-only", "--commit", "--no-squash", "--no-autostash", "--no-edit", "--quiet")


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The target holds the head now; it may have done so before."""

    target: str
    """Where the target is."""


Answer = Forwarded | TargetMoved | TargetCheckedOut | MergeRefused | Unreachable


def fast_forward(objects: Objects, target: str, head: str, command: str) -> Answer:
    """Make the branch `target` hold the commit `head`, if it is an ancestor of it; calling again is harmless.

    `command` is what an operator is told to run where a checkout stands in the way.
    """
    found = tip_of(objects, branch_ref(target))
    if found is None:
        return MergeRefused(detail=f"there is no branch '{target}'")
    if head not in objects.repository:
        return MergeRefused(detail=f"the commit {head} is not in this repository")
    settled = _settled(objects, target, head)
    if settled is not None:
        return settled
    common = common_folder(objects.repository)
    place = holder(common, main_checkout(common), target)
    if place is None or _is_forgotten(common, place):
        return _forward_ref(objects, target, head, found)
    why = _why_not_in(place, target)
    if why is None:
        ended = operator_git(place).run(*_MERGE, head, check=False)
        why = ended.complaint() or ended.text()
    waits = TargetCheckedOut(path=str(place), detail=one_line(why, _LONGEST_DETAIL), command=command)
    return _settled(objects, target, head) or waits


def forward_there(objects: Objects, shared: Shared, target: str, head: str) -> Answer:
    """Make a remote's branch `target` hold the commit `head`, by a push that expects it where it was seen."""
    found = shared.tip(branch_ref(target))
    if found is None:
        return MergeRefused(detail=f"the remote has no branch '{target}'")
    if holds(objects, found, head):
        return Forwarded(found)
    if not holds(objects, head, found):
        return TargetMoved(found=found)
    try:
        moved = shared.publish([RefMove(branch_ref(target), found, head)])
    except RemoteRefusedError as refused:
        return MergeRefused(detail=one_line(refused.words, _LONGEST_DETAIL))
    except RemoteAwayError as away:
        return Unreachable(what=target, detail=one_line(away.against, _LONGEST_DETAIL))
    return Forwarded(head) if moved else TargetMoved(found=shared.tip(branch_ref(target)) or found)


def holds(objects: Objects, commit: str, other: str) -> bool:
    """Say whether `commit` is `other` or has it in its history; no to a commit that is not here."""
    return other in objects.repository and is_ancestor(objects, other, commit)


def _settled(objects: Objects, target: str, head: str) -> Answer | None:
    """Read from the target itself how it stands to the head; None where it can be moved forward to it."""
    now = tip_of(objects, branch_ref(target))
    if now is None:
        return MergeRefused(detail=f"the branch '{target}' is gone")
    if holds(objects, now, head):
        return Forwarded(now)
    return None if holds(objects, head, now) else TargetMoved(found=now)


def _forward_ref(objects: Objects, target: str, head: str, found: str) -> Answer:
    words = ("-m", f"merge {head}: Fast-forward", branch_ref(target), head)
    git, detail = engine_git(Path(objects.repository.path)), ""
    for _ in range(_TRIES):  # git itself waits a tenth of a second for a lock
        ended = git.run("update-ref", *words, found, check=False)
        settled = _settled(objects, target, head)
        if settled is not None:
            return settled
        detail, found = one_line(ended.complaint(), _LONGEST_DETAIL), tip_of(objects, branch_ref(target)) or found
        if not _LOST_RACE.search(detail):
            return MergeRefused(detail=detail)
    return Unreachable(what=target, detail=detail)


def _is_forgotten(common: Path, place: Path) -> bool:
    """Say whether a worktree is gone for good: its folder is not there, and nobody locked it to come back."""
    return not place.is_dir() and not any(known.path == place and known.locked is not None for known in listed(common))


def _why_not_in(place: Path, target: str) -> str | None:
    """Say why git must not even be asked to merge there."""
    if not place.is_dir():
        return "the worktree where it is checked out cannot be reached"
    on = operator_git(place).run("symbolic-ref", "--quiet", "HEAD", check=False).text()
    return None if on == branch_ref(target) else "a rebase or a bisect of it is going on there"
