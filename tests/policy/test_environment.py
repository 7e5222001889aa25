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


_SECRET_NAMES = (
    *("X_TOKEN", "apikey", "MY_API_KEY", "DB_PASS", "KEY", "CLIENT_SECRET_V2", "MYTOKEN"),
    # those of well-known tools and services, as they document them
    *(
        "MYSQL_PWD",
        "SSHPASS",
        "PGPASSWORD",
        "PGPASSFILE",
        "PGSSLKEY",
        "REDISCLI_AUTH",
        "RESTIC_PASSWORD",
        "LDAP_BIND_PW",
    ),
    *("BORG_PASSPHRASE", "RCLONE_CONFIG_PASS", "RABBITMQ_DEFAULT_PASS", "DOCKER_AUTH_CONFIG", "NPM_CONFIG__AUTH"),
    *("NGROK_AUTHTOKEN", "SYSTEM_ACCESSTOKEN", "AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE", "CI_JOB_JWT"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS", "SENTRY_DSN"),
    *("OP_SESSION_my", "BW_SESSION", "KRB5CCNAME", "GNOME_KEYRING_CONTROL", "VSCODE_GIT_IPC_HANDLE", "SSH_ASKPASS"),
    *("TF_VAR_db_pwd", "SOPS_AGE_KEY", "GPG_PASSPHRASE", "HTTP_AUTHORIZATION", "WIFI_PSK", "SLACK_WEBHOOK_URL"),
)


@pytest.mark.parametrize("name", _SECRET_NAMES)
def test_names_that_look_secret(name: str) -> None:
    assert looks_secret(name)


_ORDINARY_NAMES = (
    *("PWD", "OLDPWD", "KEYBOARD", "PATH", "AUTHOR", "PASSIVE", "MONKEY", "DBUS_SESSION_BUS_ADDRESS", "XDG_SESSION_ID"),
    *("OTP_VERSION", "PW_TEST_REPORT", "SAS_ROOT", "BYPASS", "DESKTOP_SESSION", "INIT_CWD"),
)


@pytest.mark.parametrize("name", _ORDINARY_NAMES)
def test_names_that_do_not(name: str) -> None:
    assert not looks_secret(name, "https://example.org/x:y@z")


@pytest.mark.parametrize(
    "value",
    [
        "https://ghs0123456789@example.org/o/r.git",
        "https://ada:pass@example.org/simple",
        "redis://:pass@example.org",
        "amqp://ada:pass@example.org/vhost",
        "https://example.org/hook?x=1&access_token=abc",
        "https://example.org/blob?sv=1&sig=abc%3D",
        "AccountName=x;AccountKey=abc==;EndpointSuffix=example.org",
        "Server=db;User Id=ada;Password=pass;",
        "ghp_0123456789abcdef",
        "sk-ant-api03-0123456789",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.sig",
        "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
    ],
)
def test_values_that_look_secret_whatever_their_name(value: str) -> None:
    assert looks_secret("PLAIN", value)


@pytest.mark.parametrize(
    "value",
    [
        "https://example.org/a@b",
        "ssh://git@example.org/o/r.git",
        "git@example.org:o/r.git",
        "postgres://ada@example.org/db",
        "http://localhost:8080/?page=2",
        "/usr/bin:/home/ada/task-runner-0123456789",
        "/opt/sk-toolkit-0123456789/bin:/usr/bin",
        "-Dkey=value",
    ],
)
def test_values_that_do_not(value: str) -> None:
    assert not looks_secret("PLAIN", value)
