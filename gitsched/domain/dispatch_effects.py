"""Effects on dispatch: runs that show no sign of life, and pauses that are over (see `effects`)."""

from msgspec import Struct


class Stall(Struct, frozen=True):
    """Give a run up that shows no sign of life: fence it off, then end it."""

    batch: str
    issue: int
    gen: int
    phase: str
    """The phase in flight; `takeover` for one that took over and posted nothing yet."""
    allowance_s: float


class TakeOver(Struct, frozen=True):
    """Start the next generation of a stalled run one rung higher, or give it up: nothing of the old one lives."""

    batch: str
    issue: int
    gen: int


class EndPause(Struct, frozen=True):
    """Let dispatch go on: a stated reset has come, or it is time to try."""

    profiles: tuple[str, ...]
    """Profiles that are under no limit any more."""
    is_probe: bool


class RefuseBudget(Struct, frozen=True):
    """Tell, once a day, that a budget keeps work from starting."""

    day: str
    key: str
    """The budget and the kind of amount: `batch:b1.usd`."""
    issue: int
    reason: str


class YieldSlot(Struct, frozen=True):
    """Give back the slot of a run that is not to start now; its member waits, with its tree and its commits."""

    batch: str
    issue: int
    gen: int
    reason: str


class EndRun(Struct, frozen=True):
    """Mark a run as one that the engine ends before it is done: its window has closed, or its schedule is cancelled."""

    batch: str
    issue: int
    gen: int
    reason: str


class KeepEvidence(Struct, frozen=True):
    """Keep the evidence of a run that there was no space for."""

    batch: str
    issue: int
    gen: int


class KeepCheck(Struct, frozen=True):
    """Keep what a gate, suite or errand left and there was no space for."""

    batch: str
    folder: str


class MoveSchedule(Struct, frozen=True):
    """Take a schedule one step further, if it is still where this was decided."""

    schedule: str
    source: str
    """The status it was decided in."""
    step: str
    """A status to go to, or `rebook`: the next window."""
    reason: str | None = None


DispatchEffect = (
    Stall | TakeOver | EndPause | RefuseBudget | YieldSlot | EndRun | MoveSchedule | KeepEvidence | KeepCheck
)
