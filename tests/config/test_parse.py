import msgspec
import pytest

from gitsched.config.parse import parse_settings
from gitsched.config.settings import Settings
from gitsched.errors import ConfigError


def refusal(text: str, filename: str = "gitsched.toml") -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text, filename)
    return caught.value


def test_an_empty_file_is_every_default() -> None:
    assert parse_settings("") == Settings()


def test_a_misspelt_key_is_named_with_file_line_and_the_nearest() -> None:
    """I-05: an unknown key is refused with exit 2, file, line, key and the nearest known key."""
    text = "# what we run\n\n[slots]\nmax = 4\n\n[batch]\nmax_member = 4\n"
    error = refusal(text, "conf/gitsched.toml")
    assert error.exit_code == 2
    assert str(error) == (
        "conf/gitsched.toml, line 7: 'batch.max_member' was to be read. "
        "There is no such key; the nearest is 'batch.max_members'. "
        "Known here: max_members, member_parallelism, default_priority, max_full_review, seal_after, dissolve."
    )


@pytest.mark.parametrize(
    ("text", "line", "key", "nearest"),
    [
        ("[slot]\nmax = 1", 1, "slot", "'slots'"),
        ("slots.maxx = 1", 1, "slots.maxx", "'slots.max'"),
        ("slots = { max = 1, 'per host' = 2 }", 1, "slots.'per host'", "'slots.per_host'"),
        (
            '[[gates]]\nname = "a"\nrun = ["x"]\n[[gates]]\nname = "b"\nrun = ["x"]\nkinds = 1',
            7,
            "gates[2].kinds",
            "'gates[2].kind'",
        ),
        ('[land]\nguards = { size = "1MiB", deletion = 0.1 }', 2, "land.guards.deletion", "'land.guards.deletions'"),
        ('[land.guards]\n"sizes" = "1MiB"', 2, "land.guards.sizes", "'land.guards.size'"),
        ('[agents]\ndefualt = "claude"', 2, "agents.defualt", "'agents.default'"),
        ('[agents.claude]\ncmd = "claude"', 2, "agents.claude.cmd", "'agents.claude.command'"),
        ("[budget.profile.claude]\nusb = 1", 2, "budget.profile.claude.usb", "'budget.profile.claude.usd'"),
        ("[budget.profiles.claude]\nusd = 1", 1, "budget.profiles", "'budget.profile'"),
    ],
)
def test_an_unknown_key_is_found_wherever_it_is_written(text: str, line: int, key: str, nearest: str) -> None:
    error = refusal(text)
    assert error.asked == f"gitsched.toml, line {line}: '{key}' was to be read."
    assert error.against == f"There is no such key; the nearest is {nearest}."


@pytest.mark.parametrize(
    ("value", "against"),
    [
        ("0", "The value 0 is out of range."),
        ("65", "The value 65 is out of range."),
        ("2.5", "The value is a float."),
        ('" 2"', "The value is text."),
        ("true", "The value is a boolean."),
    ],
)
def test_slots_outside_one_to_sixty_four_are_refused(value: str, against: str) -> None:
    """A-10: each wrong `slots.max` is refused with file, line and range."""
    error = refusal(f"\n[slots]\nmax = {value}\n")
    assert error.asked == "gitsched.toml, line 3: 'slots.max' was to be read."
    assert error.against == against
    assert error.remedy == "It takes a whole number from 1 to 64."


@pytest.mark.parametrize("count", [1, 64])
def test_the_ends_of_the_range_are_taken(count: int) -> None:
    """A-10: 1 and 64 are accepted."""
    assert parse_settings(f"slots.max = {count}").slots.max == count


@pytest.mark.parametrize(
    ("text", "line", "key", "against"),
    [
        ("[stall]\ntimeout = 0", 2, "stall.timeout", "The value is an integer."),
        ('[stall]\ntimeout = "0s"', 2, "stall.timeout", "The value '0s' is zero."),
        (
            '[stall]\ntimeout = "5 parsecs"',
            2,
            "stall.timeout",
            "The value '5 parsecs' is not a whole number and a unit like 30s.",
        ),
        ("[agents.a]\ncommand = []", 2, "agents.a.command", "The command is empty."),
        ('[agents.a]\ncommand = ""', 2, "agents.a.command", "The command is empty."),
        ('[agents.a]\ncommand = [" ", "x"]', 2, "agents.a.command", "The command is empty."),
        ('[agents.a]\ncommand = ["x"]\ntier = "huge"', 3, "agents.a.tier", "The value 'huge' is not known."),
        (
            "[agents.claude.tiers.huge]",
            1,
            "agents.claude.tiers.huge",
            "There is no such key; the nearest is 'agents.claude.tiers.strong'.",
        ),
        ('[disk]\nfloor = "2"', 2, "disk.floor", "The value '2' has no unit."),
        ("[disk]\nfloor = 2147483648", 2, "disk.floor", "The value is an integer."),
    ],
)
def test_a_value_that_means_nothing_is_refused_with_line_and_key(text: str, line: int, key: str, against: str) -> None:
    """I-06: zero, unknown units, empty commands, unknown tiers and sizes without unit are refused."""
    error = refusal(text)
    assert error.exit_code == 2
    assert error.asked == f"gitsched.toml, line {line}: '{key}' was to be read."
    assert error.against == against


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[slots]\nmax 4\n", 2, "Expected '=' after a key in a key/value pair."),
        ("[slots]\nmax = 4\nmax = 5\n", 3, "Cannot overwrite a value."),
        ("[slots]\n\nmax = [1,\n2\n\n", 4, "Unclosed array."),
        ("[slots]\nmax = " + "9" * 5000, 2, ""),
    ],
)
def test_a_fault_of_syntax_has_its_line(text: str, line: int, reason: str) -> None:
    error = refusal(text)
    assert error.exit_code == 2
    assert error.asked == f"gitsched.toml, line {line}: no valid TOML."
    assert error.against.startswith(reason)


def test_nesting_without_end_is_refused_not_a_crash() -> None:
    error = refusal("x = " + "[" * 5000)
    assert error.exit_code == 2
    assert error.against == "It is nested too deeply."


@pytest.mark.parametrize(
    ("text", "against", "remedy"),
    [
        ("slots = 4", "The value is an integer.", "It takes a table with the keys max, per_host."),
        (
            "gates = 1979-05-27",
            "The value is a date or time.",
            "It takes an array of tables with the keys name, run, kind, evidence, env, report, timeout.",
        ),
        (
            "gates = [1]",
            "The value is an integer.",
            "It takes a table with the keys name, run, kind, evidence, env, report, timeout.",
        ),
        (
            "stall.phases = []",
            "The value is an array.",
            "It takes a table from a name to text with a unit such as 500ms, 30s, 15m, 2h or 30d, above zero.",
        ),
        (
            "worktrees.keep = 1",
            "The value is an integer.",
            "It takes an array, each element a relative path that stays below the tree's root, such as node_modules.",
        ),
        (
            "suite.run = {}",
            "The value is a table.",
            'It takes a command such as ["make", "test"] or "make test" (split without a shell).',
        ),
        ('suite.run = ["a", 1]', "The value is an integer.", "It takes text without a NUL."),
        ("suite.flaky = 1", "The value is an integer.", 'It takes one of "pass", "block".'),
        ("land.neutralise_closing = 1", "The value is an integer.", "It takes true or false."),
        ("batch.dissolve.fraction = true", "The value is a boolean.", "It takes a number from 0 to 1."),
        ("batch.dissolve.fraction = nan", "The value nan is out of range.", "It takes a number from 0 to 1."),
        ("project.target = 1", "The value is an integer.", "It takes the name of a branch."),
        (
            "disk.floor = true",
            "The value is a boolean.",
            "It takes text with a unit such as 512KiB, 64MiB or 2GiB, 0B included.",
        ),
        (
            "milestones.formats = []",
            "The array is empty.",
            'It takes a non-empty array, each element one of "gitsched", "runstate".',
        ),
        ('labels.block = ["epic", "epic"]', "The array holds it already.", "Write it once."),
        (
            'agents."a b".command = ["x"]',
            "The name does not have its form.",
            "It takes names like [A-Za-z0-9][A-Za-z0-9_-]{0,39}.",
        ),
        (
            'suite.run = "pytest \'"',
            "The command cannot be split: no closing quotation.",
            'It takes a command such as ["make", "test"] or "make test" (split without a shell).',
        ),
        (
            'suite.run = "a\\u0000b"',
            "The command holds a NUL.",
            'It takes a command such as ["make", "test"] or "make test" (split without a shell).',
        ),
        ('suite.run = ["a\\u0000b"]', "The value 'a\\x00b' does not have its form.", "It takes text without a NUL."),
        (
            '[[gates]]\nname = "a"',
            "The table has no key 'run'.",
            'Add `run`: a command such as ["make", "test"] or "make test" (split without a shell).',
        ),
        (
            '[agents.mine]\ntimeout = "1h"',
            "The table has no key 'command'.",
            'Add `command`: a command such as ["make", "test"] or "make test" (split without a shell).',
        ),
    ],
)
def test_a_wrong_type_or_form_says_what_is_taken(text: str, against: str, remedy: str) -> None:
    error = refusal(text)
    assert (error.against, error.remedy) == (against, remedy)


@pytest.mark.parametrize("path", ["/etc", "..", "a/../../b", "../x", "", ".", "a\\\\b"])
def test_a_path_that_leads_out_of_the_tree_is_refused(path: str) -> None:
    assert "does not have its form" in refusal(f'worktrees.keep = ["{path}"]').against


@pytest.mark.parametrize("path", ["node_modules", ".venv", "a/b", "a..b", ".env.test", "ä b"])
def test_a_path_below_the_tree_is_taken(path: str) -> None:
    assert parse_settings(f'worktrees.copy = ["{path}"]').worktrees.copy == (path,)


@pytest.mark.parametrize(
    "branch", ["-x", "a b", "a..b", "a.lock", "/a", "a/", "a//b", "", "a~1", "x.lock/y", "a/.b", "a@{b"]
)
def test_a_target_that_git_would_not_have_is_refused(branch: str) -> None:
    assert "does not have its form" in refusal(f'project.target = "{branch}"').against


@pytest.mark.parametrize("branch", ["main", "release/1.x", "ünïcode", "a-b_c", "v1.0"])
def test_a_target_that_git_would_have_is_taken(branch: str) -> None:
    assert parse_settings(f'project.target = "{branch}"').project.target == branch


def test_a_command_is_an_array_or_a_string_split_without_a_shell() -> None:
    settings = parse_settings(
        'suite.run = "pytest -q \'a b\' $HOME; rm"\n[[gates]]\nname = "x"\nrun = ["a", "", "b c"]'
    )
    assert settings.suite.run == ("pytest", "-q", "a b", "$HOME;", "rm")
    assert settings.gates[0].run == ("a", "", "b c")


def test_no_suite_is_not_the_same_as_a_suite_that_was_waived() -> None:
    undeclared = parse_settings("").suite
    waived = parse_settings('suite.run = "none"').suite
    declared = parse_settings('suite.run = ["none"]').suite
    assert [(s.is_declared, s.is_waived) for s in (undeclared, waived, declared)] == [
        (False, False),
        (True, True),
        (True, False),
    ]


@pytest.mark.parametrize(
    ("text", "phase", "allowance_s"),
    [
        ("", "implement", 5400.0),
        ("", "plan", 1800.0),
        ('stall.timeout = "2h"', "implement", 7200.0),
        ('stall.timeout = "2h"\nstall.phases = { implement = "90m" }', "implement", 5400.0),
        ('stall.phases = { plan = "1m" }', "plan", 60.0),
        ('stall.phases = { plan = "1m" }', "implement", 5400.0),
    ],
)
def test_a_phase_is_allowed_its_own_time_else_the_global_or_its_floor(
    text: str, phase: str, allowance_s: float
) -> None:
    assert parse_settings(text).stall.allowance_s(phase) == allowance_s


def test_settings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        parse_settings("").slots.max = 3  # type: ignore[misc]
    assert msgspec.structs.replace(parse_settings("").slots, max=3).max == 3
