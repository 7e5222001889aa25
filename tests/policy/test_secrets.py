"""Which paths look like secrets."""

import pytest

from gitsched.policy.secrets import secret_looking


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.production",
        "deploy/.ENV.local",
        "prod.env",
        "server.pem",
        "certs/Server.KEY",
        "id_rsa",
        "id_ed25519.bak",
        "home/.ssh/config",
        ".aws/config",
        ".netrc",
        "credentials",
        "config/credentials.yml",
        "config/credentials.yml.enc/../secrets.json",
        "my-credentials.json",
        "gcp-service-account-prod.json",
        "a/.kube/config",
        "terraform.tfstate.backup",
    ],
)
def test_secret(path: str) -> None:
    assert secret_looking(path)


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        ".env.example",
        ".env.production.sample",
        "id_rsa.pub",
        "gitsched/policy/secrets.py",
        "src/credentials.ts",
        "docs/secrets.md",
        "keyboard.keys.py",
        "environment.py",
        "x.ssh/config",
        "monkey",
    ],
)
def test_no_secret(path: str) -> None:
    assert not secret_looking(path)
