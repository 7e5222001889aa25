"""A batch's story: everything that its pull request, comments and report tell, gathered once.

Whoever builds it reads state, notes, journal and evidence; the views only write it down. Titles, summaries,
messages and output are other people's words, exactly as they were.
"""

from msgspec import Struct

from gitsched.domain.instants import Instant
from gitsched.domain.records import Batch, Exit, Member
from gitsched.domain.words import LEFT_MEMBERS, MemberStatus


class CommitStory(Struct, frozen=True, kw_only=True):
    """A commit of a member as it landed."""

    oid: str
    message: str
    """The member's own message, before landing wrote into it."""
    original: str | None = None
    """The commit it was made from."""

    @property
    def subject(self) -> str:
        """Give the first line of the message."""
        return self.message.partition("\n")[0]


class MemberStory(Struct, frozen=True, kw_only=True):
    """A member, and what is not in its record."""

    member: Member
    summary: str = ""
    """What its agent said it did, or why it handed back."""
    commits: tuple[CommitStory, ...] = ()
    """On the integration branch, oldest first; none of a member that left."""
    told: tuple[str, ...] = ()
    """Remarks of the engine, such as commits that were dropped, each a sentence."""

    @property
    def has_landed(self) -> bool:
        """Say whether the batch ships its work."""
        return self.member.status in {MemberStatus.LANDED, MemberStatus.SHIPPED}

    @property
    def has_left(self) -> bool:
        """Say whether it is out of the batch."""
        return self.member.status in LEFT_MEMBERS


class Happening(Struct, frozen=True):
    """One line of the journal."""

    at: Instant
    sentence: str


class BatchStory(Struct, frozen=True, kw_only=True):
    """A batch, and what is not in its record."""

    batch: Batch
    members: tuple[MemberStory, ...]
    """By index, those that left included."""
    gates: tuple[str, ...] = ()
    """Names of the declared gates, in order; empty: none is declared."""
    suite_declared: bool = True
    suite_output: str = ""
    """The end of the last suite run's output, where it says more than the verdict."""
    excused: tuple[str, ...] = ()
    """Tests that are red on the base too and were excused by configuration."""
    lost_signatures: tuple[str, ...] = ()
    """Landed commits whose originals were signed and that are not."""
    evidence: tuple[str, ...] = ()
    """Paths below the batch's evidence ref."""
    journal: tuple[Happening, ...] = ()
    """Oldest first."""

    @property
    def landed(self) -> tuple[MemberStory, ...]:
        """List the members whose work the batch ships."""
        return tuple(story for story in self.members if story.has_landed)

    def with_status(self, *statuses: MemberStatus) -> tuple[MemberStory, ...]:
        """List the members in any of these states."""
        return tuple(story for story in self.members if story.member.status in statuses)

    def exit_of(self, issue: int) -> Exit | None:
        """Find how a member left, the latest time it did."""
        found = (exit_ for exit_ in reversed(self.batch.evictions) if exit_.issue == issue)
        return next(found, None)
