"""From `[agents]` to the one command that a run starts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import msgspec

from gitsched.config.agents import (
    AgentMode,
    AgentSettings,
    ClosingCommit,
    Completion,
    TiersSettings,
    Usage,
)
from gitsched.config.lists import PROFILE_NAME, Argv, Named
from gitsched.config.presets import PRESETS
from gitsched.config.reading import Key, Table, read_record
from gitsched.config.rules import Text
from gitsched.config.spot import Spot
from gitsched.domain.words import Tier

AUTO = "auto"
MODEL = "{model}"
PROMPT_FILE = "{prompt_file}"


@dataclass(frozen=True, slots=True)
class _Profile:
    """Reads `[agents.NAME]`, over the preset of that name where there is one."""

    says: str = Table(AgentSettings).says

    def read(self, value: object, spot: Spot) -> AgentSettings:
        preset = PRESETS.get(str(spot.path[-1]))
        if preset is not None and isinstance(value, dict) and "command" in value:
            # The preset's models and commands are of its own tool, not of this one.
            preset = msgspec.structs.replace(preset, tiers=TiersSettings())
        return read_record(AgentSettings, value, spot, preset)

    def render(self, value: object) -> str:
        return Table(AgentSettings).render(value)


class AgentsSettings(msgspec.Struct, frozen=True):
    """`[agents]`: the profiles that are written, and which one is the default."""

    default: Annotated[str, Key("default", Text("auto, or the name of an agent", PROFILE_NAME))] = AUTO
    """`auto`: the first preset whose program is on PATH."""
    profiles: Annotated[Mapping[str, AgentSettings], Key("*", Named(PROFILE_NAME, _Profile()))] = {}


class AgentProfile(msgspec.Struct, frozen=True):
    """An agent at one tier, with nothing left to look up."""

    name: str
    tier: Tier
    command: Argv
    model: str
    prompt: str
    env: tuple[str, ...]
    completion: Completion
    usage: Usage
    timeout_s: float
    output_bytes: int
    closing_commit: ClosingCommit
    mode: AgentMode
    hold: bool


def profile_names(agents: AgentsSettings) -> tuple[str, ...]:
    """List every profile that can be named: the written ones, then the other presets."""
    return (*agents.profiles, *(name for name in PRESETS if name not in agents.profiles))


def resolve_profile(agents: AgentsSettings, name: str, tier: Tier | None = None) -> AgentProfile | None:
    """Merge a profile with what a tier changes; no tier: the profile's own.

    None where no such profile is written and no preset has the name (`profile-missing:<name>`).
    """
    settings = agents.profiles.get(name) or PRESETS.get(name)
    if settings is None:
        return None
    tier = tier or settings.tier
    changes = settings.tiers.of(tier)
    return AgentProfile(
        name=name,
        tier=tier,
        command=changes.command or settings.command,
        model=changes.model,
        prompt=changes.prompt or settings.prompt,
        env=settings.env,
        completion=settings.completion,
        usage=settings.usage,
        timeout_s=settings.timeout_s,
        output_bytes=settings.output_bytes,
        closing_commit=settings.closing_commit,
        mode=settings.mode,
        hold=settings.hold,
    )


def agent_argv(profile: AgentProfile, prompt_file: str) -> Argv:
    """Fill a profile's command in.

    Where the tier names no model, the argument that holds `{model}` is left out, and with it the
    option before it whose value it was: the tool then uses the model its user has chosen.
    """
    return tuple(
        argument.replace(MODEL, profile.model).replace(PROMPT_FILE, prompt_file)
        for argument in (profile.command if profile.model else _without_model(profile.command))
    )


def _without_model(command: Argv) -> Iterator[str]:
    for argument, following in zip(command, (*command[1:], ""), strict=True):
        is_option_of_model = following == MODEL and argument.startswith("-")
        if MODEL not in argument and not is_option_of_model:
            yield argument
