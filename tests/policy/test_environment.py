"""Which variables an agent gets, and which of them are secrets."""

import pytest

from gitsched.policy.environment import agent_environment, looks_secret

IDENTITY = {"GITSCHED_BATCH": "b1", "GITSCHED_ISSUE": "3", "GITSCHED_GEN": "2"}
DRIVER = {
    "PATH": "/bin",
    "HOME": "/home/ada",
    "LANG": "C.UTF-8",
    "TERM": "xterm",
    "VIRTUAL_ENV": "/venv",
    "API_KEY": "k-12345678",
    "GITHUB_TOKEN": "ghs_abc",
    "GH_TOKEN": "gho_abc",
    "NPM_CONFIG__AUTH": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "PGPASSWORD": "x",
    "SSH_AUTH_SOCK": "/tmp/agent",
    "SSH_ASKPASS": "/bin/askpass",
    "ACTIONS_RUNTIME_URL": "https://example.org",
    "DATABASE_URL": "postgres://ada:secret@example.org/db",
    "GIT_DIR": "/elsewhere/.git",
    "GIT_AUTHOR_NAME": "Ada",
    "GITSCHED_BATCH": "outer",
    "GITSCHED_DEBUG": "1",
    "GITSCHED_TEST_CLOCK": "/tmp/clock",
}


def test_ordinary_variables_pass_and_secret_looking_ones_do_not() -> None:
    """R-68 (the environment): no token of the driver is in the agent's environment."""
    env, secrets = agent_environment(DRIVER, ("API_KEY",), IDENTITY)
    assert env == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "VIRTUAL_ENV": "/venv",
        "API_KEY": "k-12345678",
        "GITSCHED_TEST_CLOCK": "/tmp/clock",
        "GITSCHED_BATCH": "b1",
        "GITSCHED_ISSUE": "3",
        "GITSCHED_GEN": "2",
    }
    assert secrets == ("API_KEY",)


def test_what_would_point_at_another_repository_or_run_passes_by_no_name() -> None:
    """R-24 (the environment): a driver started from a git hook hands down none of the hook's variables."""
    named = ("GIT_DIR", "GIT_AUTHOR_NAME", "GITSCHED_BATCH", "MISSING", "PATH")
    env, secrets = agent_environment(DRIVER, named, {})
    assert "GIT_DIR" not in env
    assert "GITSCHED_BATCH" not in env
    assert env["GIT_AUTHOR_NAME"] == "Ada"
    assert secrets == ()


def test_a_named_address_with_a_password_is_a_secret() -> None:
    env, secrets = agent_environment(DRIVER, ("DATABASE_URL", "LANG"), {})
    assert env["DATABASE_URL"] == DRIVER["DATABASE_URL"]
    assert secrets == ("DATABASE_URL",)


@pytest.mark.parametrize("name", ["X_TOKEN", "apikey", "MY_API_KEY", "DB_PASS", "KEY", "CLIENT_SECRET_V2", "MYTOKEN"])
def test_names_that_look_secret(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", ["PWD", "KEYBOARD", "PATH", "AUTHOR", "PASSIVE", "MONKEY", "DBUS_SESSION_BUS_ADDRESS"])
def test_names_that_do_not(name: str) -> None:
    assert not looks_secret(name, "https://example.org/x:y@z")
