import pytest

from gitsched.config.parse import parse_settings
from gitsched.config.reading import Leaf, leaves_of
from gitsched.config.reference import setting_rows
from gitsched.config.settings import Settings
from gitsched.config.spot import dotted
from gitsched.domain.words import Tier
from tests.config.every_key import EVERY_KEY, read

LEAVES = [leaf for leaf in leaves_of(Settings()) if leaf.default is not None and leaf.path != ("agents",)]


def test_every_key_of_the_contract_is_read_and_kept() -> None:
    """I-06: no key of the contract is accepted and then dropped: each one shows in the settings."""
    untouched = [dotted(leaf.path) for leaf in leaves_of(read(EVERY_KEY)) if leaf.value == leaf.default]
    # Left out above: the other scopes and gates, and what a tier does not change.
    assert [key for key in untouched if not key.startswith(("gates[2]", "agents.mine.tiers", "budget."))] == [
        "gates[1].kind"
    ]


def test_values_carry_their_unit_inside() -> None:
    settings = read(EVERY_KEY)
    assert settings.agents.profiles["mine"].timeout_s == 3600.0
    assert settings.agents.profiles["mine"].output_bytes == 2**20
    assert settings.agents.profiles["mine"].tier is Tier.STRONG
    assert settings.worktrees.setup == (("npm", "ci"), ("make", "deps"))
    assert settings.land.guards.deletions == 1.0
    assert settings.budget.run.agent_time_s == 3600.0
    assert settings.budget.member.usd == 2.5
    assert settings.budget.profile["mine"].tokens_count == 1
    assert settings.github.commands == {"ship": "admin"}
    assert [gate.name for gate in settings.gates] == ["unit", "lint"]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: dotted(leaf.path))
def test_a_default_written_out_changes_nothing(leaf: Leaf) -> None:
    assert parse_settings(f"{dotted(leaf.path)} = {leaf.rule.render(leaf.default)}") == Settings()


def test_defaults_are_those_of_the_contract() -> None:  # over-length: one line for each key of the contract
    shown = {row.key: row.default for row in setting_rows()}
    assert {
        "project.target": '"main"',
        "project.forge": '"local"',
        "project.anchor": '"pr"',
        "slots.max": "2",
        "slots.per_host": "0",
        "batch.max_members": "8",
        "batch.default_priority": "10",
        "batch.max_full_review": "2",
        "batch.seal_after": '"0s"',
        "batch.dissolve.fraction": "0.333",
        "batch.dissolve.floor": "1",
        "admission.unknown_files": '"optimistic"',
        "admission.overtaken": "20",
        "admission.overtaken_for": '"12h"',
        "dispatch.backend": '"local"',
        "dispatch.start_timeout": '"10m"',
        "dispatch.ttl": '"5m"',
        "agents.default": '"auto"',
        "agents.NAME.command": "",
        "agents.NAME.timeout": '"4h"',
        "agents.NAME.output": '"64MiB"',
        "agents.NAME.closing_commit": '"commit"',
        "agents.NAME.mode": '"agent"',
        "agents.NAME.hold": "false",
        "agents.NAME.completion": '"milestone"',
        "agents.NAME.tier": '"mid"',
        "agents.NAME.tiers.mid.model": '""',
        "worktrees.pool": "4",
        "worktrees.keep": '["node_modules", ".venv"]',
        "gates[].kind": '"test"',
        "gates[].evidence": '"report"',
        "gates[].report": '"none"',
        "gates[].timeout": '"15m"',
        "suite.run": "",
        "suite.ids": '"pytest"',
        "suite.timeout": '"30m"',
        "suite.flaky": '"pass"',
        "suite.base_red": '"block"',
        "bisect.confirm": "3",
        "bisect.parallel": "0",
        "stall.timeout": '"30m"',
        "stall.takeover": '"15m"',
        "stall.kill_grace": '"2m"',
        "ladder.recoveries": "2",
        "ladder.member_recoveries": "0",
        "land.strategy": '"rebase"',
        "land.conflict": '"retry"',
        "land.neutralise_closing": "false",
        "land.guards.size": '"100MiB"',
        "land.guards.deletions": "0.5",
        "evict.strategy": '"rebuild"',
        "ship.merge": '"manual"',
        "ship.method": '"rebase"',
        "ship.draft": '"until-green"',
        "ship.allow_squash": "false",
        "milestones.formats": '["gitsched"]',
        "watch.interval": '"150s"',
        "watch.check_start": '"30m"',
        "labels.block": '["decision-pending", "needs-clarification", "epic", "decomposed"]',
        "labels.interval": '"10m"',
        "budget.unknown": '"count-runs"',
        "budget.profile.NAME.usd": "",
        "schedule.harvest": '"manual"',
        "github.batch_milestone": '"batch/*"',
        "webhook.disabled": "false",
        "evidence.text": "false",
        "evidence.log": '"1MiB"',
        "evidence.keep": '"90d"',
        "follow_up.enabled": "false",
        "disk.floor": '"2GiB"',
        "store.fsync": "true",
        "store.compact_after": '"30d"',
        "store.pushes_per_minute": "",
        "store.publish": "false",
    }.items() <= shown.items()


def test_records_are_written_as_toml_reads_them() -> None:
    settings = read(EVERY_KEY)
    leaf_rules = {leaf.path: leaf.rule for leaf in leaves_of(Settings())}
    gates = leaf_rules["gates",].render(settings.gates)
    profiles = leaf_rules["budget", "profile"].render(settings.budget.profile)
    agent = leaf_rules["agents",].render(settings.agents.profiles)
    phases = leaf_rules["stall", "phases"].render(settings.stall.phases_s)
    run = leaf_rules["suite", "run"].render(())
    again = read(
        f"gates = {gates}\nbudget.profile = {profiles}\nagents = {agent}\nstall.phases = {phases}\nsuite.run = {run}"
    )
    assert again.gates == settings.gates
    assert again.budget.profile == settings.budget.profile
    assert again.agents.profiles == settings.agents.profiles
    assert again.stall.phases_s == settings.stall.phases_s
    assert again.suite.is_waived


def test_text_is_written_so_that_it_reads_back() -> None:
    rule = next(leaf.rule for leaf in leaves_of(Settings()) if leaf.path == ("worktrees", "dir"))
    text = 'a "b" \\ \n\t\r \x1b ü \U0001f600 \u202e'
    assert read(f"worktrees.dir = {rule.render(text)}").worktrees.dir == text
