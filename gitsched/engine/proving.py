"""Proving: whether the target holds what a batch was to ship, however the forge merged it.

The head itself, a commit with its tree, its commits one by one as others with the same patches, or one merge commit
with their combined patch (spec 05, "Watch").
"""

from gitsched.domain.forge import PullRequestView
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch
from gitsched.engine.desk import Desk

_LOOKED_AT = 500
"""So many commits of the target since the batch's base are looked at, newest first."""


def proof_of_merge(desk: Desk, batch: Batch, seen: PullRequestView) -> str | Unreachable | None:
    """Say how the target proves the merge; None when it does not."""
    target = desk.around.forge.target(batch.target)
    lander, head = desk.around.lander, batch.pr.head if batch.pr is not None else ""
    if target is None or isinstance(target, Unreachable):
        return target
    if lander.is_ancestor(head, target):
        return "the target holds the head"
    base, merged = batch.base, seen.merge_commit
    if base is None:
        return None
    if merged is not None and lander.is_ancestor(merged, target) and _has_combined_patch(desk, merged, base, head):
        return "the merge commit has the combined patch"
    news = lander.commits(base, target)[-_LOOKED_AT:]
    if lander.tree_of(head) in {lander.tree_of(commit) for commit in news}:
        return "the target has held the tree"
    wanted = {lander.patch_id(commit) for commit in lander.commits(base, head)}
    return "the target holds every patch" if wanted <= {lander.patch_id(commit) for commit in news} else None


def _has_combined_patch(desk: Desk, merged: str, base: str, head: str) -> bool:
    lander = desk.around.lander
    return lander.patch_id(merged) == lander.combined_patch_id(base, head)
