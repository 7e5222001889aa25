"""Fixing: the one bounded attempt at mending what a member broke, in the batch's own tree."""

from pathlib import Path

from msgspec.structs import replace

from gitsched.config.profiles import AgentProfile
from gitsched.domain.batches import Fix, Segment
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.ids import branch_ref
from gitsched.domain.instants import epoch_seconds
from gitsched.domain.landing import Decoration, Rebased, Terms, Work
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Exit, Job, Member
from gitsched.domain.search_effects import ClaimFix
from gitsched.domain.state import Draft, RefMove, State
from gitsched.domain.words import BatchStatus, JobKind
from gitsched.engine.desk import COMMITTER, Desk
from gitsched.engine.ending import evict
from gitsched.engine.evidence import keep_job
from gitsched.engine.jobs import JobEnd, read_end
from gitsched.engine.perform.closing import guards_of
from gitsched.engine.perform.errands import Sent, note_wait, profile_for, send, settle_errand, start_errand
from gitsched.policy.budget import is_for_good
from gitsched.policy.errands import Errand
from gitsched.policy.mending import FIX_JOB, RED_AFTER_FIX, tier_of
from gitsched.policy.secrets import secret_looking
from gitsched.ports.worktrees import Identity
from gitsched.view.prompt import FixFacts, render_fix_prompt

TESTS_TOLD = 50


def dispatch_fix(draft: Draft, batch: Batch, exit_: Exit, fix: Fix) -> None:
    """Say that a fix is tried before a member leaves; from here on its attempt is used."""
    due = replace(
        batch,
        status=BatchStatus.FIXING,
        fix=fix,
        fix_attempts=(*batch.fix_attempts, exit_.issue),
        search=None,
        updated_at=draft.at,
    )
    sentence = f"Try to mend what issue {exit_.issue} of {batch.id} broke"
    failing = list(exit_.failing)
    draft.note(EventName.FIX_DISPATCHED, sentence, due, batch=batch.id, issue=exit_.issue, failing=failing)


def claim_fix(effect: ClaimFix, desk: Desk) -> None:
    """Start the agent, in a tree at the integration head; where that cannot be, the suite stays as red as it is."""
    batch = desk.state.batches[effect.batch]
    if not _is_due(desk.state, batch) or batch.fix is None:
        return
    if effect.wait is not None:
        wait, is_over = effect.wait, is_for_good(effect.wait)
        desk.record(lambda draft: (_give_up_due if is_over else _note_wait)(draft, batch, wait))
        return
    member = desk.state.members[batch.id, batch.fix.exit.issue]
    profile = _profile(desk, batch, member)
    if isinstance(profile, str):
        desk.record(lambda draft: _give_up_due(draft, batch, profile))
        return
    if isinstance(desk.around.forge.issues([member.issue]), Unreachable):
        return
    _claim(desk, batch, member, profile)


def _claim(desk: Desk, batch: Batch, member: Member, profile: AgentProfile) -> None:
    errand = Errand(agent=profile.name, tier=profile.tier, issue=member.issue)
    sentence = f"Start {profile.name} to mend what issue {member.issue} of {batch.id} broke"
    sent = Sent(batch=batch, name=FIX_JOB, kind=JobKind.FIX, errand=errand, profile=profile, sentence=sentence)
    why = send(desk, sent, lambda state: _is_due(state, batch), start_fix)
    if why is not None:
        desk.record(lambda draft: _give_up_due(draft, batch, why))


def _is_due(state: State, seen: Batch) -> bool:
    now = state.batches.get(seen.id)
    if now is None or now.status is not BatchStatus.FIXING or now.fix != seen.fix:
        return False
    return now.integration.head == seen.integration.head and (now.id, FIX_JOB) not in state.jobs


def _profile(desk: Desk, batch: Batch, member: Member) -> AgentProfile | str:
    """Find the agent of the fix; a word says why there is none."""
    settings = desk.settings_of(batch)
    return profile_for(desk, batch, settings.fix.agent, tier_of(member, settings))


def _note_wait(draft: Draft, seen: Batch, wait: str) -> None:
    note_wait(draft, seen, FIX_JOB, wait)


def start_fix(desk: Desk, job: Job) -> None:
    """Start the agent of a claimed fix, with a prompt of its own."""
    batch, member = desk.state.batches[job.batch], desk.state.members[job.batch, job.issue or 0]
    profile = _profile(desk, batch, member)
    found = desk.around.forge.issues([member.issue])
    if isinstance(profile, str) or isinstance(found, Unreachable):
        return
    issue = found.get(member.issue, Issue(number=member.issue, title=member.title))
    prompt = render_fix_prompt(_facts(desk, batch, member, issue)).encode()
    start_errand(desk, job, profile, prompt, {"GITSCHED_ISSUE": str(member.issue), "GITSCHED_BASE": job.commit})


def _facts(desk: Desk, batch: Batch, member: Member, issue: Issue) -> FixFacts:
    leaving = batch.fix.exit if batch.fix is not None else Exit(batch=batch.id, issue=member.issue, kind="", reason="")
    commits = desk.around.lander.commits(member.landed_from or "", member.landed or "")
    return FixFacts(
        number=member.issue,
        title=issue.title,
        body=issue.body,
        failing=leaving.failing[:TESTS_TOLD],
        more=max(0, batch.failing_count - TESTS_TOLD),
        command=(leaving.reproduce or "").rpartition(" && ")[2],
        commits=", ".join(commits),
    )


def settle_fix(desk: Desk, job: Job) -> None:
    """Put what a fix came to on the integration branch, for the suite to judge; without a commit it has not helped."""
    seen = read_end(desk, job)
    batch = desk.state.batches.get(job.batch)
    if seen is None or batch is None:
        return
    made = desk.around.work.made_commits(Path(job.place or "."), job.commit)
    mended = _mended(desk, batch, job, seen)
    keep_job(desk, job, seen, {"check": FIX_JOB, "issue": job.issue, "exit": seen.end.code})

    def take(draft: Draft) -> None:
        draft.keeps += made
        if not _is_due(draft.state, batch):
            return
        if isinstance(mended, str):
            _give_up(draft, batch, mended)
        else:
            _take(draft, batch, job, mended)

    settle_errand(desk, job, seen.end, f"The fix for issue {job.issue} of {job.batch} has ended", take)


def _mended(desk: Desk, batch: Batch, job: Job, seen: JobEnd) -> Rebased | str:
    """Write the commits of a fix as ours to land; a word says why there is nothing to be judged."""
    tree, lander, work = Path(job.place or "."), desk.around.lander, desk.around.work
    head = seen.end.head or next((one.head for one in desk.around.trees.trees() if one.path == tree), job.commit)
    if seen.end.spawn_error is not None:
        return "not-started"
    paths = [path for path in work.uncommitted(tree) if not secret_looking(path)]
    if paths and work.unfinished(tree) is None:
        message = f"Mend what issue {job.issue} broke\n\nWhat the agent left uncommitted."
        head = work.commit_all(tree, paths, message, Identity(*COMMITTER, epoch_seconds(seen.end.at))) or head
    if head == job.commit or not lander.is_ancestor(job.commit, head):
        return "no-changes"
    hazards = lander.own_hazards(Work(cut=job.commit, pinned=head), guards_of(desk, batch))
    if hazards:
        return f"hazard:{hazards[0].kind}"
    issue = job.issue or 0
    trailers = (("Gitsched-Batch", batch.id), ("Gitsched-Issue", str(issue)), ("Gitsched-Fix", str(issue)))
    terms = Terms(committer=desk.committer(seen.end.at), decoration=Decoration(issue, trailers))
    landed = lander.land(Work(cut=job.commit, pinned=head), job.commit, terms)
    return landed if isinstance(landed, Rebased) else "no-changes"


def _take(draft: Draft, seen: Batch, job: Job, mended: Rebased) -> None:
    now = draft.state.batches[seen.id]
    segment = Segment(issue=job.issue or 0, kind="fix", start=job.commit, end=mended.head)
    due = replace(
        now,
        status=BatchStatus.VALIDATING,
        reason=None,
        integration=replace(now.integration, head=mended.head),
        beside=(*now.beside, segment),
        updated_at=draft.at,
    )
    draft.moves.append(RefMove(branch_ref(now.integration.branch), job.commit, mended.head))
    draft.keeps.append(mended.head)
    draft.note(
        EventName.FIX_RESOLVED,
        f"A fix for issue {job.issue} of {now.id} is to be judged by the suite",
        due,
        batch=now.id,
        issue=job.issue,
        head=mended.head,
        commits=len(mended.commits),
    )


def _give_up_due(draft: Draft, seen: Batch, why: str) -> None:
    if _is_due(draft.state, seen):
        _give_up(draft, seen, why)


def _give_up(draft: Draft, seen: Batch, why: str) -> None:
    """Take a member out of which nothing could be mended: the suite is as red as before."""
    now = draft.state.batches[seen.id]
    assert now.fix is not None
    due = replace(now, status=BatchStatus.VALIDATING, reason=None, updated_at=draft.at)
    sentence = f"The fix for issue {now.fix.exit.issue} of {now.id} came to nothing: {why}"
    draft.note(EventName.FIX_RESOLVED, sentence, due, batch=now.id, issue=now.fix.exit.issue, reason=why)
    leave_after_fix(draft, due, why)


def leave_after_fix(draft: Draft, batch: Batch, why: str) -> None:
    """Take a member out after its fix did not turn the suite green."""
    assert batch.fix is not None
    told = "; ".join(part for part in (batch.fix.exit.detail, why) if part)
    evict(draft, (replace(batch.fix.exit, reason=RED_AFTER_FIX, detail=told[:400] or None),))
