"""Gather a batch's story from state, commits and journal, for its pull request, comments and report."""

from gitsched.config.settings import Settings
from gitsched.domain.events import Event
from gitsched.domain.records import Batch, Member
from gitsched.domain.story import BatchStory, CommitStory, Happening, MemberStory
from gitsched.ports.landing import Lander
from gitsched.ports.store import Store

JOURNAL_LINES = 400


def batch_story(store: Store, lander: Lander, batch: Batch, settings: Settings) -> BatchStory:
    """Tell everything that is known of a batch; `settings` are those it was sealed with."""
    state = store.read()
    members = tuple(_member_story(lander, member) for member in state.members_of(batch))
    return BatchStory(
        batch=batch,
        members=members,
        gates=tuple(gate.name for gate in settings.gates),
        suite_declared=not settings.suite.is_waived,
        excused=batch.suite[-1].excused if batch.suite else (),
        evidence=tuple(sorted(store.evidence_paths(batch.id))),
        journal=tuple(_journal(store, batch)),
    )


def batch_events(store: Store, batch: str) -> list[Event]:
    """Read every event of a batch, oldest first."""
    found: list[Event] = []
    for entry in store.history(f"batches/{batch}"):
        found += [event for event in reversed(entry.events) if event.batch == batch]
    return found[::-1]


def _journal(store: Store, batch: Batch) -> list[Happening]:
    lines: list[Happening] = []
    for entry in store.history(f"batches/{batch.id}"):
        lines += [Happening(event.at, event.sentence) for event in reversed(entry.events) if event.batch == batch.id]
        if len(lines) >= JOURNAL_LINES:
            break
    return lines[::-1]


def _member_story(lander: Lander, member: Member) -> MemberStory:
    if member.landed is None or member.landed_from is None:
        return MemberStory(member=member)
    oids = lander.commits(member.landed_from, member.landed)
    commits = tuple(CommitStory(oid=oid, message=lander.message_of(oid)) for oid in oids)
    return MemberStory(member=member, summary=commits[0].subject if commits else "", commits=commits)
