"""Evidence: whole from any clone, and what was changed is named; without space nothing is lost."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gitsched.codec.signatures import public_half
from gitsched.domain.ids import evidence_ref
from gitsched.wiring.clone import open_clone
from tests.cli.calling import Project, call
from tests.golden import ROOT
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


@pytest.mark.parametrize("of", ["runs/1/0", "checks/suite/"])
def test_a_forger_who_mends_the_manifest_is_found_by_the_journal(shipped: Project, git: Git, of: str) -> None:
    """File and manifest agree with each other, and not with what the state says of a run, or of a check."""
    manifest = json.loads(git(shipped.repo, "show", f"{REF}:manifest.json"))
    (log,) = (path for path in manifest if path.startswith(of) and path.endswith("/log"))
    manifest[log] = {"sha256": sha256(b"all was well\n").hexdigest(), "size": 13}
    _rewrite(git, shipped.repo, {log: "all was well\n", "manifest.json": json.dumps(manifest)})
    told, folder = shipped("evidence", "verify", "i1"), log.removesuffix("/log")
    assert (told.code, told.out.strip()) == (1, f"{folder} is not what the journal says that it was.")
    git(shipped.repo, "update-ref", "-d", REF)
    assert f"{folder} is missing, and the journal names it." in shipped("evidence", "verify", "i1").out


NOBODY = 65534


def _as_nobody(place: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run something as a user who owns nothing here; its home is below `place`."""
    words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv]
    env = {"PATH": os.environ["PATH"], "HOME": str(place / "home"), "PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    return subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def elsewhere(shipped: Project, git: Git) -> Iterator[Path]:
    """Give a folder that another user can read, with the clone that she fetched, or skip where there is no other."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can be somebody else")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else "/tmp") as made:
        place = Path(made)
        place.chmod(0o755)
        if _as_nobody(place, sys.executable, "-c", "import gitsched.cli.main").returncode != 0:
            pytest.skip("this Python is its owner's alone")
        git(place, "clone", "-q", "--mirror", str(shipped.repo), "origin.git")
        for folder in ("home", "work"):
            (place / folder).mkdir()
            os.chown(place / folder, NOBODY, NOBODY)
        (place / "home/.gitconfig").write_text("[safe]\n\tdirectory = *\n")
        cloned = _as_nobody(place, "git", "clone", "-q", "origin.git", "work/clone")
        assert cloned.returncode == 0, cloned.stderr
        yield place


def test_evidence_is_verified_by_a_user_of_another_id(shipped: Project, elsewhere: Path, git: Git) -> None:
    """She has her own clone, another home and no right to anything of ours; one changed byte is named to her too."""
    everything = "+refs/gitsched/*:refs/gitsched/*"
    verify = (sys.executable, "-m", "gitsched", "-C", "work/clone", "evidence", "verify", "i1")
    found = []
    for said in (None, "nothing happened\n"):
        if said is not None:
            _rewrite(git, shipped.repo, {"runs/1/0/log": said})
            git(elsewhere / "origin.git", "fetch", "-q", "origin", everything)
        fetched = _as_nobody(elsewhere, "git", "-C", "work/clone", "fetch", "-q", "origin", everything)
        assert fetched.returncode == 0, fetched.stderr
        found.append(_as_nobody(elsewhere, *verify))
    assert (elsewhere / "work/clone/.git").stat().st_uid == NOBODY
    assert (found[0].returncode, "is whole" in found[0].stdout) == (0, True), found[0].stderr
    assert (found[1].returncode, found[1].stdout.splitlines()[0]) == (
        1,
        "runs/1/0/log is not what the manifest says.",
    )


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
