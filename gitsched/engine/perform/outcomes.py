"""Outcomes: what each way of ending does to a run, its member and its slot, as parts of one draft."""

from typing import assert_never

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.forge import Published
from gitsched.domain.instants import Instant, after
from gitsched.domain.records import Lease, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ended import Ended
from gitsched.engine.ending import evict
from gitsched.engine.perform.launch import redispatch
from gitsched.engine.perform.takeover import follow
from gitsched.engine.release import release_slot
from gitsched.engine.rescuing import note_saved
from gitsched.policy.evictions import DETAIL_CHARS, exit_of
from gitsched.policy.health import UNHEALTHY, UNHEALTHY_COUNT, after_early_exit, after_provider_error, healthy
from gitsched.policy.procedure import SHIPPED, WRONG_PROCEDURE
from gitsched.policy.settle import (
    TREE_BROKEN,
    AnnouncedWait,
    Completed,
    Fruitless,
    HandBack,
    Mishap,
    OutOfScope,
    ProviderTrouble,
    RunOutcome,
    Unverified,
    WrongProcedure,
)
from gitsched.policy.stopping import ISOLATION_BREACH
from gitsched.view.clean import one_line

UNVERIFIED = "agent-exited-unverified"
_NO_WORDS = "handed-back"
"""The reason of an agent that gave none."""
PROVIDER_PAUSE_S = 60.0
"""How long a run is held after a provider error whose reset nobody stated."""


def record_outcome(draft: Draft, desk: Desk, ended: Ended, outcome: RunOutcome) -> None:
    """Record what an ended run came to; its exit stands in the draft already."""
    note_surroundings(draft, ended)
    match outcome:
        case Completed():
            _complete(draft, desk, ended)
        case HandBack(reason, is_partial):
            word = one_line(reason) or _NO_WORDS
            _leave(draft, ended, "handed-back", word if not is_partial else one_line(f"partial: {word}"))
        case ProviderTrouble():
            _provider_trouble(draft, desk, ended, outcome)
        case AnnouncedWait():
            _announced_wait(draft, desk, ended)
        case Fruitless(reason, detail):
            _incomplete(draft, ended, reason, detail)
            _leave(draft, ended, "evicted", reason, detail)
        case WrongProcedure(published):
            _wrong_procedure(draft, desk, ended, published)
        case OutOfScope(paths):
            _hold_out_of_scope(draft, ended, paths)
        case Mishap(what, is_clean):
            _mishap(draft, desk, ended, f"environment:{what}", is_clean=is_clean)
        case Unverified(detail):
            _unverified(draft, desk, ended, detail)
        case _:
            assert_never(outcome)


def _units(draft: Draft, ended: Ended) -> tuple[Lease, Member]:
    key = (ended.member.batch, ended.member.issue)
    return draft.state.leases[key], draft.state.members[key]


def note_surroundings(draft: Draft, ended: Ended) -> None:
    """Tell what happened around an ended run: work that was saved, and what became of the user's checkout."""
    member = ended.member
    note_saved(draft, member.batch, member.issue, ended.rescued)
    change = ended.checkout
    if change is None:
        return
    batch = draft.state.batches[member.batch]
    if change.word == ISOLATION_BREACH:
        sentence = f"Issue {member.issue} of {member.batch} touched the user's checkout: {change.detail}"[:200]
        draft.note(EventName.ISOLATION_BREACH, sentence, batch=batch.id, issue=member.issue, detail=change.detail)
        block(draft, batch.id, ISOLATION_BREACH, change.detail)
    elif not batch.checkout_told:
        told = replace(batch, checkout_told=True)
        sentence = f"The user's checkout changed while {batch.id} ran"
        draft.note(EventName.CHECKOUT_CHANGED, sentence, told, batch=batch.id, detail=change.detail)


def _complete(draft: Draft, desk: Desk, ended: Ended) -> None:
    lease, member = _units(draft, ended)
    draft.note(
        EventName.VERIFY_COMPLETE,
        f"Issue {member.issue} of {member.batch} is complete at {ended.head[:12]}",
        replace(lease, status=RunStatus.VERIFYING),
        replace(member, head=ended.head, gates={}),
        replace(draft.state.control, **healthy()),
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        head=ended.head,
    )
    if not desk.settings_of(ended.batch).gates:
        pass_ungated(draft, member.batch, member.issue)


def pass_ungated(draft: Draft, batch: str, issue: int) -> None:
    """Verify a member for which no gate is declared, and say that."""
    sentence = f"No gate is declared for issue {issue} of {batch}"
    draft.note(EventName.GATE_SKIPPED, sentence, batch=batch, issue=issue, verdict="unavailable", reason="no gate")
    verified(draft, batch, issue)


def verified(draft: Draft, batch: str, issue: int) -> None:
    """Record that a member may land, and give its slot back."""
    lease, member = draft.state.leases.get((batch, issue)), draft.state.members[batch, issue]
    after_ = replace(member, status=MemberStatus.VERIFIED, reason=None, verified_at=draft.at, updated_at=draft.at)
    changes = [after_] if lease is None else [after_, replace(lease, status=RunStatus.COMPLETE)]
    draft.note(
        EventName.MEMBER_VERIFIED,
        f"Issue {issue} of {batch} is verified at {(member.head or '')[:12]}",
        *changes,
        batch=batch,
        issue=issue,
        gen=member.gen,
        head=member.head,
    )
    if lease is not None:
        release_slot(draft, lease, "verified")


def _incomplete(draft: Draft, ended: Ended, reason: str, detail: str = "") -> None:
    member = ended.member
    draft.note(
        EventName.VERIFY_INCOMPLETE,
        f"Run {ended.lease.gen} of issue {member.issue} of {member.batch} is not complete: {reason}",
        batch=member.batch,
        issue=member.issue,
        gen=ended.lease.gen,
        reason=reason,
        detail=detail[:400],
        last_tool=ended.end.last_tool,
    )


def _leave(draft: Draft, ended: Ended, kind: str, reason: str, detail: str = "") -> None:
    lease, member = _units(draft, ended)
    leaving = exit_of(member, kind=kind, reason=reason, commits=ended.facts.commits)
    evict(draft, (replace(leaving, detail=detail[:DETAIL_CHARS] or None),))
    release_slot(draft, lease, reason[:200])


def _announced_wait(draft: Draft, desk: Desk, ended: Ended) -> None:
    lease, member = _units(draft, ended)
    if member.retries.get("wait", 0):
        _unverified(draft, desk, ended, "it announced waiting again")
        return
    _incomplete(draft, ended, "announced-wait")
    once = replace(member, retries={**member.retries, "wait": 1})
    redispatch(draft, lease, once, desk, cause="announced-wait")


def _provider_trouble(draft: Draft, desk: Desk, ended: Ended, trouble: ProviderTrouble) -> None:
    lease, member = _units(draft, ended)
    control = after_provider_error(draft.state.control, lease.profile, trouble, draft.at)
    draft.note(
        EventName.DISPATCH_FAILURE,
        f"The provider of {lease.profile} failed issue {member.issue} of {member.batch}: {trouble.status}",
        control,
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        status=trouble.status,
        resets_at=trouble.resets_at,
        profile=lease.profile,
    )
    redispatch(draft, lease, member, desk, cause=f"provider:{trouble.status}")
    _hold_for_provider(draft, lease, trouble)
    if control.provider_errors >= UNHEALTHY_COUNT and control.pause_reason == UNHEALTHY:
        _note_unhealthy(draft, lease.profile, control.resets_at or control.probe_at)


def _hold_for_provider(draft: Draft, lease: Lease, trouble: ProviderTrouble) -> None:
    """Keep the next run from starting before the provider is likely to answer."""
    held = draft.state.leases[lease.batch, lease.issue]
    wait_until = trouble.resets_at or after(draft.at, PROVIDER_PAUSE_S)
    draft.note(
        EventName.MEMBER_HELD,
        f"Hold issue {held.issue} of {held.batch} until {wait_until}",
        replace(held, not_before_at=wait_until),
        batch=held.batch,
        issue=held.issue,
        gen=held.gen,
        reason=f"provider:{trouble.status}",
    )


def _note_unhealthy(draft: Draft, profile: str, until: Instant | None) -> None:
    sentence = f"Pause: two provider errors in a row; {profile} waits until {until}"
    draft.note(EventName.DISPATCH_UNHEALTHY, sentence, profile=profile, reason=UNHEALTHY, until=until)


def _wrong_procedure(draft: Draft, desk: Desk, ended: Ended, published: Published) -> None:
    """Tell an agent once that publishing is not its to do; a second time, or too late, its member leaves."""
    lease, member = _units(draft, ended)
    reason = f"{SHIPPED}:{published.name}" if published.is_merged else WRONG_PROCEDURE
    _incomplete(draft, ended, reason, f"it published {published.name}")
    if published.is_merged or member.retries.get("procedure", 0):
        _leave(draft, ended, "evicted", reason)
        return
    numbers = (*member.requests, published.number) if published.number is not None else member.requests
    told = replace(member, requests=numbers, retries={**member.retries, "procedure": 1})
    redispatch(draft, lease, told, desk, cause=reason)


def _hold_out_of_scope(draft: Draft, ended: Ended, paths: tuple[str, ...]) -> None:
    lease, member = _units(draft, ended)
    named = ", ".join(paths[:10])
    held = replace(member, hold="out-of-scope", reason=f"out-of-scope: {named}"[:200])
    _incomplete(draft, ended, "out-of-scope", named)
    draft.note(
        EventName.MEMBER_HELD,
        f"Hold issue {member.issue} of {member.batch}: it changed {named}"[:200],
        held,
        batch=member.batch,
        issue=member.issue,
        gen=lease.gen,
        reason="out-of-scope",
        paths=list(paths),
    )
    release_slot(draft, lease, "out-of-scope")


def _mishap(draft: Draft, desk: Desk, ended: Ended, reason: str, *, is_clean: bool) -> None:
    """Try once more, uncharged, what failed for its surroundings and left a clean tree; else it leaves."""
    lease, member = _units(draft, ended)
    _incomplete(draft, ended, reason, ended.end.spawn_error or ended.end.tail[-DETAIL_CHARS:])
    _note_health(draft, ended)
    if member.retries.get("environment", 0) or not is_clean:
        _leave(draft, ended, "evicted", reason)
        return
    again = replace(member, retries={**member.retries, "environment": 1})
    redispatch(draft, lease, again, desk, cause=reason)


def _unverified(draft: Draft, desk: Desk, ended: Ended, detail: str) -> None:
    lease, member = _units(draft, ended)
    _incomplete(draft, ended, UNVERIFIED, detail)
    _note_health(draft, ended)
    assert ended.climb is not None
    follow(draft, desk, member, lease, ended.climb)


def word_of(outcome: Unverified | AnnouncedWait) -> str:
    """Give the word under which a run that was not verified leaves its batch."""
    if isinstance(outcome, Unverified) and outcome.detail.startswith(TREE_BROKEN):
        return TREE_BROKEN
    is_named = isinstance(outcome, Unverified) and outcome.detail.startswith("sibling-commits")
    return outcome.detail if is_named and isinstance(outcome, Unverified) else UNVERIFIED


def _note_health(draft: Draft, ended: Ended) -> None:
    control, names = after_early_exit(draft.state.control, ended.member.issue, ended.facts.spawned_at, draft.at)
    if control == draft.state.control:
        return
    if not names:
        sentence = f"Issue {ended.member.issue} ended unverified soon after its start"
        draft.note(EventName.PROGRESS, sentence, control, batch=ended.member.batch, issue=ended.member.issue)
        return
    draft.note(
        EventName.DISPATCH_UNHEALTHY,
        f"Pause: issues {' and '.join(str(name) for name in names)} ended unverified right after their start",
        control,
        reason=UNHEALTHY,
        issues=list(names),
    )
