"""A small batch in a repository of every form that users have: it ships, or is refused before anything is written."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.engine.hygiene.fsck import findings_of
from gitsched.wiring.clone import Clone
from tests.cli.calling import CONFIG, Ended, call
from tests.real_git import run_git

AGENT = 'echo "work of $GITSCHED_ISSUE" > "note-$GITSCHED_ISSUE.txt"\n'
"""It commits nothing: what it leaves is committed by the engine, whoever the user is."""
Made = tuple[Path, Path]
"""Where calls are made, and the repository's root."""


class Shop:
    """A repository with some history, its configuration, and what is made of it."""

    def __init__(self, repo: Path, beside: Path) -> None:
        self.repo, self.beside = repo, beside
        for number in range(5):
            (repo / "story.txt").write_text(f"{number}\n" * 50)
            run_git(repo, "add", "-A")
            run_git(repo, "commit", "-q", "-m", f"Chapter {number}")
        self.agent = beside / "agent.sh"
        self.agent.write_text(AGENT)

    def configured(self, root: Path) -> Path:
        """Write the configuration where it belongs, out of git's sight."""
        text = CONFIG.format(agent=self.agent, trees=self.beside / "trees", merge="direct", completion="exit")
        (root / "gitsched.toml").write_text(text)
        git_dir = Path(run_git(root, "rev-parse", "--absolute-git-dir"))
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info/exclude").write_text("gitsched.toml\n")
        return root

    def cloned(self, *words: str) -> Path:
        run_git(self.beside, "clone", "-q", *words, self.repo.as_uri(), "clone")
        return self.configured(self.beside / "clone")


@pytest.fixture
def shop(repo: Path, tmp_path: Path) -> Shop:
    (tmp_path / "beside").mkdir()
    return Shop(repo, tmp_path / "beside")


def bare(shop: Shop) -> Made:
    # Git then finds no bare repository by itself; the engine names the one it means.
    run_git(shop.repo, "config", "--global", "safe.bareRepository", "explicit")
    subprocess.run(["git", "clone", "-q", "--bare", shop.repo, shop.beside / "bare.git"], check=True)
    place = shop.beside / "bare.git"
    text = CONFIG.format(agent=shop.agent, trees=shop.beside / "trees", merge="direct", completion="exit")
    (place / "gitsched.toml").write_text(text)
    return place, place


def linked(shop: Shop) -> Made:
    shop.configured(shop.repo)
    run_git(shop.repo, "worktree", "add", "-q", "-b", "side", shop.beside / "linked")
    (shop.beside / "linked/deep").mkdir()
    return shop.beside / "linked/deep", shop.repo


def shallow(shop: Shop) -> Made:
    place = shop.cloned("--depth=1")
    assert run_git(place, "rev-parse", "--is-shallow-repository") == "true"
    return place, place


def partial(shop: Shop) -> Made:
    run_git(shop.repo, "config", "uploadpack.allowFilter", "true")
    run_git(shop.repo, "config", "uploadpack.allowAnySHA1InWant", "true")
    place = shop.cloned("--filter=blob:none")
    assert "partialclone" in run_git(place, "config", "--list").lower()
    return place, place


def packed(shop: Shop) -> Made:
    shop.configured(shop.repo)
    run_git(shop.repo, "gc", "-q", "--prune=now")
    run_git(shop.repo, "pack-refs", "--all")
    return shop.repo, shop.repo


def maintained(shop: Shop) -> Made:
    shop.configured(shop.repo)
    run_git(shop.repo, "commit-graph", "write", "--reachable")
    run_git(shop.repo, "maintenance", "run", "--task=loose-objects")
    run_git(shop.repo, "maintenance", "run", "--task=loose-objects", "--task=incremental-repack")
    return shop.repo, shop.repo


def alternates(shop: Shop) -> Made:
    place = shop.beside / "clone"
    run_git(shop.beside, "clone", "-q", "--shared", shop.repo, "clone")
    assert (place / ".git/objects/info/alternates").is_file()
    return shop.configured(place), place


def nobody(shop: Shop) -> Made:
    """No name, no address, from nowhere."""
    shop.configured(shop.repo)
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_"))]:
        del os.environ[name]
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\tuseConfigOnly = true\n")
    return shop.repo, shop.repo


def hooked(shop: Shop) -> Made:
    """The hooks of a commit fail, and leave a mark; an act of the engine's own starts none. Signing fails as well."""
    shop.configured(shop.repo)
    hooks = shop.beside / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-rewrite"):
        (hooks / name).write_text(f'#!/bin/sh\necho {name} >> "{shop.beside}/hooks-ran"\nexit 1\n')
        (hooks / name).chmod(0o755)
    run_git(shop.repo, "config", "core.hooksPath", str(hooks))
    run_git(shop.repo, "config", "commit.gpgSign", "true")
    run_git(shop.repo, "config", "gpg.program", "/bin/false")
    return shop.repo, shop.repo


def one_case(shop: Shop) -> Made:
    """As on a file system that does not tell `a` from `A`."""
    shop.configured(shop.repo)
    run_git(shop.repo, "config", "core.ignoreCase", "true")
    run_git(shop.repo, "config", "core.precomposeUnicode", "true")
    return shop.repo, shop.repo


def converted(shop: Shop) -> Made:
    """Line ends, worktree configuration and replaced objects are a user's business."""
    shop.configured(shop.repo)
    run_git(shop.repo, "config", "core.autocrlf", "true")
    run_git(shop.repo, "config", "extensions.worktreeConfig", "true")
    run_git(shop.repo, "replace", "main~1", "main~3")
    return shop.repo, shop.repo


FORMS = (bare, linked, shallow, partial, packed, maintained, alternates, nobody, hooked, one_case, converted)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_batch_ships_in_a_repository_of_this_form(shop: Shop, form: Callable[[Shop], Made]) -> None:
    """S-27 (works): two members land and ship, nobody is asked anything, and fsck is clean."""
    environment = dict(os.environ)
    try:
        place, root = form(shop)
        for number in (1, 2):
            assert call("-C", place, "issue", "new", "--title", f"Issue {number}").out == f"{number}\n"
        ended = call("-C", place, "run", 1, 2, "--quiet")
        assert ended.code == 0, (ended.err, call("-C", place, "status", "--all").out)
        assert run_git(root, "--git-dir", git_dir(root), "show", "main:note-2.txt") == "work of 2"
        listed = call("-C", place, "status", "--all", "--json").document
        assert [entry["status"] for entry in listed["entries"]] == ["done", "done"]
        assert findings_of(Clone(place).premises()) == ()
        assert call("-C", place, "gc").code == 0
        run_git(root, "--git-dir", git_dir(root), "gc", "-q", "--prune=now")
        assert findings_of(Clone(place).premises()) == ()
        assert not (shop.beside / "hooks-ran").exists()
    finally:
        os.environ.clear()
        os.environ.update(environment)


def git_dir(root: Path) -> str:
    return str(root / ".git") if (root / ".git").exists() else str(root)


def refused(place: Path, *words: str | int) -> Ended:
    ended = call("-C", place, *words)
    assert ended.code in (1, 2), ended
    assert ended.out == ""
    return ended


def test_a_sha256_repository_is_refused_with_what_to_do(shop: Shop) -> None:
    """S-27 (sha256): libgit2 cannot read one; nothing is written, and the command that helps is named."""
    place = shop.beside / "long"
    run_git(shop.beside, "init", "-q", "--object-format=sha256", "long")
    run_git(place, "commit", "-q", "--allow-empty", "-m", "Begin")
    shop.configured(place)
    files = sorted(map(str, place.rglob("*")))
    for words in (("status",), ("run", 1), ("fsck", "--fix"), ("gc",), ("issue", "new", "--title", "x")):
        assert "git init --object-format=sha1" in refused(place, *words).err
    assert sorted(map(str, place.rglob("*"))) == files


def test_a_reftable_repository_is_refused_with_what_to_do(shop: Shop) -> None:
    """S-27 (reftable): a git that has none cannot make one, but its mark in the configuration is known."""
    shop.configured(shop.repo)
    run_git(shop.repo, "config", "core.repositoryFormatVersion", "1")
    with (shop.repo / ".git/config").open("a") as config:
        config.write("[extensions]\n\trefStorage = reftable\n")
    before = sorted(map(str, shop.repo.rglob("*")))
    for words in (("status",), ("run", 1), ("gc",), ("issue", "new", "--title", "x")):
        assert "git refs migrate --ref-format=files" in refused(shop.repo, *words).err
    assert sorted(map(str, shop.repo.rglob("*"))) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to somebody else")
def test_another_users_repository_is_refused_until_it_is_trusted(shop: Shop) -> None:
    """S-27 (owner): git's own protection holds for us; the line that lifts it is named, and then it works."""
    shop.configured(shop.repo)
    subprocess.run(["chown", "-R", "12345", shop.repo], check=True)
    before = sorted(map(str, shop.repo.rglob("*")))
    for words in (("issue", "new", "--title", "One"), ("run", 1)):
        assert f"safe.directory '{shop.repo}" in refused(shop.repo, *words).err
    assert sorted(map(str, shop.repo.rglob("*"))) == before
    with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a") as config:
        config.write(f"[safe]\n\tdirectory = {shop.repo}\n\tdirectory = {shop.repo}/.git\n")
    assert call("-C", shop.repo, "issue", "new", "--title", "One").code == 0
    assert call("-C", shop.repo, "run", 1, "--quiet").code == 0
    shutil.rmtree(shop.repo)
