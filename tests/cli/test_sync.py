"""A clone and the remote that is its authority."""

import subprocess
from pathlib import Path

from tests.cli.calling import Project, call
from tests.real_git import run_git


def test_an_unfetched_state_is_no_empty_queue(project: Project, tmp_path: Path) -> None:
    """S-28: in a clone that fetched only branches, status says what is missing and `sync` fetches it."""
    remote, other = tmp_path / "remote.git", tmp_path / "other"
    run_git(tmp_path, "clone", "-q", "--bare", project.repo, remote)
    run_git(project.repo, "remote", "add", "origin", remote)
    text = (project.repo / "gitsched.toml").read_text()
    shared = text.replace("[project]", '[project]\nremote = "origin"', 1)
    (project.repo / "gitsched.toml").write_text(shared)
    project.issues(2)
    assert project("enqueue", 1).code == 0
    run_git(tmp_path, "clone", "-q", remote, other)
    (other / "gitsched.toml").write_text(shared)
    before = run_git(other, "for-each-ref")
    ended = call("-C", other, "status", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "`gitsched sync` fetches it." in ended.err
    assert run_git(other, "for-each-ref") == before, "a reading verb writes nothing"
    told = call("-C", other, "sync")
    assert (told.code, told.out) == (0, "This clone has what 'origin' has: 1 entries.\n")
    assert [entry["issue"] for entry in call("-C", other, "status", "--json").document["entries"]] == [1]


def test_a_remote_without_state_is_told(project: Project, tmp_path: Path) -> None:
    assert "project.remote" in project("sync").err
    assert project("sync").code == 1
    subprocess.run(["git", "clone", "-q", "--bare", project.repo, tmp_path / "remote.git"], check=True)
    run_git(project.repo, "remote", "add", "origin", tmp_path / "remote.git")
    text = (project.repo / "gitsched.toml").read_text().replace("[project]", '[project]\nremote = "origin"', 1)
    (project.repo / "gitsched.toml").write_text(text)
    assert project("sync").out == "'origin' holds no state yet.\n"
    assert project("status", "--json").document["entries"] == [], "now that is known"
