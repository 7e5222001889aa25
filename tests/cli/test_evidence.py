"""Evidence: whole from any clone, and what was changed is named; without space nothing is lost."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gitsched.codec.signatures import public_half
from gitsched.domain.ids import evidence_ref
from gitsched.wiring.clone import open_clone
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


def _with_key(project: Project) -> str:
    """Have evidence signed with a new key, and give its public half."""
    key, file = Ed25519PrivateKey.generate(), project.home / "key"
    file.touch(mode=0o600)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    project.configure(f'[evidence]\nsign_key = "{file}"\n')
    return public_half(key)


def test_signed_evidence_is_proven_by_another_user(project: Project, git: Git, tmp_path: Path) -> None:
    """Who trusts the key sees by whom it is signed; a forger who mends everything he can has no signature."""
    public = _with_key(project)
    project.issues(1)
    assert project("run", 1).code == 0
    other = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(project.repo), str(other))
    git(other, "fetch", "-q", "origin", "refs/gitsched/*:refs/gitsched/*")
    (other / "gitsched.toml").write_text(f'[evidence]\nkeys = ["{public} the night machine"]\n')
    proven = call("-C", other, "evidence", "verify", "i1")
    assert (proven.code, proven.err) == (0, "")
    assert proven.out.endswith(f"It is signed by {public} the night machine.\n")
    assert call("-C", other, "evidence", "verify", "i1", "--json").document["signed_by"].startswith(public)
    assert call("-C", other, "show", "i1", "--evidence").code == 0
    manifest = json.loads(git(other, "show", f"{REF}:manifest.json"))
    manifest["runs/1/0/report"] = {"sha256": sha256(b"green\n").hexdigest(), "size": 6}
    _rewrite(git, other, {"manifest.json": json.dumps(manifest)})
    refused = call("-C", other, "evidence", "verify", "i1")
    assert (refused.code, "manifest.json is signed by none of `evidence.keys`." in refused.out) == (1, True)


def test_nobody_signs_what_somebody_else_has_put_there(shipped: Project, git: Git) -> None:
    """Evidence from before the key, or changed by another, stays unsigned though more is added to it."""
    public = _with_key(shipped)
    before = git(shipped.repo, "rev-parse", REF)
    open_clone(shipped.repo).store.keep_evidence("i1", {"runs/1/1/log": b"more\n"}, "Keep more")
    assert git(shipped.repo, "rev-parse", REF) != before
    assert "manifest.sig" not in git(shipped.repo, "ls-tree", "--name-only", REF).split()
    shipped.configure(f'[evidence]\nkeys = ["{public}"]\n')
    assert shipped("evidence", "verify", "i1").code == 1


def test_a_key_that_cannot_be_used_is_told_before_anything_starts(project: Project) -> None:
    """Missing, readable by others, or no Ed25519 key: exit 2, and nothing is driven."""
    project.issues(1)
    _with_key(project)
    (project.home / "key").chmod(0o644)
    told = project("run", 1)
    assert (told.code, "Others than its owner" in told.err) == (2, True)
    (project.home / "key").chmod(0o600)
    (project.home / "key").write_text("no key")
    assert project("run", 1).code == 2
    (project.home / "key").unlink()
    assert (project("run", 1).code, project.status()["batches"]) == (2, [])
