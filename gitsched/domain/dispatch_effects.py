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


DispatchEffect = Stall | TakeOver | EndPause
