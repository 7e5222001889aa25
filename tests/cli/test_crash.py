"""The report of an internal error holds no secret, by whatever name or form the environment has it."""

from pathlib import Path

import pytest

from gitsched.cli.crash import write_report


@pytest.mark.parametrize(
    ("name", "value"),
    [("GH_PAT", "pat-0123456789"), ("DB_AUTH", "auth-0123456789"), ("MIRROR", "https://me:pw01234@host")],
)
def test_a_report_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """The same variables are secrets here that are kept from agents."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv(name, value)
    file: Path | None = None
    try:
        int(f"it was called with {value}")
    except ValueError:
        file = write_report(["status"])
    assert file is not None
    text = file.read_text()
    assert "it was called with" in text
    assert value not in text
