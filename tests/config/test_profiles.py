import pytest

from gitsched.config.parse import parse_settings
from gitsched.config.presets import PRESETS, preset_names
from gitsched.config.profiles import AgentProfile, agent_argv, profile_names, resolve_profile
from gitsched.domain.words import Tier


def profile(text: str, name: str, tier: Tier | None = None) -> AgentProfile:
    found = resolve_profile(parse_settings(text).agents, name, tier)
    assert found is not None
    return found


def test_auto_looks_for_the_presets_in_this_order() -> None:
    assert preset_names() == ("claude", "codex", "opencode", "gemini", "aider")


def test_written_profiles_come_before_the_presets() -> None:
    agents = parse_settings('[agents.mine]\ncommand = ["x"]\n[agents.aider]\nhold = true\n').agents
    assert profile_names(agents) == ("mine", "aider", "claude", "codex", "opencode", "gemini")


def test_an_unknown_profile_is_no_profile() -> None:
    assert resolve_profile(parse_settings("").agents, "nobody") is None


def test_a_tier_changes_only_what_it_names() -> None:
    text = """
    [agents.mine]
    command = ["x", "{model}"]
    prompt = "usual"
    tier = "mechanical"
    [agents.mine.tiers]
    mechanical = { model = "s" }
    strong = { command = ["big"], prompt = "careful" }
    """
    usual, mid, strong = (profile(text, "mine", t) for t in (None, Tier.MID, Tier.STRONG))
    assert (usual.tier, usual.command, usual.model, usual.prompt) == (
        Tier.MECHANICAL,
        ("x", "{model}"),
        "s",
        "usual",
    )
    assert (mid.tier, mid.command, mid.model) == (Tier.MID, ("x", "{model}"), "")
    assert (strong.command, strong.model, strong.prompt) == (("big",), "", "careful")


def test_keys_written_for_a_preset_stand_over_it() -> None:
    changed = profile('[agents.claude]\ntimeout = "1h"\ntiers.strong.model = "opusplan"', "claude", Tier.STRONG)
    assert changed.timeout_s == 3600.0
    assert changed.model == "opusplan"
    assert changed.command == PRESETS["claude"].command
    assert profile('[agents.claude]\ntimeout = "1h"', "claude", Tier.MID).model == "sonnet"


def test_a_command_of_ones_own_drops_the_tiers_of_the_preset() -> None:
    own = '[agents.codex]\ncommand = ["mine"]'
    assert {profile(own, "codex", tier).command for tier in Tier} == {("mine",)}


def test_the_model_and_the_prompt_file_are_filled_in() -> None:
    text = '[agents.a]\ncommand = ["a", "--model", "{model}", "-m={model}", "@{prompt_file}"]\ntiers.mid.model = "big"'
    assert agent_argv(profile(text, "a"), "/p/x y") == ("a", "--model", "big", "-m=big", "@/p/x y")


def test_without_a_model_its_option_is_left_out() -> None:
    text = '[agents.a]\ncommand = ["a", "--model", "{model}", "-m={model}", "-v", "{prompt_file}"]'
    assert agent_argv(profile(text, "a"), "p") == ("a", "-v", "p")


@pytest.mark.parametrize(
    ("name", "tier", "argv"),
    [
        (
            "claude",
            Tier.STRONG,
            "claude -p --output-format stream-json --verbose --dangerously-skip-permissions --model opus",
        ),
        (
            "codex",
            Tier.MECHANICAL,
            (
                "codex exec --json --color never --dangerously-bypass-approvals-and-sandbox"
                ' -c model_reasoning_effort="low" -'
            ),
        ),
        (
            "codex",
            Tier.MID,
            (
                "codex exec --json --color never --dangerously-bypass-approvals-and-sandbox"
                ' -c model_reasoning_effort="medium" -'
            ),
        ),
        ("opencode", Tier.STRONG, "opencode run --format json --auto"),
        ("gemini", Tier.MID, "gemini --output-format stream-json --approval-mode yolo --skip-trust --model flash"),
        (
            "aider",
            Tier.MID,
            (
                "aider --message-file P --yes-always --no-pretty --no-gitignore --no-check-update"
                " --no-show-release-notes --no-analytics"
            ),
        ),
    ],
)
def test_presets_use_the_documented_flags(name: str, tier: Tier, argv: str) -> None:
    assert " ".join(agent_argv(profile("", name, tier), "P")) == argv


def test_only_a_tool_that_cannot_post_is_trusted_by_its_exit() -> None:
    assert {name: preset.completion for name, preset in PRESETS.items()} == {
        "claude": "milestone",
        "codex": "milestone",
        "opencode": "milestone",
        "gemini": "milestone",
        "aider": "exit",
    }
