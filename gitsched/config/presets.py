"""Agents that come with the package, in the shape of `[agents.NAME]`.

Flags are the ones each tool documents for use without a terminal; every prompt arrives on standard
input, but for aider, which reads a file:

claude    https://docs.anthropic.com/en/docs/claude-code/cli-reference
codex     https://developers.openai.com/codex/noninteractive
opencode  https://opencode.ai/docs/cli
gemini    https://geminicli.com/docs/cli/headless
aider     https://aider.chat/docs/scripting.html

A member's worktree is the sandbox's outside: its commits are written below the clone's own `.git`,
so a tool's workspace sandbox would refuse them, and nobody is there to approve anything.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gitsched.config.agents import AgentSettings, TierSettings, TiersSettings


def _codex(effort: str) -> tuple[str, ...]:
    return (
        *("codex", "exec", "--json", "--color", "never"),
        "--dangerously-bypass-approvals-and-sandbox",
        *("-c", f'model_reasoning_effort="{effort}"', "--model", "{model}", "-"),
    )


PRESETS: Final[Mapping[str, AgentSettings]] = MappingProxyType(
    {
        # The floating aliases name the newest model of each size.
        "claude": AgentSettings(
            command=(
                *("claude", "-p", "--output-format", "stream-json", "--verbose"),
                *("--dangerously-skip-permissions", "--model", "{model}"),
            ),
            env=("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"),
            usage="claude-stream-json",
            tiers=TiersSettings(
                mechanical=TierSettings(model="haiku"),
                mid=TierSettings(model="sonnet"),
                strong=TierSettings(model="opus"),
            ),
        ),
        # Model names age; the effort is a setting of its own, over whatever model the user has.
        "codex": AgentSettings(
            command=_codex("medium"),
            env=("CODEX_API_KEY", "OPENAI_API_KEY"),
            usage="codex-json",
            tiers=TiersSettings(
                mechanical=TierSettings(command=_codex("low")),
                strong=TierSettings(command=_codex("high")),
            ),
        ),
        # One model per provider and no aliases: the user's own choice stands until a tier names one.
        "opencode": AgentSettings(
            command=("opencode", "run", "--format", "json", "--auto", "--model", "{model}"),
            env=("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
            usage="opencode-json",
        ),
        # The stream shows life while it works (plain json is silent to its end); without --skip-trust
        # an unknown folder falls back to asking for every tool.
        "gemini": AgentSettings(
            command=(
                *("gemini", "--output-format", "stream-json", "--approval-mode", "yolo"),
                *("--skip-trust", "--model", "{model}"),
            ),
            env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            usage="gemini-json",
            tiers=TiersSettings(
                mechanical=TierSettings(model="flash-lite"),
                mid=TierSettings(model="flash"),
                strong=TierSettings(model="pro"),
            ),
        ),
        # aider runs no commands unasked, so it cannot post: its exit is its word. It commits its own
        # edits; what else lies in the tree is its history and cache.
        "aider": AgentSettings(
            command=(
                *("aider", "--message-file", "{prompt_file}", "--yes-always", "--no-pretty"),
                *("--no-gitignore", "--no-check-update", "--no-show-release-notes"),
                *("--no-analytics", "--model", "{model}"),
            ),
            env=("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
            completion="exit",
            closing_commit="ignore",
        ),
    }
)


def preset_names() -> tuple[str, ...]:
    """List the presets in the order in which `auto` looks for them on PATH."""
    return tuple(PRESETS)
