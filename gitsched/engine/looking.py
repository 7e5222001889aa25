"""Looking: the situation as a verb that only reads sees it, without a driver of its own and without writing."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gitsched.config.encoding import decode_settings
from gitsched.config.profiles import profile_names, resolve_profile
from gitsched.config.settings import Settings
from gitsched.domain.facts import Facts
from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import EntryStatus, Liveness
from gitsched.engine.intake.issues import IssueReader
from gitsched.policy.admit import admissions
from gitsched.policy.plan import waits_of
from gitsched.policy.situation import Situation
from gitsched.ports.runner import HostClock
from gitsched.ports.store import Store
from gitsched.view.picture import Picture

READER = "reader"
"""The name under which a verb that only reads looks; no lease or job is ever held by it."""


class Machine(NamedTuple):
    """What is asked of the machine."""

    programs: Callable[[str], bool]
    """Say whether a program is on PATH."""
    free_bytes: Callable[[], int]
    """Tell the free space where worktrees are made."""


def situation_for_reading(
    store: Store, forge: IssueReader, clock: HostClock, settings: Settings, machine: Machine
) -> Situation:
    """Look at what decides why anything waits; runs and jobs are not asked, for nothing is settled here."""
    state = store.read()
    asked = [i for i, entry in state.entries.items() if entry.status in (EntryStatus.QUEUED, EntryStatus.ASSIGNED)]
    issues: Mapping[int, Issue] | Unreachable = forge.issues(asked) if asked else {}
    found, default = programs_found(settings, machine.programs)
    return Situation(
        state=state,
        facts=Facts(
            now=clock.now(),
            driver=READER,
            issues=issues,
            profiles=found,
            default_profile=default,
            zone=clock.zone_name(),
            remote=store.away,
            disk_low=bool(asked) and is_below_floor(settings, machine.free_bytes),
        ),
        current=settings,
        sealed={batch: decode_settings(kept.data) for batch, kept in state.settings.items()},
    )


def picture_in(situation: Situation, tip: str | None) -> Picture:
    """Show a situation, with what `plan` says of who waits; the rest of a plan is not for looking at."""
    drivers, found = situation.state.drivers, admissions(situation)
    return Picture(
        state=situation.state,
        tip=tip,
        waits=waits_of(situation, found),
        aged=found.aged,
        live_drivers=frozenset(name for name in drivers if situation.driver_is(name) is not Liveness.GONE),
        current=situation.current,
        sealed=situation.sealed,
        default_profile=situation.facts.default_profile,
    )


def is_below_floor(settings: Settings, free_bytes: Callable[[], int]) -> bool:
    """Say whether there is less free space than nothing new may start with."""
    floor = settings.disk.floor_bytes
    return floor > 0 and free_bytes() < floor


def programs_found(settings: Settings, programs: Callable[[str], bool]) -> tuple[frozenset[str], str | None]:
    """Tell which profiles can run here, and which one `agents.default` comes to."""
    found = []
    for name in profile_names(settings.agents):
        profile = resolve_profile(settings.agents, name)
        if profile is not None and programs(profile.command[0]):
            found.append(name)
    wanted = settings.agents.default
    default = wanted if wanted != "auto" else (found[0] if found else None)
    return frozenset(found), default
