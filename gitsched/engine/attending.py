"""Attending: whose end a waiting driver must hear of, because nobody else would tell it.

A worker that ends by itself wakes every driver. One that is killed, an agent that outlives its worker, and another
driver that is killed can tell nobody: the kernel does.
"""

from collections.abc import Iterator

from gitsched.domain.facts import Facts
from gitsched.domain.runs import ProcessName, RunLook
from gitsched.domain.state import State
from gitsched.domain.words import Liveness


def attended(state: State, facts: Facts) -> Iterator[ProcessName]:
    """List the processes that lived at the last look and whose end changes what is to be done."""
    for look in _looks(facts):
        if look.record is None or look.record.worker.host != facts.host:
            continue  # of another host's the kernel here knows nothing
        if look.worker is Liveness.ALIVE:
            yield look.record.worker
        elif look.agent is Liveness.ALIVE and look.record.agent is not None:
            yield look.record.agent
    for name, liveness in facts.drivers.items():
        record = state.drivers.get(name)
        if record is not None and name != facts.driver and record.host == facts.host and liveness is Liveness.ALIVE:
            yield record.process


def has_nameless(facts: Facts) -> bool:
    """Say whether some worker lives that has not told its name yet: its end would go unheard."""
    return any(look.record is None and look.worker is Liveness.ALIVE for look in _looks(facts))


def _looks(facts: Facts) -> Iterator[RunLook]:
    yield from facts.runs.values()
    yield from facts.jobs.values()
