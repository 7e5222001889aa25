"""How long a writer waits for what, so that nothing ever hangs."""

from msgspec import Struct


class Bounds(Struct, frozen=True, kw_only=True):
    """Every wait of the store; tests make them short."""

    queue_s: float = 5.0
    """Until a writer goes on beside a queue whose holder is stuck."""
    race_s: float = 20.0
    """Until lost races end in BusyError."""
    lock_s: float = 10.0
    """Until a lock held by a live process ends in BusyError."""
    stale_s: float = 30.0
    """How long a lock must have been unchanged to be taken for dead."""
    pause_s: float = 0.002
    """The first pause after a lost race; it doubles up to 64-fold, each time by chance between none and all of it."""
