"""Gathering: one look at the world outside the state, only as far as the state has something to ask.

The local forge is read again only when its cursor moves; run refs only of what is live.
"""

from collections.abc import Mapping

from immutables import Map

from gitsched.config.settings import Settings
from gitsched.domain.facts import Facts
from gitsched.domain.forge import Issue, Published, PullRequestView
from gitsched.domain.ids import is_other_clone
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Entry
from gitsched.domain.state import State
from gitsched.domain.words import BatchStatus, EntryStatus, Liveness, PullRequestState, RunStatus
from gitsched.engine.desk import Desk, Surroundings
from gitsched.engine.looking import is_below_floor, programs_found
from gitsched.engine.proving import proof_of_work
from gitsched.engine.publications import requests_of
from gitsched.engine.rollouts import RolloutLook
from gitsched.engine.silence import Listener
from gitsched.policy.reconcile import may_have_shipped

_ASKED = (EntryStatus.QUEUED, EntryStatus.BLOCKED, EntryStatus.ASSIGNED)


class Gatherer:
    """Looks at the world for one driver, and remembers what cannot have changed since."""

    def __init__(self, around: Surroundings) -> None:
        """Begin without any memory."""
        self._listener = Listener(around.clock, around.refs)
        self._published_at: tuple[str | None, frozenset[tuple[str, int]]] | None = None
        self._published: Mapping[tuple[str, int], tuple[Published, ...]] = {}
        self._asked: tuple[Map[int, Entry], frozenset[int]] | None = None
        self._forge_at: tuple[str | None, frozenset[int]] | None = None
        self._issues: Mapping[int, Issue] | Unreachable = {}
        self._proofs: dict[tuple[str, str], str | None] = {}
        self._rollouts = RolloutLook()
        self._profiles: tuple[Settings, frozenset[str], str | None] | None = None

    def miss(self) -> None:
        """Take note that the remote does not answer, so that nothing can be heard of other hosts."""
        self._listener.miss()

    def look(self, desk: Desk, state: State, *, may_admit: bool = True) -> Facts:
        """Look at everything that this state asks about."""
        around = desk.around
        profiles, default = self._programs(around, desk.current)
        hosts = _hosts(around, state, desk.me.host)
        runs = {key: around.runner.look(key[0], str(key[1]), lease.gen) for key, lease in state.leases.items()}
        return Facts(
            now=around.clock.now(),
            driver=desk.me.driver,
            host=desk.me.host,
            runs=runs,
            silent_s=self._listener.silences(state, runs, desk.me.host),
            published=self._read_published(around, state),
            jobs={key: around.runner.look(key[0], job.run, job.gen) for key, job in state.jobs.items()},
            drivers=_drivers(around, state),
            issues=self._read_issues(around, state),
            requests=_requests(around, state),
            shipped=self._shipped(around, state),
            rollouts=self._rollouts.look(desk, state),
            profiles=profiles,
            default_profile=default,
            zone=around.clock.zone_name(),
            hosts=hosts,
            disk_low=is_below_floor(desk.current, around.trees.free_bytes),
            may_admit=may_admit,
        )

    def _shipped(self, around: Surroundings, state: State) -> dict[str, str]:
        """Look for the work of blocked batches in their targets; a target that stands still is looked at once."""
        found: dict[str, str] = {}
        for batch in state.batches.values():
            if not may_have_shipped(batch, state.members_of(batch), around.clock.now()):
                continue
            target, head = around.forge.target(batch.target), batch.integration.head or ""
            if not isinstance(target, str) or target == batch.base:
                continue
            if (head, target) not in self._proofs:
                self._proofs[head, target] = proof_of_work(around.lander, batch.base, head, target)
            proof = self._proofs[head, target]
            if proof is not None:
                found[batch.id] = proof
        return found

    def _programs(self, around: Surroundings, settings: Settings) -> tuple[frozenset[str], str | None]:
        if self._profiles is None or self._profiles[0] is not settings:
            found, default = programs_found(settings, around.programs)
            self._profiles = (settings, found, default)
        return self._profiles[1], self._profiles[2]

    def _read_issues(self, around: Surroundings, state: State) -> Mapping[int, Issue] | Unreachable:
        if self._asked is None or self._asked[0] is not state.entries:
            self._asked = (state.entries, _asked_of(state))
        key = (around.forge.cursor, self._asked[1])
        if key[0] is None or key != self._forge_at:
            self._issues = around.forge.issues(sorted(key[1])) if key[1] else {}
            # No answer is asked for again, although nothing has moved.
            self._forge_at = None if isinstance(self._issues, Unreachable) else key
        return self._issues

    def _read_published(self, around: Surroundings, state: State) -> Mapping[tuple[str, int], tuple[Published, ...]]:
        """Look for what runs publish by themselves, where the forge tells cheaply that it has changed."""
        asked = frozenset(key for key, lease in state.leases.items() if lease.status is RunStatus.RUNNING)
        key = (around.forge.cursor if asked else None, asked)
        if key[0] is None:
            return {}
        if key != self._published_at:
            found = {unit: requests_of(around, [state.members[unit].branch]) for unit in asked if unit in state.members}
            self._published = {unit: seen for unit, seen in found.items() if not isinstance(seen, Unreachable)}
            self._published_at = key if len(self._published) == len(found) else None
        return self._published


def _asked_of(state: State) -> frozenset[int]:
    """Name the issues that somebody waits for: those not over, and what they depend on outside of the queue."""
    asked = {issue for issue, entry in state.entries.items() if entry.status in _ASKED}
    return frozenset(asked | {dep for issue in asked for dep in state.entries[issue].deps if dep not in state.entries})


def _hosts(around: Surroundings, state: State, own: str) -> dict[str, Liveness]:
    """Tell what is heard of other hosts; without a remote nothing is, and another clone may live all the same."""
    named = {lease.holder.host for lease in state.leases.values()}
    named |= {job.owner.host for job in state.jobs.values()} | {one.host for one in state.drivers.values()}
    named |= {member.tree_host for member in state.members.values() if member.tree_host is not None}
    if around.hosts is None:
        return {host: Liveness.UNKNOWN for host in sorted(named) if is_other_clone(host, own)}
    ttls: dict[str, float] = {}
    for lease in state.leases.values():
        ttls[lease.holder.host] = max(lease.ttl_s, ttls.get(lease.holder.host, 0))
    return {host: around.hosts.liveness(host, ttls.get(host)) for host in sorted(named) if host != own}


def _drivers(around: Surroundings, state: State) -> dict[str, Liveness]:
    return {driver.id: around.processes.liveness(driver.process) for driver in state.drivers.values()}


def _requests(around: Surroundings, state: State) -> dict[str, PullRequestView | Unreachable | None]:
    asked = [batch for batch in state.batches.values() if _is_watched(batch)]
    around.forge.foresee(batch.pr.number for batch in asked if batch.pr is not None)
    return {batch.id: around.forge.pull_request(batch.pr.number) for batch in asked if batch.pr is not None}


def _is_watched(batch: Batch) -> bool:
    """Say whether a batch's pull request is looked at: it is open, or it may merge after all."""
    if batch.pr is None or batch.pr.state is PullRequestState.MERGED:
        return False
    is_late = batch.status is BatchStatus.BLOCKED and batch.reason != "merge-unproven"
    return is_late or batch.status is BatchStatus.AWAITING_MERGE
