"""Tables that say what runs when: slots, batches, admission, stalls, the ladder, worktrees."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from gitsched.config.lists import PATHS_BELOW, Argv, Command, Many, Named
from gitsched.config.reading import Key
from gitsched.config.rules import Duration, Number, Size, Text, Whole
from gitsched.domain.control import SLOTS_HIGHEST, SLOTS_LOWEST

IMPLEMENT_FLOOR_S: Final = 5400.0
"""What `implement` is allowed at least where no phase value is written."""


class SlotSettings(msgspec.Struct, frozen=True):
    """`[slots]`: how many runs are live at once."""

    max: Annotated[int, Key("max", Whole(SLOTS_LOWEST, SLOTS_HIGHEST))] = 2
    """Over all hosts; the store keeps the value in force."""
    per_host: Annotated[int, Key("per_host", Whole(0, 64))] = 0
    """0: as many as `max`."""


class DissolveSettings(msgspec.Struct, frozen=True):
    """`batch.dissolve`: how many evictions end a batch."""

    fraction: Annotated[float, Key("fraction", Number(0, 1))] = 0.333
    floor: Annotated[int, Key("floor", Whole(0, 500))] = 1


class BatchSettings(msgspec.Struct, frozen=True):
    """`[batch]`: what a new batch may hold and when it seals."""

    max_members: Annotated[int, Key("max_members", Whole(1, 500))] = 8
    member_parallelism: Annotated[int, Key("member_parallelism", Whole(0, 64))] = 0
    """0: as many as there are slots."""
    default_priority: Annotated[int, Key("default_priority", Whole(-1_000_000, 1_000_000))] = 10
    max_full_review: Annotated[int, Key("max_full_review", Whole(0, 500))] = 2
    seal_after_s: Annotated[float, Key("seal_after", Duration(zero_allowed=True))] = 0.0
    """0: quiet alone never seals."""
    dissolve: Annotated[DissolveSettings, Key("dissolve")] = DissolveSettings()


class AdmissionSettings(msgspec.Struct, frozen=True):
    """`[admission]`: overlap and ageing."""

    unknown_files: Annotated[Literal["optimistic", "exclusive"], Key("unknown_files")] = "optimistic"
    overtaken_count: Annotated[int, Key("overtaken", Whole(1, 10_000))] = 20
    overtaken_for_s: Annotated[float, Key("overtaken_for", Duration())] = 43_200.0


class DispatchSettings(msgspec.Struct, frozen=True):
    """`[dispatch]`: where agents run and how long a lease lives."""

    backend: Annotated[Literal["local", "actions", "command"], Key("backend")] = "local"
    command: Annotated[Argv, Key("command", Command(absent_allowed=True))] = ()
    """For the back-end `command`; empty otherwise."""
    start_timeout_s: Annotated[float, Key("start_timeout", Duration())] = 600.0
    ttl_s: Annotated[float, Key("ttl", Duration())] = 300.0


class StallSettings(msgspec.Struct, frozen=True):
    """`[stall]`: how long a run may show nothing."""

    timeout_s: Annotated[float, Key("timeout", Duration())] = 1800.0
    takeover_s: Annotated[float, Key("takeover", Duration())] = 900.0
    kill_grace_s: Annotated[float, Key("kill_grace", Duration(zero_allowed=True))] = 120.0
    phases_s: Annotated[Mapping[str, float], Key("phases", Named(r"[a-z][a-z0-9-]{0,39}", Duration()))] = {}
    """Only what is written; ask `allowance_s`."""

    def allowance_s(self, phase: str) -> float:
        """Say how long a phase may be silent: its own value, else the global one or its floor."""
        floor_s = IMPLEMENT_FLOOR_S if phase == "implement" else 0.0
        return self.phases_s.get(phase, max(self.timeout_s, floor_s))


class LadderSettings(msgspec.Struct, frozen=True):
    """`[ladder]`: how often a stalled or unverified run is redispatched, one tier stronger."""

    recoveries: Annotated[int, Key("recoveries", Whole(0, 10))] = 2
    """For solo batches."""
    member_recoveries: Annotated[int, Key("member_recoveries", Whole(0, 10))] = 0
    """For members of larger ones."""


class WorktreeSettings(msgspec.Struct, frozen=True):
    """`[worktrees]`: where members work and what is put there first."""

    dir: Annotated[str, Key("dir", Text("a directory outside the checkout"))] = ""
    """Empty: under the platform's state directory."""
    pool: Annotated[int, Key("pool", Whole(0, 256))] = 4
    keep: Annotated[tuple[str, ...], Key("keep", PATHS_BELOW)] = ("node_modules", ".venv")
    """Ignored paths that survive the cleaning of a tree that is used again."""
    setup: Annotated[tuple[Argv, ...], Key("setup", Many(Command(), repeats_allowed=True))] = ()
    copy: Annotated[tuple[str, ...], Key("copy", PATHS_BELOW)] = ()


class DiskSettings(msgspec.Struct, frozen=True):
    """`[disk]`: how much must stay free for admission to go on."""

    floor_bytes: Annotated[int, Key("floor", Size(zero_allowed=True))] = 2 * 2**30
