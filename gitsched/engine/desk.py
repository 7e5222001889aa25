"""The desk at which effects are performed: the ports, who performs, and the situation they were decided in."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from immutables import Map
from msgspec import Struct

from gitsched.config.encoding import decode_settings
from gitsched.config.settings import Settings
from gitsched.domain.facts import Facts
from gitsched.domain.ids import branch_ref
from gitsched.domain.instants import Instant, epoch_seconds, seconds_between
from gitsched.domain.landing import Signature
from gitsched.domain.outcomes import Applied, Transacted
from gitsched.domain.records import Batch, Holder, Member
from gitsched.domain.records import Settings as SealedSettings
from gitsched.domain.state import State
from gitsched.engine.planning import Planner
from gitsched.errors import ConfigError
from gitsched.policy.environment import agent_environment
from gitsched.policy.situation import Situation
from gitsched.ports.conversation import Conversation
from gitsched.ports.forge import Forge
from gitsched.ports.landing import Lander
from gitsched.ports.notices import Notifier
from gitsched.ports.refs import Refs
from gitsched.ports.rollouts import Rollouts
from gitsched.ports.runner import Fleet, HostClock, Hosts, Processes, Runner, RunPoster, Waker
from gitsched.ports.store import Intent, Store
from gitsched.ports.streaks import StreakMemory
from gitsched.ports.worktrees import Broken, CheckoutLook, TreeWork, Worktrees

COMMITTER = ("gitsched", "gitsched@localhost")
"""Name and address under which gitsched commits."""


class Surroundings(Struct, frozen=True, kw_only=True):
    """Every neighbour of the engine, behind its port."""

    store: Store
    refs: Refs
    lander: Lander
    trees: Worktrees
    work: TreeWork
    runner: Runner
    processes: Processes
    waker: Waker
    forge: Forge
    streaks: StreakMemory
    clock: HostClock
    common_dir: Path
    """Git directory that all worktrees of the repository share."""
    environment: Mapping[str, str]
    """The driver's own environment, from which an agent's is built."""
    programs: Callable[[str], bool]
    """Say whether a program is on PATH."""
    notifier: Notifier | None = None
    """Who is told of what happened; None: nobody."""
    talk: Callable[[], Conversation] | None = None
    """Where comments are read that may hold milestones; None: nowhere."""
    rollouts: Rollouts | None = None
    """What the forge knows of deployments; None: it knows nothing of them."""
    poster: RunPoster | None = None
    """What puts such a milestone into the record of its run."""
    hosts: Hosts | None = None
    """The other clones that share a remote; None: there is no remote."""
    fleet: Fleet | None = None
    """Where agents run that do not run here; None: all of them run here."""
    edits: Callable[[], Settings | ConfigError | None] = lambda: None
    """Read the configuration where it was edited since the last call, be it wrong; None: it was not."""
    look_again_s: float = 30.0
    """How long a driver sleeps at most: what nobody wakes it for is looked at again then."""


class Desk:
    """Where one driver performs effects, one after the other."""

    def __init__(self, around: Surroundings, me: Holder, current: Settings) -> None:
        """Set the desk up for a driver; `current` is the configuration as it is now."""
        self.around = around
        self.me = me
        self.current = current
        self.facts = Facts(now=around.clock.now(), driver=me.driver)
        self.planner = Planner()
        self.look: CheckoutLook | None = None
        """The user's checkout as it was last looked at in this tick."""
        self._decoded: dict[str, Settings] = {}
        self._all_sealed: tuple[Map[str, SealedSettings], dict[str, Settings]] | None = None

    @property
    def state(self) -> State:
        """Give the state as it is now."""
        return self.around.store.read()

    def settings_of(self, batch: Batch) -> Settings:
        """Give the settings that a batch was sealed with, or the present ones before that."""
        return self._sealed(self.state, batch.id) or self.current

    def _sealed(self, state: State, batch: str) -> Settings | None:
        kept = state.settings.get(batch)
        if kept is None:
            return None
        if kept.hash not in self._decoded:
            self._decoded[kept.hash] = decode_settings(kept.data)
        return self._decoded[kept.hash]

    def situation(self, state: State) -> Situation:
        """Give policy its view: the state that the facts of this pass are about, and the settings of each batch."""
        if self._all_sealed is None or self._all_sealed[0] is not state.settings:
            found = ((batch, self._sealed(state, batch)) for batch in state.settings)
            self._all_sealed = (state.settings, {batch: sealed for batch, sealed in found if sealed is not None})
        return Situation(state=state, facts=self.facts, current=self.current, sealed=self._all_sealed[1])

    def look_at_checkout(self) -> CheckoutLook:
        """Look at the user's checkout; a run that starts in the same tick is compared with this look."""
        self.look = self.around.trees.look_at_checkout()
        return self.look

    def record(self, intent: Intent) -> Transacted:
        """Change the state in gitsched's own name."""
        return self.around.store.apply(intent)

    def check_environment(
        self, named: Sequence[str], extra: Mapping[str, str]
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Build the environment of a check, and name the variables whose values must not be kept."""
        return agent_environment(self.around.environment, named, extra)

    def is_past(self, at: Instant | None, seconds: float) -> bool:
        """Say whether that many seconds have passed since an instant of the state."""
        return at is not None and seconds_between(at, self.around.clock.now()) >= seconds

    def mend(self, member: Member) -> Broken | None:
        """Make git's own files of a member's tree here again where an agent broke them; None: nothing was broken."""
        if member.tree is None or member.tree_host != self.me.host:
            return None
        head = self.around.refs.resolve(branch_ref(member.branch)) or member.cut or ""
        return self.around.work.mend(Path(member.tree), member.branch, head)

    def made(self, member: Member) -> tuple[str, ...]:
        """Name the commits that a member's run made in its tree, also those that no branch holds any more."""
        if member.tree is None or member.cut is None or member.tree_host != self.me.host:
            return ()
        return self.around.work.made_commits(Path(member.tree), member.cut)

    def commits_of(self, member: Member) -> tuple[str, ...]:
        """List a member's own commits, oldest first; none before it was cut and pinned."""
        if member.cut is None or member.head is None:
            return ()
        return self.around.lander.commits(member.cut, member.head)

    def json(self, values: Mapping[str, object]) -> bytes:
        """Write values down for people: sorted, indented."""
        return msgspec.json.format(msgspec.json.encode(values, order="sorted"), indent=2) + b"\n"

    def committer(self, at: str) -> Signature:
        """Sign as gitsched at a given instant, so that the same landing gives the same commits."""
        return Signature(*COMMITTER, epoch_seconds(at))


def was_applied(outcome: Transacted) -> bool:
    """Say whether a transaction changed the state."""
    return isinstance(outcome, Applied)
