"""Building the packet of a schedule: everything that an approval is bound to.

Frozen are the texts of the issues, the commit that work would start from, the configuration with the agents' commands
and the checks, and the budget. Anything of it that changes makes the token void.
"""

from collections.abc import Iterable, Mapping

from gitsched.config.encoding import encode_settings
from gitsched.config.profiles import resolve_profile
from gitsched.config.settings import Settings
from gitsched.domain.forge import Issue
from gitsched.domain.ids import branch_ref
from gitsched.domain.packets import Packet, digest_of
from gitsched.domain.records import Entry, Member, Schedule
from gitsched.domain.state import State
from gitsched.policy.booked import booked
from gitsched.policy.situation import Situation, profile_of
from gitsched.ports.refs import Refs

_OWN_ASPECTS = ("budget", "agents", "gates", "suite")


def packet_of(situation: Situation, schedule: Schedule, refs: Refs, issues: Mapping[int, Issue]) -> Packet:
    """Build the packet of a schedule as things are; an issue that the forge does not tell of has an empty text."""
    state, settings = situation.state, situation.current
    bearers = list(_bearers(state, schedule))
    numbers = sorted(bearer.issue for bearer in bearers)
    texts = {number: issues.get(number, Issue(number=number, title="")) for number in numbers}
    base = {target: refs.resolve(branch_ref(target)) for target in _targets(state, schedule, settings)}
    agents = dict(_agents(situation, bearers))
    tables = encode_settings(settings)
    own = {name: tables.pop(name, None) for name in _OWN_ASPECTS}
    aspects = {
        **{f"issue:{number}": digest_of([issue.title, issue.body]) for number, issue in texts.items()},
        "base": digest_of(base),
        "agents": digest_of(agents),
        **{name: digest_of(own[name]) for name in ("budget", "gates", "suite")},
        "configuration": digest_of(tables),
        "window": digest_of([schedule.window, schedule.zone, schedule.at, schedule.overrun]),
    }
    return Packet(
        schedule=schedule.id,
        issues={number: issue.title for number, issue in texts.items()},
        base=base,
        agents=agents,
        gates=tuple(f"{gate.name}: {' '.join(gate.run)}" for gate in settings.gates),
        suite=" ".join(settings.suite.run or ()),
        budget=own["budget"] or {},
        aspects=aspects,
    )


def _bearers(state: State, schedule: Schedule) -> Iterable[Entry | Member]:
    for unit in booked(state, schedule):
        if unit.batch is not None:
            yield from state.members_of(unit.batch)
        elif unit.entry is not None:
            yield unit.entry


def issues_in(state: State, schedule: Schedule) -> tuple[int, ...]:
    """List the issues of a schedule, those of its batches among them."""
    return tuple(sorted({bearer.issue for bearer in _bearers(state, schedule)}))


def _targets(state: State, schedule: Schedule, settings: Settings) -> tuple[str, ...]:
    units = booked(state, schedule)
    named = {unit.batch.target for unit in units if unit.batch is not None}
    alone = {unit.entry.target or settings.project.target for unit in units if unit.batch is None and unit.entry}
    return tuple(sorted(named | alone))


def _agents(situation: Situation, bearers: Iterable[Entry | Member]) -> Iterable[tuple[str, tuple[str, ...]]]:
    for bearer in bearers:
        name = profile_of(situation, bearer)
        profile = resolve_profile(situation.current.agents, name, bearer.tier) if name is not None else None
        yield name or "none", tuple(profile.command) if profile is not None else ()
