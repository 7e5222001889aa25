"""Setting aside: a tree whose own git files a run broke is mended, or left with its files for a person to look at."""

from msgspec.structs import replace

from gitsched.domain.events import EventName
from gitsched.domain.records import Member
from gitsched.domain.state import Draft
from gitsched.engine.desk import Desk
from gitsched.engine.release import without_tree


def mended(desk: Desk, member: Member) -> tuple[Member, str | None]:
    """Mend a member's tree where its run broke it, and say what it broke; a tree that stays broken is its own no more.

    Every question to git comes after this one.
    """
    broken = desk.mend(member)
    if broken is None:
        return member, None
    if broken.left is None:
        return member, f"{broken.what}; it was mended, and its files were kept"
    told = f"{broken.what}, and cannot be mended ({broken.left}); its files stay in '{member.tree}'"
    return without_tree(member), told


def note_set_aside(draft: Draft, member: Member, broken: str) -> None:
    """Tell of a tree that stays broken: it is nobody's, and holds what could not be saved."""
    batch = draft.state.batches[member.batch]
    left = replace(batch, leftovers=(*batch.leftovers, f"{member.tree}: {broken}"))
    sentence = f"Set the worktree of issue {member.issue} of {batch.id} aside: {broken}"
    draft.note(EventName.PROGRESS, sentence[:200], left, batch=batch.id, issue=member.issue)
