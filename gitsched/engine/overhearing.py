"""Overhearing: milestones that agents post as comments, because they have nothing but the forge.

A comment counts on the issue of its run, from an account that may write there at this moment, for the generation that
it names, and once; it goes into the run's own record, and from there on it is a milestone like any other.
"""

from gitsched.codec.milestones import CommentMilestone, belongs, read_comment
from gitsched.codec.runstate import read_runstate
from gitsched.config.profiles import resolve_profile
from gitsched.domain.commands import Role, Spoken
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Lease
from gitsched.domain.runs import Milestone
from gitsched.domain.words import RunStatus
from gitsched.engine.desk import Desk
from gitsched.errors import RefusedError, SupersededError, TemporaryError, UsageError
from gitsched.policy.commands import is_enough
from gitsched.ports.conversation import Conversation

PACE_S = 60.0
"""How often a forge elsewhere is asked for comments."""
COMMENT = "comment"
"""The key under which a milestone remembers the comment that it came as."""


class Overhearing:
    """What one driver has read of comments."""

    def __init__(self) -> None:
        """Begin without having read any."""
        self._over: set[int] = set()
        self._again_s = 0.0
        self._talk: Conversation | None = None

    def listen(self, desk: Desk) -> None:
        """Read what was said since the oldest of this host's runs began that end by a milestone."""
        now_s, begin = desk.around.clock.monotonic_s(), desk.around.talk
        leases = [lease for lease in desk.state.leases.values() if _waits_for_a_word(desk, lease)]
        if begin is None or not leases or now_s < self._again_s:
            return
        self._talk = self._talk or begin()
        if desk.current.project.forge != "local":
            self._again_s = now_s + PACE_S
        found = self._talk.spoken_since(min(lease.acquired_at for lease in leases))
        for spoken in () if isinstance(found, Unreachable) else found:
            if spoken.comment not in self._over:
                self._hear(desk, self._talk, spoken, leases)

    def _hear(self, desk: Desk, talk: Conversation, spoken: Spoken, leases: list[Lease]) -> None:
        lease = next((one for one in leases if one.issue == spoken.number), None)
        said = None if lease is None else _said(desk, spoken, lease)
        if lease is None or said is None or not _is_its_own(said, lease):
            self._over.add(spoken.comment)
            return
        role = Role.NONE if spoken.author is None else talk.role_of(spoken.author)
        if isinstance(role, Unreachable):
            return  # asked again with the next look
        self._over.add(spoken.comment)
        if is_enough(role, Role.WRITE):
            _post(desk, lease, spoken, said)


def _waits_for_a_word(desk: Desk, lease: Lease) -> bool:
    if lease.status is not RunStatus.RUNNING or lease.holder.host != desk.me.host or lease.worked_by is not None:
        return False
    settings = desk.settings_of(desk.state.batches[lease.batch])
    profile = resolve_profile(settings.agents, lease.profile, lease.tier)
    return profile is not None and profile.completion == "milestone"


def _said(desk: Desk, spoken: Spoken, lease: Lease) -> CommentMilestone | None:
    formats = desk.settings_of(desk.state.batches[lease.batch]).milestones.formats
    if "gitsched" in formats and isinstance(said := read_comment(spoken.body), CommentMilestone):
        return said
    return read_runstate(spoken.body, lease.batch, lease.issue, lease.gen) if "runstate" in formats else None


def _is_its_own(said: CommentMilestone, lease: Lease) -> bool:
    return (said.batch, said.issue, said.gen) == (lease.batch, lease.issue, lease.gen)


def _post(desk: Desk, lease: Lease, spoken: Spoken, said: CommentMilestone) -> None:
    """Put a milestone into the record of its run, once."""
    keys = {**said.keys, COMMENT: str(spoken.comment)}
    milestone = Milestone(phase=said.phase, status=said.status, gen=said.gen, at=spoken.created_at, keys=keys)
    record = desk.around.runner.look(lease.batch, str(lease.issue), lease.gen).record
    known = () if record is None else record.milestones
    if any(one.keys.get(COMMENT) == keys[COMMENT] for one in known):
        return
    if belongs(milestone, lease.gen, lease.spawned_at or lease.acquired_at) and desk.around.poster is not None:
        try:
            desk.around.poster.relay(lease.batch, str(lease.issue), milestone)
        except (RefusedError, SupersededError, TemporaryError, UsageError):
            return  # a newer generation has taken over, or it is said again with the next driver
