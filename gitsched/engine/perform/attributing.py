"""Attributing: whom the evidence of a red suite names, and what follows from it."""

from msgspec.structs import replace

from gitsched.domain.effects import Attribute
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import Draft
from gitsched.domain.verdicts import Ambiguous, Case, Named, Unattributed
from gitsched.domain.words import BatchStatus, Method
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.policy.attribute import MemberChange, attribute
from gitsched.policy.evictions import exit_of
from gitsched.policy.situation import landed


def attribute_batch(effect: Attribute, desk: Desk) -> None:
    """Name the one member that the failing tests point at and take it out; else block with the reason."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.ATTRIBUTING or batch.integration.head is None:
        return
    members = landed(desk.state.members_of(batch))
    cases = tuple(Case(file=file or None, classname=cls, name=name) for file, cls, name in batch.failing)
    changes = tuple(_change(desk, member) for member in members)
    tracked = desk.around.lander.paths_of(batch.integration.head)
    answer = attribute(cases, changes, tracked)
    commits = {member.issue: desk.commits_of(member) for member in members}

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.ATTRIBUTING or now.integration.head != batch.integration.head:
            return
        match answer:
            case Named():
                _evict_named(draft, now, answer, commits[answer.issue])
            case Ambiguous(issues):
                _note_attributed(draft, now, Method.NONE, issues, ())
                block(draft, now.id, "suite-ambiguous", f"issues {', '.join(map(str, issues))} could be it")
            case Unattributed():
                _note_attributed(draft, now, Method.NONE, (), ())
                block(draft, now.id, "suite-unattributed", "no failing test points at a member")

    desk.record(intent)


def _change(desk: Desk, member: Member) -> MemberChange:
    paths = desk.around.lander.changed_paths(member.landed_from or "", member.landed or "")
    return MemberChange(issue=member.issue, paths=frozenset(paths))


def _evict_named(draft: Draft, batch: Batch, named: Named, commits: tuple[str, ...]) -> None:
    _note_attributed(draft, batch, named.method, (named.issue,), named.evidence)
    member = draft.state.members[batch.id, named.issue]
    failing = tuple(case.title for case in named.cases)
    leaving = exit_of(
        member, kind="evicted", reason="suite-failed", method=named.method, failing=failing, commits=commits
    )
    evict(draft, (leaving,))


def _note_attributed(
    draft: Draft, batch: Batch, method: Method, suspects: tuple[int, ...], evidence: tuple[str, ...]
) -> None:
    named = f"issue {suspects[0]}" if len(suspects) == 1 else f"{len(suspects)} members" if suspects else "nobody"
    told = replace(batch, suspects=suspects)
    draft.note(
        EventName.ATTRIBUTED,
        f"The red suite of {batch.id} points at {named}",
        told,
        batch=batch.id,
        issue=suspects[0] if len(suspects) == 1 else None,
        method=str(method),
        suspects=list(suspects),
        evidence=list(evidence[:10]),
    )
