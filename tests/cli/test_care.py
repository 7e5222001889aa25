"""The verbs that look after a store, on stores that they may not touch."""

import subprocess

import pytest

from tests.cli.calling import Project
from tests.real_git import Git, run_git

STATE = "refs/gitsched/state"


def newer(project: Project) -> None:
    """Have the store written by a later version."""
    told = run_git(project.repo, "show", f"{STATE}:format").replace('"format":1', '"format":2,"needs":"7.1.0"')
    stream = f"commit {STATE}\ncommitter a <a@b> 0 +0000\ndata 1\nx\nfrom {STATE}^0\nM 100644 inline format\n"
    run_git(project.repo, "fast-import", "--quiet", stdin=f"{stream}data {len(told) + 1}\n{told}\n\n")


def everything(project: Project) -> tuple[dict[str, str], str]:
    return project.refs(), run_git(project.repo, "count-objects", "-v")


@pytest.mark.parametrize(
    "words",
    ["status", "why 1", "show 1", "log", "enqueue 2", "pause", "undo", "gc", "fsck", "fsck --fix", "tick", "run 2"],
)
def test_a_newer_store_is_refused_by_every_verb(project: Project, words: str) -> None:
    """S-24 (newer): any verb says which version is needed and writes nothing, also `gc` and `fsck --fix`."""
    project.issues(2)
    project("enqueue", 1)
    newer(project)
    before = everything(project)
    ended = project(*words.split())
    assert (ended.code, ended.out) == (2, ""), ended.err
    assert "This repository needs gitsched >= 7.1.0." in ended.err
    assert everything(project) == before


def test_gc_says_what_it_did_and_then_that_there_was_nothing(project: Project, git: Git) -> None:
    project.issues(2)
    assert project("run", 1, "--quiet").code == 0
    assert project("gc").out == "1 batches are in the archive now.\n"
    assert project("gc").out == "There was nothing to do.\n"
    assert project("status", "--json").document["batches"] == []
    assert [batch["id"] for batch in project.status()["batches"]] == ["i1"]
    assert project("fsck").out == "Nothing is wrong.\n"
    assert project("run", 2, "--quiet").code == 0
    subprocess.run(["git", "-C", project.repo, "gc", "-q", "--prune=now"], check=True)
    assert project("fsck").code == 0


def test_fsck_shows_what_it_found_and_what_to_do(project: Project) -> None:
    project.issues(1)
    project("run", 1, "--quiet")
    run_git(project.repo, "update-ref", "-d", "refs/notes/gitsched/landings")
    ended = project("fsck")
    assert ended.code == 1
    assert "note-missing" in ended.out
    assert "→ `gitsched fsck --fix`" in ended.out
    ended = project("fsck", "--fix")
    assert ended.code == 0
    assert "mended" in ended.out


def test_an_issue_is_held_and_let_go(project: Project) -> None:
    project.issues(2)
    project("enqueue", 1, 2)
    assert project("hold", 1, "--reason", "the design").out == "1 is held: the design.\n"
    assert project("why", 1, "--json").document["reasons"] != []
    assert project("hold", 9).code == 1
    assert project("unhold", 1).out == "1 goes on.\n"
    assert project("unhold", 1).code == 1
    assert project("undo").out.startswith("Taken back: Let issue 1 go on")
    assert project("run", "--until-idle", "--quiet").code == 1, "a held one waits for a person"
    assert "go on" in project("unhold", 1).out
    assert project("run", "--until-idle", "--quiet").code == 0
