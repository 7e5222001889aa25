"""Gating: run gates on members, take stored verdicts, and conclude what they come to."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from gitsched.config.checking import GateSettings
from gitsched.config.encoding import fingerprint
from gitsched.domain.effects import AcceptHeld, ClaimGate, ConcludeMember
from gitsched.domain.events import EventName
from gitsched.domain.ids import VERDICT_NOTES
from gitsched.domain.records import GateResult, Job, Judged, Member, Record, StoredVerdict
from gitsched.domain.state import Draft, Note, State
from gitsched.domain.verdicts import CheckKind, EvidenceSource, Judgement, Verdict
from gitsched.domain.words import JobKind, MemberStatus, Method
from gitsched.engine.desk import Desk
from gitsched.engine.ended import Kept
from gitsched.engine.ending import evict
from gitsched.engine.evidence import forget_job, keep_job
from gitsched.engine.jobs import JobOrder, check_end, claim, drop, is_current, read_end
from gitsched.engine.perform.closing import accepted
from gitsched.engine.perform.outcomes import pass_ungated, verified
from gitsched.engine.release import release_slot
from gitsched.policy.consequence import GateConsequence
from gitsched.policy.evictions import DETAIL_CHARS, exit_of
from gitsched.policy.gates import consequence, fold_of, gate_verdict, next_gate
from gitsched.policy.judge import judge_check, reusable, settle_rerun
from gitsched.policy.runs import gate_job
from gitsched.policy.settle import Fruitless, Unverified
from gitsched.view.notes import verdict_note

_EVENTS: Mapping[GateConsequence, EventName] = {
    GateConsequence.ON: EventName.GATE_PASSED,
    GateConsequence.SKIP: EventName.GATE_SKIPPED,
    GateConsequence.RETRY_ONCE: EventName.GATE_RETRIED,
    GateConsequence.INCONCLUSIVE: EventName.GATE_INCONCLUSIVE,
    GateConsequence.EVICT: EventName.GATE_FAILED,
}


def gate_fingerprint(gate: GateSettings, environment: Mapping[str, str]) -> str:
    """Name what a gate is: a changed argv, kind, evidence or declared variable makes another check of it."""
    declared = {name: environment.get(name) for name in gate.env}
    return fingerprint([gate.name, list(gate.run), gate.kind, gate.evidence, gate.report, declared])


def claim_gate(effect: ClaimGate, desk: Desk) -> None:
    """Run the gate that is due, unless the same tree and check have a verdict that stands."""
    key = (effect.batch, effect.issue)
    state = desk.state
    member, batch = state.members.get(key), state.batches.get(effect.batch)
    if member is None or batch is None or member.status not in (MemberStatus.VERIFYING, MemberStatus.LANDED):
        return
    gate = next_gate(member, desk.settings_of(batch))
    if gate is None or gate.name != effect.gate or member.head is None:
        return
    tree = desk.around.lander.tree_of(member.head)
    print_ = gate_fingerprint(gate, desk.around.environment)
    stored = state.verdict_on(tree, print_)
    if stored is not None and gate.name not in member.gates and gate.name not in member.regate:
        desk.record(lambda draft: _take_stored(draft, member, gate, (tree, print_, stored), desk))
        return
    order = JobOrder(
        batch=batch.id,
        name=gate_job(member.issue, gate.name),
        kind=JobKind.GATE,
        argv=gate.run,
        place=member.tree or "",
        commit=member.head,
        tree=tree,
        fingerprint=print_,
        timeout_s=gate.timeout_s,
        env=gate.env,
        issue=member.issue,
        check=gate.name,
    )
    claim(desk, order, f"Run gate {gate.name} on issue {member.issue} of {batch.id}", _still_due(desk, member, gate))


def _still_due(desk: Desk, member: Member, gate: GateSettings) -> Callable[[State], bool]:
    def is_due(state: State) -> bool:
        now = state.members.get((member.batch, member.issue))
        if now is None or (now.status, now.head) != (member.status, member.head):
            return False
        due = next_gate(now, desk.settings_of(state.batches[member.batch]))
        return due is not None and due.name == gate.name

    return is_due


def _take_stored(
    draft: Draft, member: Member, gate: GateSettings, found: tuple[str, str, StoredVerdict], desk: Desk
) -> None:
    tree, print_, stored = found
    now = draft.state.members.get((member.batch, member.issue))
    if now is None or now.status is not member.status or now.head != member.head or gate.name in now.gates:
        return
    runs = 2 if stored.verdict == Verdict.FAILED else 1
    result = GateResult(
        verdict=stored.verdict,
        cached=True,
        evidence=stored.evidence,
        tree=tree,
        fingerprint=print_,
        failing=stored.failing,
        runs=runs,
    )
    _note_result(draft, now, gate.name, result, desk)


def settle_gate(desk: Desk, job: Job) -> None:
    """Record what a gate came to."""
    seen = read_end(desk, job)
    state = desk.state
    batch = state.batches.get(job.batch)
    if seen is None or batch is None or job.issue is None or job.check is None:
        return
    settings = desk.settings_of(batch)
    gate = next((gate for gate in settings.gates if gate.name == job.check), None)
    if gate is None:
        drop(desk, job, "its gate is not declared any more")
        return
    has_report = gate.report == "junit"
    end = check_end(desk, job, seen, report_declared=has_report)
    kind, source = CheckKind(gate.kind), EvidenceSource(gate.evidence)
    judgement = judge_check(kind, source, end, report_declared=has_report)
    summary = {"check": gate.name, "verdict": str(judgement.verdict), "why": judgement.why, "tree": job.tree}
    evidence = keep_job(desk, job, seen, summary)
    desk.record(lambda draft: _record_gate(draft, desk, job, judgement, evidence))
    forget_job(desk, job)


def _record_gate(draft: Draft, desk: Desk, job: Job, judgement: Judgement, evidence: Kept) -> None:
    key = (job.batch, job.issue or 0)
    member = draft.state.members.get(key)
    if not is_current(draft, job):
        return
    draft.note(
        EventName.PROGRESS,
        f"Gate {job.check} of issue {job.issue} of {job.batch} has ended: {judgement.verdict}",
        removed=[job],
        batch=job.batch,
        issue=job.issue,
        verdict=str(judgement.verdict),
        **evidence.told(),
    )
    if member is None or job.check is None:
        return
    before = member.gates.get(job.check)
    if before is not None and before.verdict == Verdict.FAILED:
        first = Judgement(verdict=Verdict.FAILED, why=before.detail or "it failed")
        judgement = settle_rerun(first, judgement)
    result = GateResult(
        verdict=str(judgement.verdict),
        evidence=evidence.folder,
        tree=job.tree,
        fingerprint=job.fingerprint,
        failing=tuple(case.title for case in judgement.failing) or (before.failing if before else ()),
        detail=judgement.why[:200],
        runs=1 if before is None else before.runs + 1,
    )
    _note_result(draft, member, job.check, result, desk)


def _note_result(draft: Draft, member: Member, gate: str, result: GateResult, desk: Desk) -> None:
    settings = desk.settings_of(draft.state.batches[member.batch])
    does = consequence(gate_verdict(gate, result), settings)
    after = replace(
        member,
        gates={**member.gates, gate: result},
        regate=member.regate if does is GateConsequence.RETRY_ONCE else _without(member.regate, gate),
        keeps_tree=member.keeps_tree or does is GateConsequence.INCONCLUSIVE,
    )
    changes: list[Record] = [after]
    if does is not GateConsequence.RETRY_ONCE and not result.cached:
        changes += keep_verdict(draft, _stored(member, gate, result, draft.at), result.tree, result.fingerprint)
    draft.note(
        EventName.FLAKY if result.verdict == Verdict.FLAKY else _EVENTS[does],
        f"Gate {gate} of issue {member.issue} of {member.batch}: {result.verdict}",
        *changes,
        batch=member.batch,
        issue=member.issue,
        gen=member.gen,
        gate=gate,
        verdict=result.verdict,
        tree=result.tree,
        cached=result.cached,
        failing=list(result.failing[:50]),
        detail=result.detail,
    )


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


def _stored(member: Member, gate: str, result: GateResult, at: str) -> StoredVerdict:
    return StoredVerdict(
        check=gate,
        verdict=result.verdict,
        batch=member.batch,
        failing=result.failing[:50],
        evidence=result.evidence,
        at=at,
    )


def keep_verdict(draft: Draft, stored: StoredVerdict, tree: str | None, print_: str | None) -> list[Record]:
    """Note a verdict on its tree, and give the record that lets it stand again where it may."""
    if tree is None or print_ is None:
        return []
    before = draft.state.judged.get(tree) or Judged(tree=tree, verdicts={})
    judged = replace(before, verdicts={**before.verdicts, print_: stored})
    draft.notes.append(Note(VERDICT_NOTES, tree, verdict_note(judged)))
    # Where there is a record the note follows from it, and a failure that was followed by a pass must not stand.
    return [judged] if reusable(Verdict(stored.verdict)) or tree in draft.state.judged else []


def accept_held(effect: AcceptHeld, desk: Desk) -> None:
    """Commit what a held member left uncommitted, now that an operator accepted its paths, and go on with its gates."""
    key = (effect.batch, effect.issue)
    member, batch = desk.state.members[key], desk.state.batches[effect.batch]
    if member.tree is not None and member.tree_host != desk.me.host:
        return
    found = accepted(desk, batch, member)
    ungated = not desk.settings_of(batch).gates

    def intent(draft: Draft) -> None:
        now = draft.state.members.get(key)
        if now is None or now.status is not MemberStatus.VERIFYING or now.hold is not None or now.head != member.head:
            return
        if not isinstance(found, str):
            _refuse_held(draft, now, found)
            return
        draft.keeps.append(found)
        sentence = f"Go on with issue {now.issue} of {now.batch} at {found[:12]}: {now.reason}"[:200]
        after = replace(now, head=found, reason=None, gates={})
        draft.note(EventName.VERIFY_COMPLETE, sentence, after, batch=now.batch, issue=now.issue, head=found)
        if ungated:
            pass_ungated(draft, now.batch, now.issue)

    desk.record(intent)


def _refuse_held(draft: Draft, member: Member, found: Unverified | Fruitless) -> None:
    """Evict a member whose accepted changes are wrong by themselves; hold one again that cannot be committed."""
    if isinstance(found, Fruitless):
        leaving = exit_of(member, kind="evicted", reason=found.reason)
        evict(draft, (replace(leaving, detail=found.detail[:DETAIL_CHARS] or None),))
        return
    held = replace(member, hold="out-of-scope", reason=f"out-of-scope: {found.detail}"[:200])
    sentence = f"Hold issue {member.issue} of {member.batch} again: {found.detail}"[:200]
    draft.note(EventName.MEMBER_HELD, sentence, held, batch=member.batch, issue=member.issue, reason="out-of-scope")


def conclude_member(effect: ConcludeMember, desk: Desk) -> None:
    """Let a member whose gates are done go on, or take it out of its batch."""
    key = (effect.batch, effect.issue)
    commits = desk.commits_of(desk.state.members[key])

    def intent(draft: Draft) -> None:
        member, lease = draft.state.members.get(key), draft.state.leases.get(key)
        if member is None or member.status is not MemberStatus.VERIFYING:
            return
        settings = desk.settings_of(draft.state.batches[effect.batch])
        if next_gate(member, settings) is not None:
            return
        fold = fold_of(member, settings)
        if fold.consequence is not GateConsequence.EVICT:
            verified(draft, effect.batch, effect.issue)
            return
        failing = member.gates[fold.deciding].failing if fold.deciding else ()
        leaving = exit_of(
            member,
            kind="evicted",
            reason=fold.reason or "gate-failed",
            method=Method.GATE,
            failing=failing,
            commits=commits,
        )
        evict(draft, (leaving,))
        if lease is not None:
            release_slot(draft, lease, fold.reason or "gate-failed")

    desk.record(intent)
