"""Evidence: whole from any clone, and what was changed is named; without space nothing is lost."""

import json
from pathlib import Path

import pytest

from gitsched.domain.ids import evidence_ref
from tests.cli.calling import Project, call
from tests.real_git import Git

REF = evidence_ref("i1")


@pytest.fixture
def shipped(project: Project) -> Project:
    """Ship one issue."""
    project.issues(1)
    assert project("run", 1).code == 0
    return project


def test_evidence_tells_all_of_a_run(shipped: Project, git: Git) -> None:
    """Hashes of prompt and issue text, command, log, diff, heads, usage, timeline; no text unless asked for."""
    told = json.loads(git(shipped.repo, "show", f"{REF}:runs/1/0/run.json"))
    assert {"prompt_sha256", "issue_sha256", "command", "base", "head", "commits", "usage", "spawned_at"} <= set(told)
    assert "note-1.txt" in git(shipped.repo, "show", f"{REF}:runs/1/0/diff")
    manifest = json.loads(git(shipped.repo, "show", f"{REF}:manifest.json"))
    assert {"runs/1/0/run.json", "runs/1/0/log", "runs/1/0/diff"} <= set(manifest)
    assert not [path for path in manifest if path.endswith("prompt.md")]


def test_evidence_is_verified_from_a_fresh_clone_by_somebody_else(
    shipped: Project, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user who has fetched refs/gitsched proves the same, without any configuration."""
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace Guest")
    other = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(shipped.repo), str(other))
    git(other, "fetch", "-q", "origin", "refs/gitsched/*:refs/gitsched/*")
    proven = call("-C", other, "evidence", "verify", "i1")
    assert proven.code == 0, proven.err
    assert "is whole" in proven.out
    document = call("-C", other, "evidence", "verify", "i1", "--json").document
    assert (document["runs"], document["faults"]) == (1, [])


def _rewrite(git: Git, repo: Path, changes: dict[str, str | None]) -> None:
    """Put other contents into the evidence, as a forger would, in a commit of the same form."""
    forge = repo.parent / "forged"
    git(repo, "worktree", "add", "-q", "--detach", str(forge), REF)
    for path, text in changes.items():
        if text is None:
            (forge / path).unlink()
        else:
            (forge / path).write_text(text)
    git(forge, "add", "-A")
    git(forge, "commit", "-q", "-m", "Nothing to see")
    git(repo, "update-ref", REF, git(forge, "rev-parse", "HEAD"))
    git(repo, "worktree", "remove", "--force", str(forge))


def test_a_32_one_changed_byte_is_named(shipped: Project, git: Git) -> None:
    """A-32: the file is named and the exit code is 1; so is one that is gone, or that nobody put there."""
    log = git(shipped.repo, "show", f"{REF}:runs/1/0/log")
    _rewrite(git, shipped.repo, {"runs/1/0/log": log + "x"})
    refused = shipped("evidence", "verify", "i1")
    assert refused.code == 1
    assert "runs/1/0/log is not what the manifest says." in refused.out.splitlines()
    _rewrite(git, shipped.repo, {"runs/1/0/log": None, "runs/1/0/more": "x"})
    told = shipped("evidence", "verify", "i1").out.splitlines()
    assert "runs/1/0/log is missing, and the manifest names it." in told
    assert "runs/1/0/more is not in the manifest." in told


def test_a_forger_who_mends_the_manifest_is_found_by_the_journal(shipped: Project, git: Git) -> None:
    """File and manifest agree with each other, and not with what the state says of them."""
    from hashlib import sha256

    manifest = json.loads(git(shipped.repo, "show", f"{REF}:manifest.json"))
    manifest["runs/1/0/log"] = {"sha256": sha256(b"all was well\n").hexdigest(), "size": 13}
    _rewrite(git, shipped.repo, {"runs/1/0/log": "all was well\n", "manifest.json": json.dumps(manifest)})
    told = shipped("evidence", "verify", "i1")
    assert (told.code, told.out.strip()) == (1, "runs/1/0 is not what the journal says that it was.")
    git(shipped.repo, "update-ref", "-d", REF)
    assert "runs/1/0 is missing, and the journal names it." in shipped("evidence", "verify", "i1").out


def test_a_batch_without_evidence_says_so(project: Project) -> None:
    project.issues(1)
    assert project("enqueue", 1, "--batch", "b1").code == 0
    refused = project("evidence", "verify", "b1")
    assert (refused.code, refused.sentences[1]) == (1, "There is none.")
