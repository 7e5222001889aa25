import pytest

from gitsched.config.parse import parse_settings
from gitsched.errors import ConfigError

GATE = '[[gates]]\nname = "unit"\nrun = ["true"]\n'


@pytest.mark.parametrize(
    ("text", "line", "key", "against"),
    [
        (GATE + GATE, 5, "gates[2].name", "A gate 'unit' stands above."),
        ('[schedule]\ntz = "Europe/Nowhere"', 2, "schedule.tz", "There is no such time zone."),
        (
            '[deploy]\nenvironment = "production"',
            2,
            "deploy.environment",
            "It would never be seen: the embedded forge knows nothing of deployments.",
        ),
        (
            '[[gates]]\nname = "unit"\nrun = "pytest --junitxml={report}"',
            3,
            "gates[1].run",
            "The command writes a report to `{report}` and none is declared.",
        ),
        (
            '[suite]\nrun = ["pytest", "--junitxml={report}"]',
            2,
            "suite.run",
            "The command writes a report to `{report}` and none is declared.",
        ),
        (
            '[suite]\nrun = "none"\ntimeout = "5m"',
            3,
            "suite.timeout",
            'It would be ignored: `run = "none"` says that there is no suite.',
        ),
        (
            '[suite]\nrun = "x"\nreport = "junit"\nrerun = "x"',
            4,
            "suite.rerun",
            "The command has no argument `{tests}`.",
        ),
        (
            '[suite]\nrun = "x"\nrerun = "x {tests}"',
            3,
            "suite.rerun",
            "It would be ignored: without a report no failing test is known by name.",
        ),
        ('[agents]\ndefault = "cloude"', 2, "agents.default", "No agent 'cloude' is configured."),
        ('[fix]\nagent = "nobody"', 2, "fix.agent", "No agent 'nobody' is configured."),
        ('[review]\nagent = "auto"', 2, "review.agent", "No agent 'auto' is configured."),
        (
            '[agents.a]\ncommand = ["a"]\n[agents.a.tiers.mid]\nmodel = "big"',
            4,
            "agents.a.tiers.mid.model",
            "It would be ignored: the command has no `{model}`.",
        ),
        (
            'dispatch.backend = "command"',
            1,
            "dispatch.command",
            'The back-end "command" and its command belong together.',
        ),
        (
            'dispatch.command = "sbatch x"',
            1,
            "dispatch.command",
            'The back-end "command" and its command belong together.',
        ),
        (
            'dispatch.backend = "actions"',
            1,
            "dispatch.backend",
            "Machines that share an agent's work meet at a remote, and there is none.",
        ),
        (
            'project.remote = "origin"\ndispatch.backend = "actions"\nworktrees.setup = ["make"]',
            3,
            "worktrees.setup",
            "It is for trees on this machine; agents work on others.",
        ),
        (
            'project.remote = "origin"\ndispatch = { backend = "command", command = "sbatch x" }',
            2,
            "dispatch.command",
            "The command does not say which run is to be worked.",
        ),
        ('ship.method = "squash"', 1, "ship.method", "A squash merge loses which member wrote what."),
    ],
)
def test_settings_that_contradict_each_other_are_refused(text: str, line: int, key: str, against: str) -> None:
    """I-06: a setting that another one makes void is refused, not ignored."""
    with pytest.raises(ConfigError) as caught:
        parse_settings(text)
    assert caught.value.asked == f"gitsched.toml, line {line}: '{key}' was to be read."
    assert caught.value.against == against


@pytest.mark.parametrize(
    "text",
    [
        GATE,
        'suite.run = "none"',
        'suite = { run = "x {report}", report = "junit", rerun = "x {report} {tests}" }',
        'agents.default = "codex"',
        '[agents]\ndefault = "mine"\n[agents.mine]\ncommand = "x {model}"\ntiers.mid.model = "big"',
        '[agents.codex.tiers.mid]\nmodel = "big"',
    ],
)
def test_settings_that_agree_are_taken(text: str) -> None:
    parse_settings(text)
