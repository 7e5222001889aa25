"""`[agents]`: the commands that do the work, as they are written."""

from typing import Annotated, Literal

import msgspec

from gitsched.config.lists import ENV_NAMES, PROFILE_NAME, Argv, Command
from gitsched.config.reading import Key
from gitsched.config.rules import Duration, Size, Text
from gitsched.domain.words import Tier

Completion = Literal["milestone", "exit"]
Usage = Literal["none", "claude-stream-json", "codex-json", "opencode-json", "gemini-json"]
ClosingCommit = Literal["commit", "require-clean", "ignore"]
AgentMode = Literal["agent", "manual", "sequential"]

_MODEL = Text("the name of a model, as the agent's command knows it", r"(?:[^\s-]\S*)?")
_TEMPLATE = Text("the text of a Jinja template")
OPTIONAL_PROFILE = Text("the name of an agent", rf"(?:{PROFILE_NAME})?")


class TierSettings(msgspec.Struct, frozen=True):
    """One of `agents.NAME.tiers`: what differs at this strength; empty is no difference."""

    command: Annotated[Argv, Key("command", Command(absent_allowed=True))] = ()
    model: Annotated[str, Key("model", _MODEL)] = ""
    prompt: Annotated[str, Key("prompt", _TEMPLATE)] = ""


class TiersSettings(msgspec.Struct, frozen=True):
    """`agents.NAME.tiers`."""

    mechanical: Annotated[TierSettings, Key("mechanical")] = TierSettings()
    mid: Annotated[TierSettings, Key("mid")] = TierSettings()
    strong: Annotated[TierSettings, Key("strong")] = TierSettings()

    def of(self, tier: Tier) -> TierSettings:
        """Choose one tier's differences."""
        return {Tier.MECHANICAL: self.mechanical, Tier.MID: self.mid, Tier.STRONG: self.strong}[tier]


class AgentSettings(msgspec.Struct, frozen=True):
    """One of `[agents.NAME]`: a command and how its work is recognised."""

    command: Annotated[Argv, Key("command", Command())]
    """`{model}` and `{prompt_file}` are filled in; see `profiles.agent_argv`."""
    prompt: Annotated[str, Key("prompt", _TEMPLATE)] = ""
    """Empty: the built-in template."""
    env: Annotated[tuple[str, ...], Key("env", ENV_NAMES)] = ()
    """Names passed on even if they look secret."""
    completion: Annotated[Completion, Key("completion")] = "milestone"
    usage: Annotated[Usage, Key("usage")] = "none"
    timeout_s: Annotated[float, Key("timeout", Duration())] = 14_400.0
    output_bytes: Annotated[int, Key("output", Size())] = 64 * 2**20
    closing_commit: Annotated[ClosingCommit, Key("closing_commit")] = "commit"
    mode: Annotated[AgentMode, Key("mode")] = "agent"
    hold: Annotated[bool, Key("hold")] = False
    """Keeps every candidate of this profile out."""
    tier: Annotated[Tier, Key("tier")] = Tier.MID
    """Of a member that names none."""
    tiers: Annotated[TiersSettings, Key("tiers")] = TiersSettings()


class FixSettings(msgspec.Struct, frozen=True):
    """`[fix]`: the agent of the one bounded fix; empty `agent`: none."""

    agent: Annotated[str, Key("agent", OPTIONAL_PROFILE)] = ""
    tier: Annotated[Tier, Key("tier")] = Tier.MID


class ReviewSettings(msgspec.Struct, frozen=True):
    """`[review]`: the agent that reads the whole batch; empty `agent`: none."""

    agent: Annotated[str, Key("agent", OPTIONAL_PROFILE)] = ""
    tier: Annotated[Tier, Key("tier")] = Tier.STRONG


class ReportSettings(msgspec.Struct, frozen=True):
    """`[report]`: the agent that adds prose to a report; empty `agent`: none."""

    agent: Annotated[str, Key("agent", OPTIONAL_PROFILE)] = ""
    tier: Annotated[Tier, Key("tier")] = Tier.MID
