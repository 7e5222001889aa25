"""Notes as they follow from the state: what `fsck` compares them with, and rebuilds them from."""

from collections.abc import Iterator

from gitsched.domain.ids import BATCH_NOTES, LANDING_NOTES, VERDICT_NOTES
from gitsched.domain.integrity import DropNote, Finding, WriteNote
from gitsched.domain.records import Member
from gitsched.domain.state import Note, State
from gitsched.domain.words import LANDED_MEMBERS, MemberStatus
from gitsched.engine.hygiene.premises import Premises
from gitsched.ports.landing import Lander
from gitsched.view.notes import batch_note, landing_note, verdict_note

_REBUILT = "`gitsched fsck --fix` rebuilds it from the state."
_EXACT = frozenset({VERDICT_NOTES})
"""Notes whose text follows from the state to the letter; of the others it is enough that they are there."""


def notes_findings(around: Premises, state: State, archived: State) -> Iterator[Finding]:
    """Name notes that are missing, differ, or are on objects that are gone."""
    wanted: dict[str, dict[str, tuple[str, str]]] = {ref: {} for ref in (VERDICT_NOTES, LANDING_NOTES, BATCH_NOTES)}
    for part in (archived, state):
        for unit, note in _projected(around.lander, part, around):
            wanted[note.ref][note.target] = (unit, note.text)
    for ref, notes in wanted.items():
        found = around.care.notes(ref)
        lost = around.care.missing([*found, *notes])
        for target in sorted(lost & found.keys()):
            message = f"A note of {ref} is on {target}, which is not in the repository."
            fix = "`gitsched fsck --fix` removes it."
            yield Finding(code="note-on-missing", unit=target, message=message, fix=fix, mend=DropNote(ref, target))
        for target, (unit, text) in sorted(notes.items()):
            told = found.get(target)
            if target in lost or (told is not None and (ref not in _EXACT or told == text)):
                continue
            code, what = ("note-missing", "is missing") if told is None else ("note-differs", "says something else")
            mend = WriteNote(Note(ref, target, text))
            message = f"The note of {ref} on {target} {what}."
            yield Finding(code=code, unit=unit, message=message, fix=_REBUILT, mend=mend)


def _projected(lander: Lander, state: State, around: Premises) -> Iterator[tuple[str, Note]]:
    for judged in state.judged.values():
        yield f"tree {judged.tree}", Note(VERDICT_NOTES, judged.tree, verdict_note(judged))
    for member in state.members.values():
        if member.status in LANDED_MEMBERS and member.landed is not None and member.landed_from is not None:
            line = (member.landed_from, member.landed, member.cut, member.head)
            if around.care.missing(commit for commit in line if commit is not None):
                continue  # told of already
            unit = f"issue {member.issue} of {member.batch}"
            for landed, original in _pairs(lander, member):
                text = landing_note(member, original, member.verified_at or member.updated_at)
                yield unit, Note(LANDING_NOTES, landed, text)
    for batch in state.batches.values():
        members = state.members_of(batch)
        if batch.pr is not None and any(member.status is MemberStatus.SHIPPED for member in members):
            yield batch.id, Note(BATCH_NOTES, batch.pr.head, batch_note(state, batch))


def _pairs(lander: Lander, member: Member) -> Iterator[tuple[str, str]]:
    """Give each landed commit with the one it was made from, as far as that can be told from the two lines alone."""
    assert member.landed is not None
    assert member.landed_from is not None
    landed = lander.commits(member.landed_from, member.landed)
    own = lander.commits(member.cut, member.head) if member.cut is not None and member.head is not None else ()
    if len(landed) == len(own):
        yield from zip(landed, own, strict=True)
    elif len(landed) == 1 and member.head is not None:
        yield landed[0], member.head
