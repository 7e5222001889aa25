"""Attributing: whom the evidence of a red suite names, what the search came to, and what follows from it."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.batches import Fix
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.search import Pointer, Search
from gitsched.domain.search_effects import Attribute, ConcludeSearch
from gitsched.domain.state import Draft
from gitsched.domain.verdicts import Ambiguous, Attribution, Case, Named, Unattributed
from gitsched.domain.words import BatchStatus, Method
from gitsched.engine.blocking import block
from gitsched.engine.desk import Desk
from gitsched.engine.ending import evict
from gitsched.engine.perform.fixing import dispatch_fix
from gitsched.engine.perform.suite_verdicts import CANNOT_DISCRIMINATE, pass_excused, stored_case
from gitsched.engine.pointing import change_of, covered_lines
from gitsched.policy.attribute import attribute_each
from gitsched.policy.dissolve import unproven
from gitsched.policy.evictions import DETAIL_CHARS, exit_of
from gitsched.policy.inquest import (
    Inquest,
    Steps,
    cases_of,
    excused_in,
    inquest,
    search_jobs,
    sighting_of,
    titles,
)
from gitsched.policy.inquiry import Blame
from gitsched.policy.mending import to_mend
from gitsched.policy.origin import BaseRed, Excused, PassAlone
from gitsched.policy.reproduce import reproduction
from gitsched.policy.search import CannotDiscriminate, Culprits, OnlyFlaky
from gitsched.policy.sightings import Ledger, Witness
from gitsched.policy.situation import landed


def attribute_batch(effect: Attribute, desk: Desk) -> None:
    """Look at whom evidence points, and begin the search; nobody is blamed by it alone."""
    batch = desk.state.batches[effect.batch]
    head = batch.integration.head
    if batch.status is not BatchStatus.ATTRIBUTING or head is None or (batch.search and batch.search.is_begun):
        return
    members = landed(desk.state.members_of(batch))
    tracked = desk.around.lander.paths_of(head)
    covered = covered_lines(desk, batch, tracked)
    changes = tuple(change_of(desk, member, with_lines=bool(covered)) for member in members)
    answers = list(attribute_each(cases_of(batch), changes, tracked, covered).values())
    pointers = tuple(pointer for test, answer in enumerate(answers) for pointer in _pointers(test, answer))
    begun = Search(
        head=head,
        members=tuple(member.issue for member in members),
        is_begun=True,
        is_fresh=batch.search.is_fresh if batch.search is not None else False,
        pointers=pointers,
    )

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        if now.status is not BatchStatus.ATTRIBUTING or now.integration.head != head or now.search != batch.search:
            return
        sentence = f"Ask base and tip of {now.id} whose the failing tests are"
        draft.note(EventName.PROGRESS, sentence, replace(now, search=begun), batch=now.id)

    desk.record(intent)


def _pointers(test: int, answer: Attribution) -> Iterator[Pointer]:
    match answer:
        case Named(issue=issue, method=method, evidence=evidence):
            yield Pointer(test=test, issue=issue, method=method, sentence=evidence[0])
        case Ambiguous(issues):
            named = " and ".join(f"#{issue}" for issue in issues)
            for issue in issues:
                yield Pointer(test=test, issue=issue, method=Method.NONE, sentence=f"{named} changed what it is about")
        case Unattributed():
            pass
        case _:
            assert_never(answer)


def tell(draft: Draft, batch_id: str, settings: Settings) -> None:
    """Tell whom evidence points at once that is anybody's fault, and which suspicions did not hold."""
    batch = draft.state.batches[batch_id]
    search = batch.search
    assert search is not None
    answer = inquest(batch, search, settings, 1)
    is_ours = isinstance(answer, Culprits | CannotDiscriminate) or (isinstance(answer, Steps) and answer.is_ours)
    if is_ours and not search.is_told:
        _tell_evidence(draft, batch, search)
    if isinstance(answer, Steps | Culprits | CannotDiscriminate):
        for dropped in answer.dropped:
            _tell_dropped(draft, batch_id, int(dropped.test), dropped.issue)


def _tell_evidence(draft: Draft, batch: Batch, search: Search) -> None:
    suspects = tuple(dict.fromkeys(pointer.issue for pointer in search.pointers))
    evidence = tuple(dict.fromkeys(pointer.sentence for pointer in search.pointers))
    method = search.pointers[0].method if search.pointers else Method.NONE
    told = replace(batch, search=replace(search, is_told=True))
    _note_attributed(draft, told, method, suspects, evidence)


def _note_attributed(
    draft: Draft, batch: Batch, method: Method, suspects: tuple[int, ...], evidence: tuple[str, ...]
) -> None:
    named = f"issue {suspects[0]}" if len(suspects) == 1 else f"{len(suspects)} members" if suspects else "nobody"
    draft.note(
        EventName.ATTRIBUTED,
        f"The red suite of {batch.id} points at {named}",
        replace(batch, suspects=suspects),
        batch=batch.id,
        issue=suspects[0] if len(suspects) == 1 else None,
        method=str(method),
        suspects=list(suspects),
        evidence=list(evidence[:10]),
    )


def _tell_dropped(draft: Draft, batch_id: str, test: int, issue: int) -> None:
    batch = draft.state.batches[batch_id]
    search = batch.search
    if search is None or (test, issue) in search.dropped:
        return
    told = replace(batch, search=replace(search, dropped=(*search.dropped, (test, issue))))
    name = cases_of(batch)[test].title
    draft.note(
        EventName.SUSPICION_DROPPED,
        f"{name} does not speak against issue {issue} of {batch.id} after all"[:200],
        told,
        batch=batch.id,
        issue=issue,
        failing=[name],
    )


def conclude_search(effect: ConcludeSearch, desk: Desk) -> None:
    """Record what the runs of a search came to: who leaves, or why nobody can be named."""
    batch = desk.state.batches[effect.batch]
    search = batch.search
    if batch.status is not BatchStatus.ATTRIBUTING or search is None or not search.is_begun:
        return
    settings = desk.settings_of(batch)
    answer = inquest(batch, search, settings, 1)
    exits = tuple(_exits(desk, batch, search, answer)) if isinstance(answer, Culprits) else ()

    def intent(draft: Draft) -> None:
        now = draft.state.batches[effect.batch]
        is_same = now.search == search and now.integration.head == search.head and now.failing == batch.failing
        if now.status is not BatchStatus.ATTRIBUTING or not is_same:
            return
        if any(key[0] == now.id for key in search_jobs(draft.state)):
            return
        _conclude(draft, now, answer, settings, exits)

    desk.record(intent)


def _conclude(draft: Draft, batch: Batch, answer: Inquest, settings: Settings, exits: tuple[Exit, ...]) -> None:
    match answer:
        case BaseRed(cases):
            names = ", ".join(case.title for case in cases)
            block(draft, batch.id, "base-red", f"red on {batch.base} as well: {names}")
        case Excused(cases):
            _excuse(draft, batch, cases)
        case PassAlone(cases=cases):
            _run_once_more(draft, batch, settings, [case.title for case in cases])
        case OnlyFlaky(flaky=flaky):
            _run_once_more(draft, batch, settings, list(titles(batch, flaky)))
        case Culprits():
            _blame(draft, batch, answer, settings, exits)
        case CannotDiscriminate(undecided=undecided):
            why = "; ".join(f"{titles(batch, (one.test,))[0]}: {one.why}" for one in undecided)
            block(draft, batch.id, unproven(batch, settings, CANNOT_DISCRIMINATE), why)
        case Steps():
            pass
        case _:
            assert_never(answer)


def _excuse(draft: Draft, batch: Batch, cases: tuple[Case, ...]) -> None:
    """Let pass what is red on the base; where that is all that failed, the suite is not run again for it."""
    excused = _with_excused(batch, cases)
    is_all = batch.failing_count <= len(batch.failing)
    due = replace(batch, status=BatchStatus.VALIDATING, search=None, excused=excused, updated_at=draft.at)
    draft.note(
        EventName.BASE_EXCUSED,
        f"Let pass what fails on the base of {batch.id} as well: {', '.join(case.title for case in cases)}"[:200],
        due,
        batch=batch.id,
        base=batch.base,
        failing=[case.title for case in cases],
    )
    if is_all:
        pass_excused(draft, due)


def _with_excused(batch: Batch, cases: tuple[Case, ...]) -> tuple[tuple[str, str, str], ...]:
    return tuple(dict.fromkeys((*batch.excused, *(stored_case(case) for case in cases))))


def _run_once_more(draft: Draft, batch: Batch, settings: Settings, names: list[str]) -> None:
    search = batch.search
    assert search is not None
    excused = _with_excused(batch, excused_in(batch, search, settings))
    due = replace(
        batch,
        status=BatchStatus.VALIDATING,
        search=replace(search, has_passed_alone=True),
        fresh_suite=True,
        excused=excused,
        suspects=(),
        updated_at=draft.at,
    )
    sentence = f"What failed in {batch.id} passes by itself: its suite runs once more"
    draft.note(EventName.FLAKY, sentence, due, batch=batch.id, failing=names, tree=None, verdict="flaky")


def _blame(draft: Draft, batch: Batch, found: Culprits, settings: Settings, exits: tuple[Exit, ...]) -> None:
    search = batch.search
    assert search is not None
    excused = _with_excused(batch, excused_in(batch, search, settings))
    methods = dict.fromkeys(blame.method for blame in found.blames)
    suspects = tuple(issue for issue in search.members if issue in found.issues)
    _note_attributed(
        draft,
        replace(batch, excused=excused),
        next(iter(methods)),
        suspects,
        tuple(_words(batch, blame) for blame in found.blames),
    )
    mended = to_mend(batch, exits, settings)
    if mended is None:
        evict(draft, exits)
    else:
        dispatch_fix(draft, draft.state.batches[batch.id], mended, _fix_of(batch, found, mended))


def _fix_of(batch: Batch, found: Culprits, mended: Exit) -> Fix:
    own = {int(blame.test) for blame in found.blames if blame.issue == mended.issue}
    others = {int(blame.test) for blame in found.blames} - own
    cases = cases_of(batch)
    return Fix(
        exit=mended,
        cases=tuple(stored_case(cases[test]) for test in sorted(own)),
        others=tuple(stored_case(cases[test]) for test in sorted(others)),
    )


def _words(batch: Batch, blame: Blame) -> str:
    name = titles(batch, (blame.test,))[0]
    together = f" together with #{blame.partner}" if blame.partner is not None else ""
    return f"{name} fails with #{blame.issue}{together} and passes without it"


def _exits(desk: Desk, batch: Batch, search: Search, found: Culprits) -> Iterator[Exit]:
    """Write down how each culprit leaves, in member order, with the evidence and a command that shows the failure."""
    by_issue: dict[int, list[Blame]] = {}
    for blame in found.blames:
        by_issue.setdefault(blame.issue, []).append(blame)
    settings, cases = desk.settings_of(batch), cases_of(batch)
    ledger = Ledger(sighting_of(run) for run in search.runs)
    members: Mapping[int, Member] = {member.issue: member for member in desk.state.members_of(batch)}
    for issue in (issue for issue in search.members if issue in by_issue):
        member, blames = members[issue], by_issue[issue]
        broken = [cases[int(blame.test)] for blame in blames]
        alone = (Witness(test=blame.test, ledger=ledger, confirm_count=1).fails((issue,)) for blame in blames)
        leaving = exit_of(
            member,
            kind="evicted",
            reason="suite-failed",
            method=blames[0].method,
            failing=tuple(case.title for case in broken),
            commits=desk.commits_of(member),
        )
        tip = desk.around.lander.paths_of(search.head)
        onto = batch.base if all(alone) else member.landed_from
        command = reproduction(member, onto, broken, settings.suite, tip)
        together = "; ".join(_words(batch, blame) for blame in blames if blame.partner is not None)
        yield replace(leaving, reproduce=command, detail=together[:DETAIL_CHARS] or None)
