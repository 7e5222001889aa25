"""The driver: registers, ticks, waits for events, and ends when there is nothing left to do without a person."""

import secrets
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.records import Holder
from gitsched.domain.runs import ProcessName
from gitsched.domain.state import Draft
from gitsched.domain.streaks import Streak
from gitsched.domain.words import Liveness
from gitsched.engine.anchoring import Anchors
from gitsched.engine.attending import attended, has_nameless
from gitsched.engine.desk import Desk, Surroundings
from gitsched.engine.gather import Gatherer
from gitsched.engine.interrupting import let_go, own_leases, stop_agents
from gitsched.engine.lasting import count_absence, journal_lasting
from gitsched.engine.notifying import Notices
from gitsched.engine.overhearing import Overhearing
from gitsched.engine.presence import leave, register
from gitsched.engine.sweep import sweep
from gitsched.engine.tick import Guard, Ticked, tick
from gitsched.errors import ConfigError, RemoteAwayError, TemporaryError
from gitsched.policy.ahead import next_cut
from gitsched.policy.health import is_paused_by_operator
from gitsched.policy.hosts import waits_for_an_answer
from gitsched.policy.idle import is_live, is_settled, went_wrong
from gitsched.policy.quiet import listen
from gitsched.ports.store import Entry as JournalEntry

LONGEST_ABSENCE_S = 60.0
"""How long a driver sleeps at most while the remote does not answer."""
RETRY_S = 2.0
"""How soon something that changed nothing is tried again."""


class Until(StrEnum):
    """When a driver's run ends."""

    ONCE = "once"
    DRAINED = "drained"
    BLOCKED = "blocked"
    """Drained here: what runs on other hosts is theirs to wait for."""
    IDLE = "idle"
    SETTLED = "settled"
    STOPPED = "stopped"


_WITHOUT_AN_ANSWER = (Until.DRAINED, Until.BLOCKED, Until.IDLE)
"""Who waits for nothing but what is live leaves the rest to a later call, once the remote has long not answered."""


class Ending(Struct, frozen=True, kw_only=True):
    """How a driver's run ended."""

    is_paused: bool
    went_wrong: bool
    interrupted: bool
    is_unreachable: bool = False
    """Nothing is live, and what is left waits for a forge or remote that does not answer."""
    is_elsewhere: bool = False
    """What is live runs on other hosts, and was not waited for."""


class Driver:
    """One process that reconciles. Several may be live at once; the store and the fences keep them apart."""

    def __init__(self, around: Surroundings, settings: Settings, guard: Guard) -> None:
        """Prepare a driver; it registers when it starts to run."""
        own = around.processes.own()
        identity = f"{own.host}-{own.pid}-{secrets.token_hex(3)}".lower()
        self.me = Holder(host=own.host, boot_id=own.boot_id, pid=own.pid, started=own.started, driver=identity)
        self.desk = Desk(around, self.me, settings)
        self._gatherer = Gatherer(around)
        self._anchors = Anchors()
        self._notices = Notices()
        self._overhearing = Overhearing()
        self._guard = guard
        self._interrupts = 0
        self._stopping_s: float | None = None
        self._on_entry: Callable[[JournalEntry], None] | None = None
        self._on_trouble: Callable[[str], None] | None = None
        self._troubles: Mapping[str, Streak] = {}
        self._seen: str | None = None
        self._absences = 0
        self._away_since_s: float | None = None

    def interrupt(self) -> None:
        """Take a Ctrl-C: the first stops admitting, the second stops the agents."""
        self._interrupts += 1
        self.desk.around.waker.wake()

    def run(
        self,
        until: Until,
        issues: Collection[int] | None = None,
        on_entry: Callable[[JournalEntry], None] | None = None,
        on_trouble: Callable[[str], None] | None = None,
    ) -> Ending:
        """Drive until then.

        `on_entry` is told of every new journal entry, its own and others'; `on_trouble` of what stands in the way for
        the moment, once in twenty ticks while it lasts.
        """
        self._on_entry, self._on_trouble = on_entry, on_trouble
        try:
            self._begin()
            before = self.desk.state
            self._seen = self.desk.around.store.tip
            sweep(self.desk)
            self._notices.tell(self.desk)
            last = self._drive(until, issues)
            if until is not Until.ONCE and not last.is_away:
                sweep(self.desk)  # what a killed driver of this clone held, and others have gone on without since
            self._notices.tell(self.desk, is_last=True)
        finally:
            self._leave()
        after = self.desk.state
        return Ending(
            is_paused=is_paused_by_operator(after.control) and not is_live(after),
            went_wrong=went_wrong(after, issues, before) or self._left_behind(until, issues),
            interrupted=self._interrupts > 0,
            is_unreachable=not is_live(after) and waits_for_an_answer(last.plan.waits, issues),
            is_elsewhere=until is Until.BLOCKED and is_live(after) and not is_live(after, self.me.host),
        )

    def _left_behind(self, until: Until, issues: Collection[int] | None) -> bool:
        """Say whether issues that were to be settled are not, and nothing goes on with them."""
        return until is Until.SETTLED and issues is not None and not is_settled(self.desk.state, issues)

    def _drive(self, until: Until, issues: Collection[int] | None) -> Ticked:
        while True:
            self._take_edits()
            self._overhearing.listen(self.desk)
            ticked = tick(self.desk, self._gatherer, self._guard, may_admit=self._interrupts == 0)
            if ticked.is_away:
                count_absence(self.desk)
            else:
                journal_lasting(self.desk)
                self._notices.tell(self.desk)
            self._tell()
            self._anchors.tell(self.desk, ticked.plan.waits)
            self._tell_troubles(ticked.troubles)
            if self._interrupts:
                self._wind_down()
            if until is Until.ONCE or self._is_over(until, issues, ticked):
                return ticked
            self._count_absence(ticked)
            self._make_ready(ticked)
            ends_of = attended(self.desk.state, self.desk.facts)
            self.desk.around.waker.wait(self._pause_s(ticked), ends_of)

    def _take_edits(self) -> None:
        """Take an edited configuration; one that is wrong is told, once per edit, and the last good one stays."""
        edited, current = self.desk.around.edits(), self.desk.current
        if isinstance(edited, ConfigError):
            if self._on_trouble is not None:
                self._on_trouble(f"{edited} Until then the last good configuration stays in use.")
        elif edited is not None:
            # Which forge and which remote was decided when this driver was put together.
            wired = {"forge": current.project.forge, "remote": current.project.remote}
            self.desk.current = replace(edited, project=replace(edited.project, **wired))

    def _make_ready(self, ticked: Ticked) -> None:
        """Bring a tree to where the next member will begin, while nothing else is to be done."""
        cut = next_cut(self.desk.situation(self.desk.state), ticked.plan.waits)
        if cut is not None and not self._interrupts:
            self.desk.around.trees.prepare_ahead(cut, make=True)

    def _is_over(self, until: Until, issues: Collection[int] | None, ticked: Ticked) -> bool:
        state = self.desk.state
        if self._interrupts:
            return not own_leases(self.desk)
        if ticked.is_away:
            away_s = self.desk.around.clock.monotonic_s() - (self._away_since_s or 0.0)
            is_long = self._away_since_s is not None and away_s >= LONGEST_ABSENCE_S
            return is_long and until in _WITHOUT_AN_ANSWER and not is_live(state)
        if until is Until.STOPPED or is_live(state, self.me.host if until is Until.BLOCKED else None):
            return False
        if is_paused_by_operator(state.control):
            return True
        if until is Until.SETTLED and is_settled(state, issues, ticked.fruitless):
            return True
        if until in (Until.DRAINED, Until.BLOCKED):
            return not ticked.fruitless
        return not ticked.fruitless and ticked.plan.wake_after_s is None

    def _pause_s(self, ticked: Ticked) -> float:
        waits = [self.desk.around.look_again_s]
        if ticked.plan.wake_after_s is not None:
            waits.append(ticked.plan.wake_after_s)
        if ticked.is_away:
            longest_s = min(LONGEST_ABSENCE_S, RETRY_S * 2.0 ** min(self._absences, 10))
            return longest_s * (0.5 + secrets.randbelow(500) / 1000)
        if ticked.fruitless or has_nameless(self.desk.facts) or self._stopping_s is not None:
            waits.append(RETRY_S)
        return max(0.01, min(waits))

    def _count_absence(self, ticked: Ticked) -> None:
        """Give a sign of life, or count in vain."""
        if ticked.is_away:
            self._absences += 1
            if self._away_since_s is None:
                self._away_since_s = self.desk.around.clock.monotonic_s()
            return
        self._away_since_s, self._absences = None, 0
        if self.desk.around.hosts is not None:
            self.desk.around.hosts.beat()

    def _wind_down(self) -> None:
        let_go(self.desk)
        if self._interrupts < 2:
            return
        now_s = self.desk.around.clock.monotonic_s()
        self._stopping_s = self._stopping_s or now_s
        stop_agents(self.desk, kill=now_s - self._stopping_s >= self.desk.current.stall.kill_grace_s)

    def _tell(self) -> None:
        store = self.desk.around.store
        if self._on_entry is not None and store.tip != self._seen:
            for entry in reversed(list(store.history(since=self._seen))):
                self._on_entry(entry)
        self._seen = store.tip

    def _tell_troubles(self, troubles: tuple[str, ...]) -> None:
        """Tell a lasting condition at ticks 1, 21, 41 … of its streak."""
        heard = listen(self._troubles, troubles, self.desk.facts.now)
        self._troubles = heard.streaks
        for text in heard.told:
            if self._on_trouble is not None:
                self._on_trouble(text)

    def _begin(self) -> None:
        try:
            self._register()
        except RemoteAwayError:
            count_absence(self.desk)
            raise

    def _register(self) -> None:
        me = self.me

        def intent(draft: Draft) -> None:
            register(draft, me)
            self._tell_doubts(draft)

        self.desk.record(intent)

    def _tell_doubts(self, draft: Draft) -> None:
        """Tell once of each driver that nobody here can say whether it lives; it is left alone."""
        for other in sorted(draft.state.drivers.values(), key=lambda driver: driver.id):
            name = ProcessName(host=other.host, boot_id=other.boot_id, pid=other.pid, started=other.started)
            if other.doubt_told or self.desk.around.processes.liveness(name) is not Liveness.UNKNOWN:
                continue
            told = replace(other, doubt_told=True)
            sentence = f"Whether driver {other.id} on {other.host} lives cannot be told here"
            draft.note(EventName.DRIVER_LIVENESS_UNKNOWN, sentence, told, driver=other.id, host=other.host)

    def _is_last_here(self) -> bool:
        """Say whether nothing of this host goes on once this driver has left."""
        if self.desk.around.store.tip is None:
            return False
        state, host = self.desk.state, self.me.host
        others = [one for one in state.drivers.values() if one.host == host and one.id != self.me.driver]
        return not others and not any(lease.holder.host == host for lease in state.leases.values())

    def _leave(self) -> None:
        if self.desk.around.hosts is not None and self._is_last_here():
            self.desk.around.hosts.end()
        has_rules = self.desk.around.store.tip is not None and self.me.host in self.desk.state.control.rules
        rules = self.desk.around.trees.conversion() if has_rules else None
        with suppress(TemporaryError):  # whoever registers next finds that it is gone
            self.desk.record(lambda draft: leave(draft, self.me, rules))
        self._tell()
        self.desk.around.waker.close()
