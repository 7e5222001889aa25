"""Publications: what a run brought to the forge, or into the target, by itself."""

from collections.abc import Iterable
from pathlib import Path

from gitsched.domain.forge import Published, PullRequestView
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Member
from gitsched.domain.words import PullRequestState
from gitsched.engine.desk import Surroundings


def requests_of(around: Surroundings, branches: Iterable[str]) -> tuple[Published, ...] | Unreachable:
    """Name the pull requests from these branches, but for those that were closed without being merged."""
    found: list[PullRequestView] = []
    for branch in branches:
        seen = around.forge.pull_requests_from(branch)
        if isinstance(seen, Unreachable):
            return seen
        found += seen
    return tuple(
        Published(name=str(pull.number), number=pull.number, is_merged=pull.state is PullRequestState.MERGED)
        for pull in found
        if pull.state is not PullRequestState.CLOSED
    )


def merged_by_itself(
    around: Surroundings, batch: Batch, member: Member, commits: tuple[str, ...]
) -> tuple[Published, ...]:
    """Name the target when it holds commits that a run made, although nobody landed them."""
    target = around.forge.target(batch.target) if commits and member.tree is not None else None
    if not isinstance(target, str) or member.tree is None or around.lander.commits(target, commits[-1]):
        return ()
    if not Path(member.tree).is_dir() or not around.work.made_here(Path(member.tree), commits[-1]):
        return ()
    return (Published(name=batch.target, is_merged=True),)
