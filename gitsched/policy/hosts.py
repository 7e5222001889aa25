"""Hosts: which of the clones that share a remote does what.

1. A tree, a worker and its log are on one host: what needs them is left to the drivers there.
2. A host that has given no sign of life for the ttl is gone: whoever sees that takes its leases over, with the next
   generation, and drops its jobs. Until then it counts as living, whatever else is known of it.
3. While the remote does not answer nothing is decided at all.

See docs/explanation/store.md, "Hosts".
"""

from collections.abc import Collection, Mapping

from gitsched.domain.words import EntryStatus, Liveness, MemberStatus
from gitsched.policy.situation import Situation

_IDLE = (MemberStatus.WAITING, MemberStatus.VERIFIED)

AWAY = "remote-unreachable"
"""Why everybody waits while the remote does not answer."""


def is_elsewhere(situation: Situation, host: str | None) -> bool:
    """Say whether something is on another host that may live, so that it is none of this driver's business."""
    found = situation.facts.hosts.get(host) if host is not None else None
    return found is not None and found is not Liveness.GONE


def is_orphaned(situation: Situation, host: str) -> bool:
    """Say whether something was on another host that is gone."""
    return situation.facts.hosts.get(host) is Liveness.GONE


def waits_for_the_remote(situation: Situation, waits: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Say that everybody waits for the remote who is queued, waiting or verified, whatever else they wait for."""
    state = situation.state
    idle = [entry.issue for entry in state.entries.values() if entry.status is EntryStatus.QUEUED]
    idle += [member.issue for member in state.members.values() if member.status in _IDLE]
    return {issue: (*waits.get(issue, ()), AWAY) for issue in {*idle, *waits}}


def waits_for_an_answer(waits: Mapping[int, tuple[str, ...]], issues: Collection[int] | None) -> bool:
    """Say whether one of those issues (None: any) waits for a remote or forge that does not answer."""
    return any(AWAY in why for issue, why in waits.items() if issues is None or issue in issues)
