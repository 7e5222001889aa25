"""Rehearsal: the operator's verbs and the first tick played on a state in memory, so that `plan` and `run` agree.

It goes through the same intents and the same policy as the real thing, and writes nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext

from msgspec.structs import replace

from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Applied, Transacted, Unchanged, Unreachable
from gitsched.domain.state import Draft, State
from gitsched.domain.words import BatchStatus
from gitsched.policy import depend
from gitsched.policy.situation import Situation
from gitsched.ports.store import Entry, Intent, Store


class Rehearsal:
    """A store whose transactions stay in memory; it begins with a state and has no past."""

    tip: str | None = None

    def __init__(self, state: State, now: Instant) -> None:
        """Begin with that state; every transaction happens `now`."""
        self.state = state
        self._now = now

    def read(self) -> State:
        """Give the state as the rehearsal has made it."""
        return self.state

    def read_at(self, commit: str) -> State:
        """Give the present state: a rehearsal has no commits."""
        return self.state

    def ended(self) -> State:
        """Give none."""
        return State()

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Change the state in memory; what the intent raises leaves it as it was."""
        draft = Draft(self.state, self._now, actor)
        intent(draft)
        if not draft.events:
            return Unchanged()
        self.state = draft.state
        return Applied(commit="", events=tuple(draft.events))

    def catch_up(self) -> Unreachable | None:
        """Bring nothing."""

    @property
    def away(self) -> Unreachable | None:
        """Miss nobody."""

    def together(self) -> AbstractContextManager[None]:
        """Share with nobody."""
        return nullcontext()

    def settle(self) -> None:
        """Let nothing wait."""

    def afterwards(self, act: Callable[[], None]) -> None:
        """Touch nothing of the world."""

    def history(self, path: str | None = None, since: str | None = None) -> Iterator[Entry]:
        """Walk nothing."""
        return iter(())

    def keep_evidence(self, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        """Keep nothing."""
        return ""

    def evidence(self, batch: str) -> Mapping[str, bytes]:
        """Have none."""
        return {}

    def evidence_paths(self, batch: str) -> tuple[str, ...]:
        """Have none."""
        return ()


class Beginning(Rehearsal):
    """The store of a repository that has none yet: it is set up by the first transaction that is not refused."""

    def __init__(self, set_up: Callable[[], Store], state: State, now: Instant) -> None:
        """Begin with an empty state; `set_up` makes the real store."""
        super().__init__(state, now)
        self._set_up = set_up

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Try the intent in memory, and if it stands, set the store up and apply it there."""
        super().apply(intent, actor)
        real = self._set_up()
        done = real.apply(intent, actor)
        self.state = real.read()
        return done


def begun(situation: Situation) -> Situation:
    """Show a situation as it is once its ready batches have started, which is the first thing that a run does."""
    state = situation.state
    for batch in state.batches.values():
        if batch.status is BatchStatus.READY:
            state = state.put(depend.begun(batch, state.members_of(batch), situation.settings_of(batch), state.control))
    return replace(situation, state=state)
