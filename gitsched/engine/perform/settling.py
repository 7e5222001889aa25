"""Settling: judge a run that has ended, pin its head, and record what it came to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from gitsched.codec.gittrace import read_trace
from gitsched.config.profiles import AgentProfile, resolve_profile
from gitsched.domain.effects import SettleRun
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Lease, Member
from gitsched.domain.runs import LEFT, GitCommand, RunEnd, RunRecord
from gitsched.domain.state import Draft, RefMove, State
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.engine.briefing import TRACE_FILE
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.ended import Ended
from gitsched.engine.evidence import keep_run
from gitsched.engine.interrupting import INTERRUPTED, Interrupted, wait_again, was_interrupted
from gitsched.engine.perform.closing import close, hazards, siblings_in
from gitsched.engine.perform.outcomes import note_surroundings, record_outcome, word_of
from gitsched.engine.perform.setting_aside import mended, note_set_aside
from gitsched.engine.perform.starting import brought_home
from gitsched.engine.perform.takeover import climb_of
from gitsched.engine.publications import merged_by_itself, requests_of
from gitsched.engine.release import tree_here
from gitsched.engine.rescuing import rescue
from gitsched.engine.spending import Counted, counted
from gitsched.policy.isolation import visited, writes_in
from gitsched.policy.procedure import offence
from gitsched.policy.schedule import ENDED_BY_SCHEDULE
from gitsched.policy.secrets import secret_looking
from gitsched.policy.settle import (
    AnnouncedWait,
    Completed,
    HandBack,
    Mishap,
    RunFacts,
    RunOutcome,
    Unverified,
    astray,
    counted_from,
    judge_run,
    stale_milestones,
)
from gitsched.policy.stopping import is_breached
from gitsched.ports.worktrees import CheckoutChange, CheckoutLook


def settle_run(effect: SettleRun, desk: Desk) -> None:
    """Judge an ended run and record it; evidence is kept before the state names it."""
    found = _ended_run(effect, desk)
    judged = _judged(desk, _gather(desk, *found)) if found is not None else None
    if judged is None:
        return
    ended, outcome = judged
    if ended.leaves_files or not isinstance(outcome, Completed):
        ended = _rescue(desk, ended)
    ended = replace(ended, kept=keep_run(desk, ended))
    if was_applied(desk.record(lambda draft: _record(draft, desk, ended, outcome))):
        _forget(desk, ended.lease, is_owed=ended.kept is not None and ended.kept.owed is not None)


def _ended_run(effect: SettleRun, desk: Desk) -> tuple[Lease, Member, RunRecord, RunEnd] | None:
    """Find the run with its end, its work here; None while it goes on, or is elsewhere and cannot be fetched."""
    key = (effect.batch, effect.issue)
    lease, member = desk.state.leases.get(key), desk.state.members.get(key)
    if lease is None or member is None or lease.gen != effect.gen or lease.status is not RunStatus.RUNNING:
        return None
    look = desk.around.runner.look(effect.batch, str(effect.issue), effect.gen)
    if look.record is None or look.record.end is None or look.record.token != lease.token:
        return None
    if look.is_far:
        home = brought_home(desk, lease, member, look.record.extra.get(LEFT))
        if home is None:
            return None
        lease, member = replace(lease, holder=desk.me), home
    return lease, member, look.record, look.record.end


def _judged(desk: Desk, ended: Ended) -> tuple[Ended, RunOutcome | Interrupted] | None:
    """Say what a run came to, with what follows; None while what would tell it cannot be asked."""
    outcome: RunOutcome | Interrupted = judge_run(ended.facts)
    if ended.is_unread and not isinstance(outcome, Completed | HandBack):
        return None  # nothing fails on missing information; what is complete is so by its milestone and its gates
    if isinstance(outcome, Completed):
        ended, outcome = close(desk, ended)
    if isinstance(outcome, Completed):
        outcome = hazards(desk, ended.batch, ended.member, ended.head)
    if not isinstance(outcome, Completed | HandBack) and _is_put_back(desk.state, ended.lease, ended.end):
        outcome = Interrupted()
    if isinstance(outcome, Unverified | AnnouncedWait):
        climb = climb_of(desk, ended.lease, ended.member, word_of(outcome), ended.head)
        if isinstance(climb, Unreachable):
            return None
        ended = replace(ended, climb=replace(climb, detail=climb.detail or ended.facts.broken))
    return replace(ended, is_charged=not isinstance(outcome, Mishap)), outcome


def _is_put_back(state: State, lease: Lease, end: RunEnd) -> bool:
    """Say whether a run was ended for no doing of its own: its operator left, or a sibling touched the checkout."""
    now = state.leases.get((lease.batch, lease.issue), lease)
    return was_interrupted(now, end) or (end.stopped and is_breached(state.batches.get(lease.batch)))


def _forget(desk: Desk, lease: Lease, *, is_owed: bool) -> None:
    """Drop the run ref of a settled run; where a next one follows, what is left of this one is fenced off first."""
    name, after = str(lease.issue), desk.state.leases.get((lease.batch, lease.issue))
    if after is not None and after.gen > lease.gen:
        desk.around.runner.fence(lease.batch, name, after.gen, is_settled=True)
    if not is_owed:
        desk.around.runner.forget(lease.batch, name, lease.gen)


def _gather(desk: Desk, lease: Lease, member: Member, record: RunRecord, end: RunEnd) -> Ended:
    batch = desk.state.batches[member.batch]
    profile = resolve_profile(desk.settings_of(batch).agents, lease.profile, lease.tier)
    member, broken = mended(desk, member)
    cut, tip = member.cut or "", desk.around.refs.resolve(branch_ref(member.branch))
    head = tip or cut
    commands = _commands(desk, lease)
    commits = desk.around.lander.commits(counted_from(member), head) if head != cut else ()
    strays = _strays(desk, member, cut, commands)
    requests = requests_of(desk.around, [member.branch, *strays])
    found = () if isinstance(requests, Unreachable) else requests
    uncommitted, leaves_files = _uncommitted(desk, member, profile)
    published = (*found, *merged_by_itself(desk.around, batch, member, commits))
    facts = RunFacts(
        record=record,
        end=end,
        completion=profile.completion if profile is not None else "milestone",
        commits=commits,
        siblings=siblings_in(desk, batch, member, head),
        strays=strays,
        uncommitted=uncommitted,
        broken=broken,
        spawned_at=lease.spawned_at or lease.acquired_at,
        offence=offence(member, published),
    )
    return Ended(
        batch=batch,
        member=member,
        lease=lease,
        record=record,
        end=end,
        profile=profile,
        facts=facts,
        head=head,
        is_branch_gone=tip is None,
        made=desk.made(member),
        checkout=_checkout(desk, lease, commands),
        is_unread=isinstance(requests, Unreachable),
        leaves_files=leaves_files,
    )


def _commands(desk: Desk, lease: Lease) -> Sequence[GitCommand]:
    trace = desk.around.runner.left_file(lease.batch, str(lease.issue), lease.gen, TRACE_FILE)
    return read_trace(trace or b"")


def _strays(desk: Desk, member: Member, cut: str, commands: Sequence[GitCommand]) -> Mapping[str, tuple[str, ...]]:
    tree = tree_here(desk, member)
    if tree is None:
        return {}
    return desk.around.work.stray_commits(tree, cut, member.branch, visited(commands))


def _uncommitted(desk: Desk, member: Member, profile: AgentProfile | None) -> tuple[tuple[str, ...], bool]:
    """List what a closing commit may take, and say whether there is more than it takes."""
    tree = tree_here(desk, member)
    every = desk.around.work.uncommitted(tree) if tree is not None else ()
    plain = tuple(path for path in every if not secret_looking(path))
    is_ignored = profile is not None and profile.closing_commit == "ignore"
    return plain, bool(every if is_ignored else len(every) > len(plain))


def _checkout(desk: Desk, lease: Lease, commands: Sequence[GitCommand]) -> CheckoutChange | None:
    if lease.checkout is None:
        return None
    before = CheckoutLook(**lease.checkout)
    acts = writes_in(commands, str(Path(before.path).resolve())) if before.path is not None else ()
    return desk.around.trees.breaches(before, desk.look_at_checkout(), acts)


def _rescue(desk: Desk, ended: Ended) -> Ended:
    """Save what the run left uncommitted before anything happens to its tree."""
    if tree_here(desk, ended.member) is None:
        return ended
    return replace(ended, rescued=rescue(desk, ended.member))


def _record(draft: Draft, desk: Desk, ended: Ended, outcome: RunOutcome | Interrupted) -> None:
    key = (ended.member.batch, ended.member.issue)
    lease, member = draft.state.leases.get(key), draft.state.members.get(key)
    if lease is None or member is None or lease.gen != ended.lease.gen or lease.status is not RunStatus.RUNNING:
        return
    if member.status is not MemberStatus.RUNNING:
        return
    if isinstance(outcome, Interrupted) and not _is_put_back(draft.state, lease, ended.end):
        return  # the engine itself has asked for that end meanwhile
    _note_exit(draft, desk, ended, lease, member)
    for milestone in stale_milestones(ended.record, ended.facts.spawned_at)[:1]:
        draft.note(
            EventName.STALE_MILESTONE_IGNORED,
            f"Ignore a milestone of issue {member.issue} that is not this run's",
            batch=member.batch,
            issue=member.issue,
            gen=lease.gen,
            phase=milestone.phase,
            posted_at=milestone.at,
        )
    if isinstance(outcome, Interrupted):
        note_surroundings(draft, ended)
        reason = lease.reason if lease.reason in ENDED_BY_SCHEDULE else INTERRUPTED
        wait_again(draft, draft.state.leases[key], draft.state.members[key], reason or INTERRUPTED)
    else:
        record_outcome(draft, desk, ended, outcome)


def _note_exit(draft: Draft, desk: Desk, ended: Ended, lease: Lease, member: Member) -> None:
    end = ended.end
    kept = ended.kept
    cost = counted(draft, desk, member, lease, end) if ended.is_charged else Counted(member, ())
    owed = {str(lease.gen): dict(kept.owed)} if kept is not None and kept.owed is not None else {}
    how = f"signal {end.signal}" if end.signal is not None else f"exit {end.code}"
    after = replace(
        cost.member,
        status=MemberStatus.VERIFYING,
        tree=ended.member.tree,
        tree_host=ended.member.tree_host,
        setup_done=ended.member.setup_done,
        survivors=end.survivors,
        owed={**member.owed, **owed},
        retries={cause: count for cause, count in member.retries.items() if cause != "lost"},
        head=ended.head,
    )
    draft.keeps += [ended.head, *ended.made]
    if ended.is_branch_gone and ended.head:
        draft.moves.append(RefMove(branch_ref(member.branch), None, ended.head))
    draft.note(
        EventName.EXIT_DETECTED,
        f"Run {lease.gen} of issue {member.issue} of {member.batch} has ended: {how}",
        replace(lease, status=RunStatus.EXITED, holder=ended.lease.holder),
        after,
        *cost.records,
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        code=end.code,
        signal=end.signal,
        head=ended.head,
        evidence=kept.folder if kept is not None else None,
        evidence_sha256=kept.digest if kept is not None else None,
    )
    if ended.facts.broken is not None and ended.member.tree is None:
        note_set_aside(draft, member, ended.facts.broken)
    _note_leavings(draft, ended)


def _note_leavings(draft: Draft, ended: Ended) -> None:
    """Tell what the run left behind outside its branch: processes, and commits elsewhere."""
    member, lease, end = ended.member, ended.lease, ended.end
    if end.survivors:
        draft.note(
            EventName.SURVIVORS_FOUND,
            f"Processes outlived run {lease.gen} of issue {member.issue}: {', '.join(end.survivors)[:150]}",
            batch=member.batch,
            issue=member.issue,
            gen=lease.gen,
            processes=list(end.survivors),
        )
    if ended.facts.strays:
        strays = ended.facts.strays
        draft.note(
            EventName.STRAY_COMMITS,
            f"Run {lease.gen} of issue {member.issue} left commits elsewhere: {astray(strays)}"[:200],
            batch=member.batch,
            issue=member.issue,
            gen=lease.gen,
            branches=sorted(strays),
            newest=[strays[place][-1] for place in sorted(strays)],
        )
