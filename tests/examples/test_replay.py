"""The replay of a published release, both ways: under `make real` only, for it asks the package registry."""

import os
import pwd
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.examples.example import REPLAY

UNREACHABLE = 75


@pytest.fixture(scope="module")
def sdists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch the releases once. pip finds its registry where the person's own configuration names one."""
    folder = tmp_path_factory.mktemp("sdists")
    person = {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")} | person
    ended = called(folder, environment, "--fetch", "--sdists", ".")
    if ended.returncode == UNREACHABLE:
        pytest.skip(ended.stderr.strip())
    assert ended.returncode == 0, ended.stderr
    return folder


def called(folder: Path, environment: Mapping[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(REPLAY / "replay.py"), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def replay(folder: Path, *arguments: str) -> str:
    ended = called(folder, os.environ, *arguments)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.real
@pytest.mark.timeout(900)
def test_a_release_ships_byte_for_byte(tmp_path: Path, sdists: Path) -> None:
    assert "The target is the newer release, byte for byte" in replay(tmp_path, "--sdists", str(sdists))


@pytest.mark.long
@pytest.mark.real
@pytest.mark.timeout(900)
def test_one_broken_member_is_evicted_alone(tmp_path: Path, sdists: Path) -> None:
    told = replay(tmp_path, "--sdists", str(sdists), "--corrupt", "9")
    assert "The target is the newer release without member 9" in told
    assert "gate-failed:quick" in told


@pytest.mark.long
@pytest.mark.real
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (("--corrupt", "9", "11"), "The target is the newer release without member 9 and 11"),
        (("--fault", "pair"), "The target is the newer release without member 10"),
        (("--fault", "flaky"), "Everything shipped"),
        (("--fault", "base-red"), "The batch is blocked base-red, and nobody was evicted"),
    ],
)
def test_what_the_suite_alone_can_find(tmp_path: Path, sdists: Path, arguments: tuple[str, ...], outcome: str) -> None:
    assert outcome in replay(tmp_path, "--sdists", str(sdists), *arguments)
