"""A clone and the remote that is its authority."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.calling import Project, call
from tests.real_git import run_git

pytestmark = pytest.mark.usefixtures("sound")


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
    before = run_git(other, "for-each-ref"), run_git(other, "count-objects")
    for words in (("status",), ("status", "--json"), ("plan",), ("why", 1), ("log",), ("show", 1)):
        ended = call("-C", other, *words)
        assert (ended.code, ended.out) == (1, ""), words
        assert "`gitsched sync` fetches it." in ended.err
    after = run_git(other, "for-each-ref"), run_git(other, "count-objects")
    assert after == before, "a reading verb writes nothing"
    told = call("-C", other, "sync")
    assert (told.code, told.out) == (0, "This clone has what 'origin' has: 1 entry.\n")
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


def test_s_14_two_clones_that_worked_apart_meet(project: Project, tmp_path: Path) -> None:
    """S-14: each with `remote = ""`; ids do not clash, an issue that both worked is named, and fsck finds nothing."""
    remote, other = tmp_path / "remote.git", tmp_path / "other"
    run_git(tmp_path, "clone", "-q", "--bare", project.repo, remote)
    run_git(project.repo, "remote", "add", "origin", remote)
    alone = (project.repo / "gitsched.toml").read_text()
    shared = alone.replace("[project]", '[project]\nremote = "origin"', 1)
    (project.repo / "gitsched.toml").write_text(shared)
    project.issues(5)
    assert project("enqueue", 1).code == 0
    run_git(tmp_path, "clone", "-q", remote, other)
    (other / "gitsched.toml").write_text(shared)
    assert call("-C", other, "sync").code == 0
    for place in (project.repo, other):
        (place / "gitsched.toml").write_text(alone)
    assert call("-C", project.repo, "enqueue", 2, 3).code == 0
    assert call("-C", other, "enqueue", 3, 4, "--open").code == 0
    assert call("-C", other, "issue", "new", "--title", "Apart").out == "6\n"
    for place in (project.repo, other):
        (place / "gitsched.toml").write_text(shared)
    refused = call("-C", other, "enqueue", 5)
    assert (refused.code, "`gitsched sync` joins the two" in refused.err) == (1, True)
    assert "has taken in what this clone did apart" in call("-C", project.repo, "sync").out
    assert "Both sides worked issue 3: held as record-conflict" in call("-C", other, "sync").out
    status = call("-C", other, "status", "--json").document
    assert [entry["issue"] for entry in status["entries"]] == [1, 2, 3, 4]
    assert len({batch["id"] for batch in status["batches"]}) == 2
    assert call("-C", other, "issue", "show", 6).code == 0
    assert call("-C", other, "fsck").code == 0, call("-C", other, "fsck").out
    assert call("-C", project.repo, "sync").code == 0
    assert call("-C", project.repo, "status", "--json").document["entries"] == status["entries"]


def test_a_remote_that_was_set_back_is_not_followed(project: Project, tmp_path: Path) -> None:
    """Verbs that ask it refuse, status goes on showing what is here, and `sync` gives it the newer state back."""
    remote = tmp_path / "remote.git"
    run_git(tmp_path, "clone", "-q", "--bare", project.repo, remote)
    run_git(project.repo, "remote", "add", "origin", remote)
    text = (project.repo / "gitsched.toml").read_text().replace("[project]", '[project]\nremote = "origin"', 1)
    (project.repo / "gitsched.toml").write_text(text)
    project.issues(3)
    for issue in (1, 2, 3):
        assert project("enqueue", issue).code == 0
    last = run_git(remote, "rev-parse", "refs/gitsched/state")
    run_git(remote, "update-ref", "refs/gitsched/state", "refs/gitsched/state~2")
    for words in (("run", "--until-idle"), ("tick",), ("pause", "--reason", "looking")):
        refused = project(*words)
        assert refused.code == 1, words
        assert "Its state was set back: it was at" in refused.err
        assert "`gitsched sync` gives it this clone's newer one" in refused.err
    assert len(project("status", "--json").document["entries"]) == 3
    assert (project("sync").code, run_git(remote, "rev-parse", "refs/gitsched/state")) == (0, last)
    assert project("pause", "--reason", "looking").code == 0
