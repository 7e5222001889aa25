"""Reporting: what follows a merge and its deployment: closed issues, reports."""

from contextlib import suppress

from msgspec.structs import replace

from gitsched.domain.counting import how_many
from gitsched.domain.effects import Report
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Entry, Member
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.desk import Desk
from gitsched.engine.perform.prose import ask_for_prose
from gitsched.engine.story import batch_story
from gitsched.errors import UnknownUnitError
from gitsched.view.comments import batch_marker, member_marker, render_batch_report, render_member_report


def report(effect: Report, desk: Desk) -> None:
    """Post one comment per member and one for the batch, close what shipped, and record it."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.DEPLOYED:
        return
    if ask_for_prose(desk, batch, effect.wait):
        return
    forge, members = desk.around.forge, desk.state.members_of(batch)
    story = batch_story(desk.around.store, desk.around.lander, batch, desk.settings_of(batch))
    known = forge.issues([member.issue for member in members])
    for member in members:
        if isinstance(known, dict) and member.issue not in known:
            continue
        with suppress(UnknownUnitError):  # deleted, or moved to another repository: there is nobody to be told
            told = render_member_report(story, member.issue)
            forge.comment(member.issue, told, member_marker(batch.id, member.issue))
            if member.status is MemberStatus.SHIPPED:
                forge.close_issue(member.issue)
    if batch.pr is not None:
        forge.comment(batch.pr.number, render_batch_report(story), batch_marker(batch.id))
    desk.record(lambda draft: _reported(draft, batch, members))


def _reported(draft: Draft, batch: Batch, members: tuple[Member, ...]) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.DEPLOYED:
        return
    done: list[Entry] = []
    for member in members:
        entry = draft.state.entries.get(member.issue)
        if entry is not None and entry.status is EntryStatus.SHIPPED and member.status is MemberStatus.SHIPPED:
            done.append(replace(entry, status=EntryStatus.DONE, updated_at=draft.at))
    told = tuple(member.issue for member in members)
    finished = replace(now, status=BatchStatus.REPORTED, reported=told, reason=None, updated_at=draft.at)
    sentence = f"Report {now.id}: {how_many(len(done), 'issue')} {'is' if len(done) == 1 else 'are'} done"
    draft.note(EventName.REPORTED, sentence, finished, *done, batch=now.id, issues=[e.issue for e in done])
