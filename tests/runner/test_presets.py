"""Each preset from its configuration to the record of its end, against stand-ins that take only documented flags."""

import os
from pathlib import Path

import pytest

from gitsched.adapters.runner.local import LocalRunner
from gitsched.config.presets import preset_names
from gitsched.config.profiles import AgentsSettings, agent_argv, resolve_profile
from gitsched.domain.runs import RunEnd
from gitsched.domain.words import Tier
from gitsched.policy.budget import MEASURED
from gitsched.policy.environment import agent_environment
from gitsched.view.prompt import PromptFacts, render_prompt
from tests.golden import ROOT
from tests.real_git import Git
from tests.runner.desk import Desk

STANDINS = ROOT / "tests/data/standins"
TITLE = "Say it ~~~~~~~~ in two words"
USED = {
    "claude": {"usd_micros": 42_100, "tokens": 4_400, "turns": 4},
    "codex": {"tokens": 960, "turns": 1},
    "opencode": {"usd_micros": 4_000, "tokens": 1_000, "turns": 2},
    "gemini": {"tokens": 1_100},
    "aider": None,
}
LAST_TOOL = {"claude": "Bash", "codex": "command_execution", "opencode": "bash", "gemini": "run_shell_command"}
# Ends of each tool: provider's status, and whether a reset is told.
LIMITED = {"claude": (429, True), "codex": (429, True), "opencode": (429, False), "gemini": (429, True)}
OVERLOADED = {"claude": 529, "codex": 503, "opencode": 529, "gemini": 503, "aider": None}


def run(desk: Desk, name: str, ending: str = "works", tier: Tier = Tier.MID) -> RunEnd:
    """Start a preset as the engine does, and wait for its end."""
    profile = resolve_profile(AgentsSettings(), name, tier)
    assert profile is not None
    runner: LocalRunner = desk.runner
    folder = runner.place("b1", "3", 0, {})
    base = {**os.environ, "PATH": f"{STANDINS}:{os.environ['PATH']}", "STANDIN": ending}
    env, secrets = agent_environment(base, profile.env, {"GITSCHED_BATCH": "b1"})
    order = desk.order(
        *agent_argv(profile, str(folder / "prompt")), usage=profile.usage, secrets=secrets, timeout_s=profile.timeout_s
    )
    runner.start(order, env, prompt(profile.completion).encode())
    end = desk.end_of(order)
    assert end.spawn_error is None
    return end


def prompt(completion: str) -> str:
    facts = PromptFacts(
        number=3,
        title=TITLE,
        body="",
        batch="b1",
        branch="x",
        base="y",
        files=(),
        gates=(),
        completion=completion,
        landed=(),
        takeover=None,
        prior=None,
    )
    return render_prompt("", facts)


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("tier", list(Tier))
def test_a_preset_works_through(desk: Desk, git: Git, name: str, tier: Tier) -> None:
    """Flags are the documented ones, the prompt arrives, the commit is there, usage is parsed."""
    before = git(desk.repo, "rev-parse", "HEAD")
    end = run(desk, name, tier=tier)
    assert end.code == 0, end.tail
    assert end.usage == USED[name]
    profile = resolve_profile(AgentsSettings(), name, tier)
    assert profile is not None
    assert MEASURED.get(profile.usage, frozenset()) == frozenset(USED[name] or ()), "caps know what it tells"
    assert end.last_tool == LAST_TOOL.get(name)
    assert (end.provider, end.budget, end.waiting) == (None, None, False)
    assert end.head == git(desk.repo, "rev-parse", "HEAD") != before
    assert git(desk.repo, "log", "-1", "--format=%s") == f"Do: {TITLE}"


@pytest.mark.parametrize("name", preset_names())
def test_a_usage_limit_is_the_providers(desk: Desk, name: str) -> None:
    """R-44, R-45 (the record): status and reset of a limit, by preset."""
    end = run(desk, name, "limited")
    assert end.code == 1
    assert end.provider is not None
    assert (end.provider["status"], end.provider["resets_at"] is not None) == LIMITED.get(name, (None, False))


@pytest.mark.parametrize("name", preset_names())
def test_an_overloaded_provider_is_the_providers(desk: Desk, name: str) -> None:
    """R-44 (the record): the status of a provider's failure, by preset."""
    end = run(desk, name, "overloaded")
    assert end.provider is not None
    assert (end.provider["status"], end.provider["resets_at"]) == (OVERLOADED[name], None)


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_used_up_turns_are_a_named_budget(desk: Desk, name: str) -> None:
    """R-43: exit 0 without done, and the stream says that the turns are used up."""
    end = run(desk, name, "turns")
    assert (end.budget, end.provider) == ("turns", None)
    assert end.code == (0 if name == "claude" else 53)


def test_every_preset_has_its_stand_in() -> None:
    assert {path.name for path in STANDINS.iterdir() if os.access(path, os.X_OK) and path.is_file()} == set(
        preset_names()
    )
    assert Path(STANDINS / "acts.py").exists()
