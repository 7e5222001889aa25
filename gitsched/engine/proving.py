"""Proving: whether the target holds what a batch was to ship, however the forge merged it.

The head itself, a commit with its tree, its commits one by one as others with the same patches, or one merge commit
with their combined patch.
"""

from gitsched.domain.forge import PullRequestView
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch
from gitsched.engine.desk import Desk
from gitsched.ports.landing import Lander

_LOOKED_AT = 500
"""So many commits of the target since the batch's base are looked at, newest first."""


def proof_of_merge(desk: Desk, batch: Batch, seen: PullRequestView) -> str | Unreachable | None:
    """Say how the target proves the merge; None when it does not."""
    target = desk.around.forge.target(batch.target)
    lander, head = desk.around.lander, batch.pr.head if batch.pr is not None else ""
    if target is None or isinstance(target, Unreachable):
        return target
    proof = proof_of_work(lander, batch.base, head, target)
    if proof is None and seen.merge_commit is not None and batch.base is not None:
        is_there = lander.is_ancestor(seen.merge_commit, target)
        if is_there and _has_combined_patch(lander, seen.merge_commit, batch.base, head):
            return "the merge commit has the combined patch"
    return proof


def proof_of_work(lander: Lander, base: str | None, head: str, target: str) -> str | None:
    """Say how a target proves that it holds `base..head`; None when it does not."""
    if lander.is_ancestor(head, target):
        return "the target holds the head"
    if base is None:
        return None
    news = lander.commits(base, target)[-_LOOKED_AT:]
    if lander.tree_of(head) in {lander.tree_of(commit) for commit in news}:
        return "the target has held the tree"
    wanted = {lander.patch_id(commit) for commit in lander.commits(base, head)}
    return "the target holds every patch" if wanted <= {lander.patch_id(commit) for commit in news} else None


def _has_combined_patch(lander: Lander, merged: str, base: str, head: str) -> bool:
    return lander.patch_id(merged) == lander.combined_patch_id(base, head)
