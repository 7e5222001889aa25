"""`gc`: move what has ended out of the way, beside drivers at work; every step is one that they lose no race to.

1. Ended batches leave the state in the same move that brings them into the archive.
2. Rescued work and evidence go once they are old enough and nothing unfinished asks for them.
3. History that is old enough is summed up in a checkpoint.
4. git repacks if it finds it worth while; nothing is pruned that is younger than git's own two weeks.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.ids import evidence_ref
from gitsched.domain.instants import Instant, after
from gitsched.domain.records import Control, Judged, Record
from gitsched.domain.state import Draft, RefMove, State
from gitsched.engine.hygiene.premises import Premises
from gitsched.policy.hygiene import archivable, prunable_evidence, prunable_rescues
from gitsched.ports.care import Care

_RESCUES = "refs/gitsched/rescue/"
_AT_ONCE = 200
"""Batches that one transaction takes out of the state."""


class GcAnswer(Struct, frozen=True, kw_only=True):
    """What was done."""

    archived: tuple[str, ...]
    rescues: tuple[str, ...]
    """Refs that are gone."""
    evidence: tuple[str, ...]
    """Batches whose evidence is gone."""
    squashed: int
    """Transactions that a checkpoint stands for now."""


def collect(around: Premises, settings: Settings, now: Instant, actor: str) -> GcAnswer:
    """Do all of it once; called again at once it changes nothing."""
    return GcAnswer(
        archived=_archive(around, actor),
        rescues=_prune_rescues(around, now),
        evidence=_prune_evidence(around, now, settings.evidence.keep_s, actor),
        squashed=_compact(around, after(now, -settings.store.compact_after_s)),
    )


def _compact(around: Premises, before: Instant) -> int:
    squashed = around.care.compact(before)
    around.care.repack()
    return squashed


def _archive(around: Premises, actor: str) -> tuple[str, ...]:
    names = archivable(around.store.read())
    for first in range(0, len(names), _AT_ONCE):
        part = names[first : first + _AT_ONCE]
        around.store.apply(lambda draft, part=part: archive(draft, around.care, part), actor)  # type: ignore[misc]
    now = around.store.read()
    return tuple(name for name in names if name not in now.batches)


def archive(draft: Draft, care: Care, names: Sequence[str]) -> None:
    """Move those batches into the archive that may go, in one move with their removal from the state."""
    still = archivable(draft.state)
    going = {name: _records_of(draft.state, name) for name in names if name in still}
    if not going:
        return
    draft.moves.append(care.shelve(record for records in going.values() for record in records))
    for name, records in going.items():
        sentence = f"Move {name} into the archive"
        draft.note(EventName.BATCH_ARCHIVED, sentence, *_counted(draft, name), removed=records, batch=name)


def _counted(draft: Draft, name: str) -> list[Control]:
    """Give the control record with the name never given out again, where an operator took it out of the series."""
    number = int(name[1:]) if name[0] == "b" and name[1:].isdecimal() else 0
    control = draft.state.control
    return [replace(control, next_batch=number + 1)] if number >= control.next_batch else []


def _records_of(state: State, name: str) -> list[Record]:
    settings = [state.settings[name]] if name in state.settings else []
    members = (member for key, member in sorted(state.members.items()) if key[0] == name)
    return [state.batches[name], *settings, *members]


def _prune_rescues(around: Premises, now: Instant) -> tuple[str, ...]:
    refs = around.refs.below(_RESCUES)
    made = around.care.committed_at(refs.values())
    saved = {ref: made[commit] for ref, commit in refs.items() if commit in made}
    gone = prunable_rescues(around.store.read(), saved, now)
    return tuple(ref for ref in gone if around.refs.move([RefMove(ref, refs[ref], None)]) is None)


def _prune_evidence(around: Premises, now: Instant, keep_s: float, actor: str) -> tuple[str, ...]:
    old = prunable_evidence(around.store.read(), around.store.ended(), now, keep_s)
    there = {name: at for name in old if (at := around.refs.resolve(evidence_ref(name))) is not None}
    if not there:
        return ()

    def intent(draft: Draft) -> None:
        for name, at in there.items():
            draft.moves.append(RefMove(evidence_ref(name), at, None))
        names = sorted(there)
        sentence = f"Remove evidence that is older than it is kept, of {', '.join(names)}"
        draft.note(EventName.EVIDENCE_PRUNED, sentence, removed=_unproven(draft.state, names), batches=names)

    around.store.apply(intent, actor)
    return tuple(name for name in there if around.refs.resolve(evidence_ref(name)) is None)


def _unproven(state: State, names: Sequence[str]) -> list[Judged]:
    """List the stored verdicts whose evidence all goes: none of them may stand for a check any more."""
    gone = frozenset(names)
    return [one for one in state.judged.values() if {verdict.batch for verdict in one.verdicts.values()} <= gone]
