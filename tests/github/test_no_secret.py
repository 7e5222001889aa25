"""What a run by an App has left behind, searched for every token that GitHub gave it and for the App's own key."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gitsched.domain.words import BatchStatus
from tests.github.hub_world import HubWorld

WRAPPER = '#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\nexec {git} "$@"\n'


def argv_of_git(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Note the arguments of every git that anybody starts."""
    folder.mkdir()
    log = folder / "argv"
    (folder / "git").write_text(WRAPPER.format(log=log, git=shutil.which("git")))
    (folder / "git").chmod(0o755)
    patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return log


def objects_of(repository: Path) -> bytes:
    """Give every object of a repository as it is inside, whether a ref names it or not."""
    command = ["git", "-C", str(repository), "cat-file", "--batch-all-objects", "--batch", "--buffer"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def everything_left(world: HubWorld, home: Path, key: Path) -> dict[str, bytes]:
    """Give all files and objects of both sides, comments, and what was asked of GitHub, each by its place."""
    theirs = Path(world.remote.model.path)
    files = {path for root in (home, world.repo, theirs) for path in root.rglob("*") if path.is_file() and path != key}
    return {
        **{str(path): path.read_bytes() for path in files},
        "objects": objects_of(world.repo),
        "objects on GitHub": objects_of(theirs),
        "comments": "\n".join(found.body or "" for found in world.remote.model.comments.values()).encode(),
    }


def run_as_app(world: HubWorld, home: Path) -> Path:
    """Let a batch of an App's go all the way, with GitHub down in between; give the file of the App's key."""
    key = home / "app.pem"
    key.write_text(world.hub.app.private_key)
    key.chmod(0o600)
    as_app = f'[github]\napp_id = {world.hub.app.id}\nprivate_key_file = "{key}"\n'
    world.configure('[ship]\nmerge = "direct"\n')
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[github]\n", as_app, 1))
    (world.repo / "suite.sh").write_text("env\n")
    world.commit("Let the suite show its environment")
    world.issue(3)
    world.agent(3, "env > env.txt; git config --list --show-origin > config.txt; ps -ef > ps.txt")
    world.enqueue(3, batch="b1")
    world.is_patient = True
    world.tick()
    down = world.hub.down()
    for _ in range(3):
        world.tick()
    down.stop()
    world.time.advance(400)
    world.run()
    assert world.batch().status is BatchStatus.DONE
    return key


def test_show_5_no_token_of_an_app_is_left_anywhere(
    world: HubWorld, hermetic: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """G-33 (show 5): neither in argv, URL, config, log, error, object, comment nor in an agent's environment.

    The suite prints its environment, the agent lists configuration and processes, and GitHub is down for a while.
    """
    log = argv_of_git(hermetic / "wrapped", monkeypatch)
    monkeypatch.delenv("GITHUB_TOKEN")
    key = run_as_app(world, hermetic)
    secrets = [token for token in world.hub.world.tokens if token.startswith("ghs_")]
    assert secrets, "the App was given tokens"
    secrets.append(key.read_text().splitlines()[1])
    told, seen = capfd.readouterr(), everything_left(world, hermetic, key)
    assert b"push" in seen[str(log)]
    found = [place for place, content in seen.items() for secret in secrets if secret.encode() in content]
    assert found == []
    assert not [secret for secret in secrets if secret in told.out + told.err or world.hub.audit.leaks(secret)]
