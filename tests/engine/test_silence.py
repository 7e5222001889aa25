"""Silence is measured by a clock that stands still while the machine sleeps."""

from gitsched.domain.instants import after, instant_of, moment_of
from gitsched.domain.runs import RunLook
from gitsched.domain.state import State
from gitsched.domain.words import Liveness, MemberStatus
from gitsched.engine.silence import Listener
from tests.policy.situations import HOST, NOW, a_batch, a_lease, a_look, a_member, a_run, a_state, at

KEY = ("b1", 1)


class Watch:
    """A clock that a test sets; monotonic and wall time go apart where the machine sleeps or the wall clock jumps."""

    def __init__(self) -> None:
        self.wall, self.mono_s, self.asleep_s = NOW, 1000.0, 0.0

    def now(self) -> str:
        return self.wall

    def monotonic_s(self) -> float:
        return self.mono_s

    def slept_s(self) -> float:
        return self.asleep_s

    def dated(self, epoch_s: float) -> str:
        return instant_of(moment_of(after("1970-01-01T00:00:00.000Z", epoch_s)))

    def passes(self, seconds: float) -> None:
        self.wall = after(self.wall, seconds)
        self.mono_s += seconds

    def sleeps(self, seconds: float) -> None:
        self.wall = after(self.wall, seconds)
        self.asleep_s += seconds


class Heads:
    """Branch heads that a test sets."""

    head: str | None = "head"

    def resolve(self, ref: str) -> str | None:
        assert ref == "refs/heads/gitsched/b1/m1-i1"
        return self.head


class Room:
    """One run, a clock and a listener."""

    def __init__(self, host: str = HOST) -> None:
        self.clock, self.heads, self.host = Watch(), Heads(), host
        self.state: State = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1, spawned_at=NOW))
        self.look: RunLook = a_look(a_run())
        self.listener = Listener(self.clock, self.heads)  # type: ignore[arg-type]

    def silent_s(self) -> float | None:
        return self.listener.silences(self.state, {KEY: self.look}, self.host).get(KEY)


def test_silence_grows_and_each_sign_ends_it() -> None:
    """Output and milestones tell their own age; a commit counts from when it was seen."""
    room = Room()
    assert room.silent_s() == 0
    room.clock.passes(30)
    assert room.silent_s() == 30
    room.clock.passes(10)
    room.look = a_look(a_run(), output_at=after(room.clock.now(), -4))
    assert room.silent_s() == 4
    room.clock.passes(5)
    room.heads.head = "other"
    assert room.silent_s() == 0
    room.clock.passes(7)
    assert room.silent_s() == 7


def test_r_57_sleep_is_no_silence() -> None:
    """R-57: three hours asleep between two looks; a driver that begins afterwards leaves them out as well."""
    room = Room()
    room.silent_s()
    room.clock.passes(20)
    room.clock.sleeps(3 * 3600)
    assert room.silent_s() == 20
    later = Listener(room.clock, room.heads)  # type: ignore[arg-type]
    assert later.silences(room.state, {KEY: room.look}, HOST)[KEY] == 20


def test_a_wall_clock_that_jumps_shortens_silence_at_most() -> None:
    """A sign's own age counts for no longer than since the look before, and never below nothing."""
    room = Room()
    room.silent_s()
    room.clock.passes(5)
    room.clock.wall = after(room.clock.wall, 3600)
    room.look = a_look(a_run(), output_at=after(NOW, 1))
    assert room.silent_s() == 5
    room.clock.passes(5)
    room.look = a_look(a_run(), output_at=after(room.clock.now(), 3600))
    assert room.silent_s() == 0


def test_another_host_s_clock_is_not_believed() -> None:
    """Its runs are silent for as long as this driver has listened."""
    room = Room(host="elsewhere")
    room.look = a_look(a_run(), output_at=at(1))
    assert room.silent_s() == 0
    room.clock.passes(9)
    assert room.silent_s() == 9


def test_who_cannot_be_heard_is_not_silent() -> None:
    """R-56: while the remote is away other hosts' runs are not silent; those of this host are heard all the same."""
    here, there = Room(), Room(host="elsewhere")
    for room in (here, there):
        room.silent_s()
        room.clock.passes(20)
        for _ in range(3):
            room.listener.miss()
            room.clock.passes(3600)
    assert there.silent_s() == 20
    assert here.silent_s() == 20 + 3 * 3600
    there.clock.passes(5)
    assert there.silent_s() == 25


def test_what_does_not_run_here_is_not_listened_to() -> None:
    """A worker that is gone or unknown, and a lease without a member."""
    room = Room()
    room.look = a_look(a_run(), worker=Liveness.GONE)
    assert room.silent_s() is None
    orphan = a_state(a_lease(1))
    assert room.listener.silences(orphan, {KEY: a_look(a_run())}, HOST) == {}
