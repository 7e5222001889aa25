"""How a clone takes turns with others that write to the same remote.

Whoever has just won knows what the remote has, and would go on winning: the others fetch, decide again and come too
late. So after a turn a clone lets those go first who have lately written, each for as long as its own turn took, and
then looks at what they did before anything is decided. Who has lately written is told by the history: each commit names
its driver, and a driver its clone. Those who never won stand in no history: so a clone that seems to be alone pauses
too, after many pushes, and after ever more of them as long as nobody comes.
"""

from collections.abc import Iterable

from msgspec import Struct, field

_LATELY_S = 5.0
_SMOOTH = 0.5
_ROW_COUNT = 2
"""Pushes in one turn: the second spares a fetch; with more of them the others' wait would be long beside their work."""
_ALONE_COUNT, _MOST_ALONE_COUNT, _OPENING = 16, 256, 3.0
"""After how many pushes one that seems alone pauses, first and in the end, and for how long, in pushes."""
LONGEST_S = 15.0
"""No clone lets others go first for longer."""


class Rivalry(Struct):
    """What is known of those who write to the same remote, and when this clone goes next."""

    seen_s: dict[str, float] = field(default_factory=dict)
    """Clone → when something new of it was last found, on the clock since boot."""
    won_count: int = 0
    """Pushes of the present turn."""
    alone_count: int = _ALONE_COUNT
    """Pushes after which it pauses although it has met nobody."""
    turn_s: float = 0.2
    """How long a turn takes, from its fetch to its last push."""
    pause_s: float = 0.0
    """How long the last pause was to be."""
    due_s: float = 0.0
    """When the next turn begins, on the clock since boot."""

    def wait_s(self, fetched_s: float, now_s: float) -> float | None:
        """Tell how long to wait for the next turn; None: it has begun, and what the remote has is here."""
        if fetched_s >= self.due_s or self.due_s > now_s + LONGEST_S:  # the latter was written before a boot
            return None
        return max(0.0, self.due_s - now_s)

    def met(self, clones: Iterable[str], now_s: float) -> None:
        """Note whose work a fetch has brought, and forget who has not written for long."""
        self.seen_s |= dict.fromkeys(clones, now_s)
        since_s = now_s - _LATELY_S - 2 * self.pause_s
        self.seen_s = {name: at_s for name, at_s in self.seen_s.items() if since_s <= at_s <= now_s}

    def won(self, began_s: float, now_s: float, took_s: float) -> bool:
        """Count an accepted push of the turn that began then; True: the turn is over, others go first."""
        self.met((), now_s)
        self.won_count += 1
        if self.won_count < (_ROW_COUNT if self.seen_s else self.alone_count):
            return False
        if self.seen_s:
            self.turn_s += _SMOOTH * (min(now_s - began_s, LONGEST_S / 4) - self.turn_s)
            self.alone_count = _ALONE_COUNT
        else:
            self.alone_count = min(2 * self.alone_count, _MOST_ALONE_COUNT)
        pause_s = len(self.seen_s) * self.turn_s if self.seen_s else _OPENING * took_s
        self.pause_s, self.won_count = min(pause_s, LONGEST_S), 0
        self.due_s = now_s + self.pause_s
        return bool(self.seen_s)


def clone_of(driver: str) -> str:
    """Name the clone of a driver: what follows the last dot of its name, or all of it."""
    return driver.rpartition(".")[2]
