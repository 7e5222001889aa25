"""HEAD of a worktree, with and without asking git."""

from pathlib import Path

from gitsched.adapters.git.head import head_of
from tests.real_git import Git


def test_head_is_found_wherever_git_keeps_it(repo: Path, git: Git, tmp_path: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    assert head_of(str(repo)) == head
    git(repo, "checkout", "-q", "--detach")
    assert head_of(str(repo)) == head
    git(repo, "worktree", "add", "-q", "-b", "side/branch", tmp_path / "side")
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "more")
    assert head_of(str(tmp_path / "side")) == git(repo, "rev-parse", "side/branch") != head
    git(repo, "pack-refs", "--all")
    assert head_of(str(tmp_path / "side")) == git(repo, "rev-parse", "side/branch")


def test_there_may_be_no_head(repo: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    assert head_of(str(tmp_path / "empty")) is None
    assert head_of(str(tmp_path / "missing")) is None
    (tmp_path / "plain").mkdir()
    assert head_of(str(tmp_path / "plain")) is None
    (repo / ".git/HEAD").write_text("rubbish\n")
    assert head_of(str(repo)) is None
