"""Settle: what a run that has ended came to. The first rule that holds decides.

1. What it merged by itself is in the world, whatever it says. Else a terminal milestone `blocked` or `partial` is a
   hand-back; else a pull request of its own is the wrong procedure.
2. Complete: the completion contract is met, there is at least one commit of its own, or changes for a closing one, and
   none of a sibling's.
3. A provider error at the end of its own output is nobody's failure.
4. A time limit, a budget, and being ended from outside are each named.
5. A clean exit that announces waiting for background work is started again, once.
6. A contract that is met, or a clean exit, with neither a commit nor a change: nothing was done.
7. What failed for its surroundings is tried once more.
8. Whatever is left ended without being verified.

An agent's words never decide; its exit alone proves nothing.
Rule 5 stands before 6, or it could never hold for an agent that has not committed yet; budgets stand before 6, so that
one that is used up is never a quiet `no-changes`. See docs/how-to/write-an-agent.md, "How it says that it is done".
"""

from collections.abc import Mapping

from msgspec import Struct

from gitsched.domain.forge import Published
from gitsched.domain.instants import Instant, seconds_between
from gitsched.domain.records import Member
from gitsched.domain.runs import Milestone, RunEnd, RunRecord
from gitsched.domain.words import MilestoneStatus
from gitsched.policy.mishaps import mishap_of

EARLY_MILESTONE_S = 60.0
"""How long before its spawn a milestone may have been posted and still counts."""


TREE_BROKEN = "tree-broken"
"""Begins what is told of a run that broke git's own files in its tree."""


class RunFacts(Struct, frozen=True, kw_only=True):
    """What is known of a run that has ended."""

    record: RunRecord
    end: RunEnd
    completion: str
    """`milestone` or `exit`."""
    commits: tuple[str, ...]
    """Commits beyond the cut point on the member's branch, oldest first."""
    siblings: tuple[int, ...] = ()
    """Issues whose commits are among them without having landed."""
    strays: Mapping[str, tuple[str, ...]] = {}
    """Other branches and worktrees that the run committed in → the commits that are there alone, oldest first."""
    uncommitted: tuple[str, ...] = ()
    """Paths that it left uncommitted, those that look like secrets left out."""
    broken: str | None = None
    """What it broke of git's own files in its tree, so that nothing there proves that its work is whole."""
    spawned_at: Instant
    offence: Published | None = None
    """What it published by itself and has not been told about."""


class Completed(Struct, frozen=True):
    """The contract is met, and there is work."""


class HandBack(Struct, frozen=True):
    """The agent says that it cannot, or not all."""

    reason: str
    is_partial: bool


class ProviderTrouble(Struct, frozen=True):
    """The agent's provider failed it."""

    status: str
    resets_at: Instant | None
    is_usage_limit: bool


class AnnouncedWait(Struct, frozen=True):
    """It ended well while its last words announce waiting for something in the background."""


class Fruitless(Struct, frozen=True):
    """It ended in a named way that takes it out of its batch without a rung of the ladder."""

    reason: str
    detail: str = ""


class WrongProcedure(Struct, frozen=True):
    """It opened a pull request of its own, or merged, instead of handing its branch over."""

    published: Published


class OutOfScope(Struct, frozen=True):
    """Complete, but with changes outside its declared write set: held for a person, nothing lost."""

    paths: tuple[str, ...]


class Mishap(Struct, frozen=True):
    """Its surroundings failed it, and not its work."""

    what: str
    is_clean: bool
    """Nothing uncommitted is left in its tree."""


class Unverified(Struct, frozen=True):
    """It ended and nothing says that its work is done."""

    detail: str


RunOutcome = (
    Completed
    | HandBack
    | ProviderTrouble
    | AnnouncedWait
    | Fruitless
    | WrongProcedure
    | OutOfScope
    | Mishap
    | Unverified
)


def judge_run(facts: RunFacts) -> RunOutcome:
    """Say what an ended run came to."""
    end, last = facts.end, deciding_milestone(facts.record, facts.spawned_at)
    if facts.offence is not None and facts.offence.is_merged:
        return WrongProcedure(facts.offence)
    if last is not None and last.status in (MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL):
        return HandBack(last.keys.get("reason", ""), last.status is MilestoneStatus.PARTIAL)
    if facts.offence is not None:
        return WrongProcedure(facts.offence)
    is_met = end.code == 0 if facts.completion == "exit" else last is not None
    if is_met and facts.broken is not None:
        return Unverified(f"{TREE_BROKEN}: {facts.broken}")
    if is_met and facts.siblings:
        return Unverified(f"sibling-commits:{facts.siblings[0]}")
    if is_met and (facts.commits or facts.uncommitted):
        return Completed()
    if end.provider is not None:
        return _provider_trouble(end.provider)
    return _ended_without(facts, is_met=is_met)


def _provider_trouble(seen: Mapping[str, object]) -> ProviderTrouble:
    resets_at = seen.get("resets_at")
    return ProviderTrouble(
        status=str(seen.get("status", "unknown")),
        resets_at=str(resets_at) if resets_at else None,
        is_usage_limit=bool(seen.get("usage_limit")) or resets_at is not None,
    )


def _ended_without(facts: RunFacts, *, is_met: bool) -> RunOutcome:
    end = facts.end
    if end.timed_out:
        return Fruitless("timeout")
    if end.budget is not None:
        return Fruitless(f"budget:{end.budget}")
    if end.signal is not None and not is_met:
        return Fruitless("killed")
    if end.waiting and end.code == 0:
        return AnnouncedWait()
    what = mishap_of(end)
    if what is not None and not is_met:
        return Mishap(what, is_clean=not facts.uncommitted)
    if facts.broken is not None:
        return Unverified(f"{TREE_BROKEN}: {facts.broken}")
    if (is_met or end.code == 0) and not facts.commits and not facts.uncommitted:
        return Fruitless("no-changes", f"It left commits elsewhere: {astray(facts.strays)}." if facts.strays else "")
    return Unverified(f"last tool {end.last_tool}" if end.last_tool else "no last tool is known")


def astray(strays: Mapping[str, tuple[str, ...]]) -> str:
    """Name places with the commits that a run made there beside its own branch."""
    told = (f"{place}: {', '.join(commit[:12] for commit in commits)}" for place, commits in sorted(strays.items()))
    return "; ".join(told)


def deciding_milestone(record: RunRecord, spawned_at: Instant) -> Milestone | None:
    """Find the last terminal milestone of the run's own generation that was not posted before its time."""
    counting = [
        milestone
        for milestone in record.milestones
        if milestone.is_terminal
        and milestone.gen == record.gen
        and seconds_between(milestone.at, spawned_at) <= EARLY_MILESTONE_S
    ]
    return counting[-1] if counting else None


def stale_milestones(record: RunRecord, spawned_at: Instant) -> tuple[Milestone, ...]:
    """List the terminal milestones that were posted too early, or by another generation, to count."""
    return tuple(
        milestone
        for milestone in record.milestones
        if milestone.is_terminal
        and (milestone.gen != record.gen or seconds_between(milestone.at, spawned_at) > EARLY_MILESTONE_S)
    )


def counted_from(member: Member) -> str:
    """Name the commit after which commits count as a run's work: where it began.

    Work that an operator let through as it is counts from its cut: nothing more has to be done about it.
    """
    is_let_through = member.prior is not None and member.prior.reason in member.allow
    return (None if is_let_through else member.start) or member.cut or ""
