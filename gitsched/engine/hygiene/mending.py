"""Mending: do what has one right answer, and nothing else."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import assert_never

from gitsched.domain.events import EventName
from gitsched.domain.integrity import (
    DropNote,
    Finding,
    ForgetRun,
    KeepCommit,
    Mend,
    MoveLock,
    RemoveTree,
    RestoreBranch,
    WriteNote,
)
from gitsched.domain.state import Draft, RefMove
from gitsched.engine.hygiene.premises import Premises

_WRITTEN = RestoreBranch | KeepCommit | WriteNote


def mend_all(findings: Iterable[Finding], around: Premises, actor: str) -> None:
    """Mend what can be mended; another look tells whether it was.

    Notes, branches and kept commits are written in one transaction of the store, told of in the journal.
    """
    mends = [finding.mend for finding in findings if finding.mend is not None]
    codes = sorted({finding.code for finding in findings if isinstance(finding.mend, _WRITTEN)})
    if codes:
        around.store.apply(lambda draft: _write(draft, mends, codes), actor)
    dropped: dict[str, list[str]] = {}
    for mend in mends:
        if isinstance(mend, DropNote):
            dropped.setdefault(mend.ref, []).append(mend.target)
        elif not isinstance(mend, _WRITTEN):
            _act(mend, around)
    if dropped:
        around.store.apply(lambda draft: _drop(draft, around, dropped), actor)


def _drop(draft: Draft, around: Premises, dropped: Mapping[str, list[str]]) -> None:
    moves = (around.care.without_notes(ref, targets) for ref, targets in dropped.items())
    draft.moves += [move for move in moves if move is not None]
    if draft.moves:
        draft.note(EventName.MENDED, "Remove notes whose objects are gone", codes=["note-on-missing"])


def _write(draft: Draft, mends: Iterable[Mend], codes: list[str]) -> None:
    for mend in mends:
        match mend:
            case RestoreBranch(ref, head):
                draft.moves.append(RefMove(ref, None, head))
            case KeepCommit(commit):
                draft.keeps.append(commit)
            case WriteNote(note):
                draft.notes.append(note)
            case DropNote() | ForgetRun() | MoveLock() | RemoveTree():
                pass
            case _:
                assert_never(mend)
    draft.note(EventName.MENDED, f"Mend what fsck found: {', '.join(codes)}", codes=codes)


def _act(mend: ForgetRun | MoveLock | RemoveTree, around: Premises) -> None:
    match mend:
        case ForgetRun(batch, name, gen):
            around.runner.forget(batch, name, gen)
        case MoveLock(lock):
            around.care.free(lock)
        case RemoveTree(path):
            around.trees.remove(Path(path))
        case _:
            assert_never(mend)
