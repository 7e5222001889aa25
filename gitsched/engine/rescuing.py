"""Rescuing: what a run left uncommitted is saved to a ref, and what cannot be saved is named."""

from pathlib import Path

from msgspec import Struct

from gitsched.domain.events import EventName
from gitsched.domain.ids import rescue_prefix, rescue_ref
from gitsched.domain.records import Member
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk

_TOLD = 20
_SENTENCE = 200


class Saved(Struct, frozen=True, kw_only=True):
    """Uncommitted work as it was saved."""

    ref: str | None
    """None: there was nothing that could be saved."""
    left: tuple[str, ...]
    """Paths not saved, each with its reason in brackets."""


def rescue(desk: Desk, member: Member) -> Saved | None:
    """Save what is uncommitted in a member's tree; None where there is nothing, or nothing can be."""
    broken = desk.mend(member)
    if broken is not None and broken.left is not None:
        return None
    number = len(desk.around.refs.below(rescue_prefix(member.batch, member.issue))) + 1
    ref = rescue_ref(member.batch, member.issue, number)
    saved = desk.around.work.rescue(Path(member.tree or "."), ref)
    return None if saved is None else Saved(ref=ref if saved.commit is not None else None, left=saved.left)


def note_saved(draft: Draft, batch: str, issue: int, saved: Saved | None) -> None:
    """Tell what was saved, and by name what was not: its tree is cleaned for whoever has it next."""
    if saved is None:
        return
    if saved.ref is not None:
        sentence = f"Save the uncommitted work of issue {issue} of {batch}"
        draft.note(EventName.WORK_PRESERVED, sentence, batch=batch, issue=issue, ref=saved.ref)
    if saved.left:
        sentence = f"Save nothing of these, which issue {issue} of {batch} left uncommitted: {', '.join(saved.left)}"
        told = list(saved.left[:_TOLD])
        draft.note(EventName.WORK_LEFT_OUT, sentence[:_SENTENCE], batch=batch, issue=issue, paths=told)
