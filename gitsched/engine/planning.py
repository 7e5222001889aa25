"""Planning: plan again only when something can come out differently.

An empty plan says itself for how long it holds: until the state, the configuration or what was looked at is another,
or until the time that it names. A driver relies on that when it sleeps; here each of its ticks does.
"""

from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.instants import after
from gitsched.policy.plan import Plan, plan
from gitsched.policy.situation import Situation

HOLDS_S = 30.0
"""For how long an empty plan is believed at most."""


class Nothing(Struct, frozen=True):
    """A plan without effects, and what it was made from."""

    plan: Plan
    situation: Situation
    at_s: float
    """When it was made, on the monotonic clock."""

    def again(self, situation: Situation, now_s: float) -> Plan | None:
        """Give the plan as it stands now; None when another one must be made."""
        known, wake_s = self.situation, self.plan.wake_after_s
        passed_s, limit_s = now_s - self.at_s, HOLDS_S if wake_s is None else min(HOLDS_S, wake_s)
        if known.state is not situation.state or known.current is not situation.current or passed_s >= limit_s:
            return None
        # Time is what the limit is about, and a silence grows with it: a shorter one only makes later what was near.
        seen = replace(known.facts, now=situation.facts.now, silent_s=situation.facts.silent_s)
        if seen != situation.facts or situation.facts.now >= after(known.facts.now, limit_s):
            return None
        return self.plan if wake_s is None else replace(self.plan, wake_after_s=wake_s - passed_s)


class Planner:
    """Plans for one driver."""

    def __init__(self) -> None:
        """Begin without any memory."""
        self._nothing: Nothing | None = None

    def plan(self, situation: Situation, now_s: float) -> Plan:
        """Decide what to do now; `now_s` is on the monotonic clock."""
        known = None if self._nothing is None else self._nothing.again(situation, now_s)
        if known is not None:
            return known
        decided = plan(situation)
        self._nothing = None if decided.effects else Nothing(decided, situation, now_s)
        return decided
