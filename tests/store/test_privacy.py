"""What leaves this machine: evidence, logs and rescued work stay where everybody could read them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.forge.github.memory import Identity, Memory, Snapshot
from gitsched.domain.ids import STATE_REF, evidence_ref
from gitsched.wiring.clone import Clone
from gitsched.wiring.doctor import checkup_of
from tests.real_git import Git
from tests.store.remotes import joined, make_remote, shared, tip
from tests.store.verbs import applied, enqueue

RESCUE = "refs/gitsched/rescue/b1/1/1"
BRANCH = "refs/heads/gitsched/b1/m1-i1"
PUBLIC = Identity(repository_id=1, full_name="a/b", web_url="https://x", default_branch="main", is_public=True)


def test_a_public_remote_gets_state_and_branches_only(repo: Path, tmp_path: Path, git: Git) -> None:
    remote = make_remote(tmp_path, repo)
    store = shared(repo, is_discreet=lambda: True)
    store.keep_evidence("b1", {"1/log": b"words\n"}, "Keep a log")
    for ref in (RESCUE, BRANCH):
        git(repo, "update-ref", ref, "HEAD")
    applied(store.apply(enqueue(1)))
    assert tip(remote, STATE_REF) == tip(repo, STATE_REF)
    assert (tip(remote, BRANCH), tip(remote, RESCUE), tip(remote, evidence_ref("b1"))) == (
        tip(repo, BRANCH),
        None,
        None,
    )
    assert "1/log" in store.evidence("b1"), "it is kept here"
    applied(joined(repo, is_discreet=lambda: False).apply(enqueue(2)))
    assert (tip(remote, RESCUE), tip(remote, evidence_ref("b1"))) == (tip(repo, RESCUE), tip(repo, evidence_ref("b1")))
    git(repo, "update-ref", "-d", RESCUE)
    applied(joined(repo, is_discreet=lambda: True).apply(enqueue(3)))
    assert tip(remote, RESCUE) is None, "what was given away before is taken back where it is gone here"


@pytest.mark.parametrize(
    ("forge", "identity", "publish", "stays"),
    [
        ("github", PUBLIC, False, True),
        ("github", PUBLIC, True, False),
        ("github", None, False, True),
        ("github", replace(PUBLIC, is_public=False), False, False),
        ("local", None, False, False),
    ],
    ids=["public", "published", "not-asked-yet", "private", "local-forge"],
)
def test_what_the_forge_says_decides(
    repo: Path, tmp_path: Path, forge: str, identity: Identity | None, *, publish: bool, stays: bool
) -> None:
    make_remote(tmp_path, repo)
    chosen = f'[project]\ntarget = "main"\nremote = "origin"\nforge = "{forge}"\n'
    (repo / "gitsched.toml").write_text(f"{chosen}[store]\npublish = {str(publish).lower()}\n")
    if identity is not None:
        Memory(repo / ".git").save(Snapshot(identity=identity))
    ports = Clone(repo).shared
    assert ports is not None
    assert ports.is_discreet() is stays


def test_the_doctor_says_which_holds(repo: Path, tmp_path: Path) -> None:
    make_remote(tmp_path, repo)
    (repo / "gitsched.toml").write_text(
        '[project]\ntarget = "main"\nremote = "origin"\n[store]\npushes_per_minute = 6\n'
    )
    look = checkup_of(Clone(repo)).remote
    assert look is not None
    assert (look.name, look.pushes_per_minute, look.is_discreet) == ("origin", 6, False)
