"""Opening repositories of every kind, and reading and writing their objects to the byte."""

from functools import partial
from pathlib import Path

import pytest

from gitsched.adapters.git.lander import GitLander
from gitsched.adapters.git.objects import Leaf, Objects, open_repository, shown
from gitsched.domain.landing import Guards, Proven, Rebased
from gitsched.errors import GitFailedError, RefusedError
from tests.adapters.git.landing_cases import Project, both
from tests.adapters.git.landing_world import ISSUE_7, Story, story
from tests.real_git import Git

__all__ = ["story"]


def test_bare_and_linked_repositories_land_alike(story: Story, git: Git, tmp_path: Path) -> None:
    """A member lands with the same ids from a checkout, a linked worktree, and a bare clone."""
    ours = story.member(lambda p: p.edit("app.py", 1, "one"))
    theirs = story.member(lambda p: p.edit("app.py", 20, "two"))
    path = story.project.path
    git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), story.base)
    git(path, "tag", "ours", ours.pinned)
    git(path, "tag", "theirs", theirs.pinned)
    git(tmp_path, "clone", "-q", "--bare", str(path), "bare")
    landings = [GitLander(tmp_path / name).land(theirs, ours.pinned, ISSUE_7) for name in ("project", "linked", "bare")]
    assert isinstance(landings[0], Rebased)
    assert landings[0] == landings[1] == landings[2]


def test_a_partial_clone_brings_in_what_is_needed(story: Story, git: Git, tmp_path: Path) -> None:
    """Contents that a partial clone left out are fetched; what is nowhere is told by git's words."""
    first = story.member(lambda p: p.edit("app.py", 1, "one"))
    second = story.member(lambda p: p.edit("app.py", 20, "two"))
    path = story.project.path
    git(path, "config", "uploadpack.allowFilter", "true")
    git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(path, "branch", "first", first.pinned)
    git(path, "branch", "second", second.pinned)
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{path}", "partial")
    lander = GitLander(tmp_path / "partial")
    landing = lander.land(second, first.pinned, ISSUE_7)
    assert isinstance(landing, Rebased)
    assert lander.prove(second, first.pinned, landing) == Proven()
    assert lander.own_hazards(second, Guards()) == ()
    with pytest.raises(GitFailedError):
        lander.tree_of("1" * 40)


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    """A folder without a repository is refused with the reason, not with a fault of ours."""
    with pytest.raises(RefusedError, match="was to be opened"):
        open_repository(tmp_path / "nothing")


def test_trees_are_written_as_git_writes_them(story: Story) -> None:
    """Names sort as bytes, a folder as if it ended in a slash; writing what was read gives the same tree."""
    names = ("a/b", "a.txt", "a-b", "ä", "sub/deep/er")
    work = story.member(both(*(partial(Project.write, name=name, content="x\n") for name in names)))
    objects = Objects(open_repository(story.project.path))
    tree = objects.tree_of(work.pinned)
    entries = dict(reversed(objects.tree(tree).items()))
    assert objects.write_tree(entries) == tree


def test_commits_are_written_as_they_were_read(story: Story) -> None:
    """Reading a commit and writing it gives the same id."""
    objects = Objects(open_repository(story.project.path))
    assert objects.write_commit(objects.commit(story.base)) == story.base


def test_changes_tell_files_that_became_folders(story: Story) -> None:
    """A file in the place of a folder is told by every path that comes or goes."""
    first = story.member(lambda p: p.write("x", "1\n"))
    second = story.member(lambda p: p.remove("x"), lambda p: p.write("x/y", "2\n"), cut=first.pinned)
    objects = Objects(open_repository(story.project.path))
    changes = objects.changes(objects.tree_of(first.pinned), objects.tree_of(second.pinned))
    assert [(change.path, change.old is None, change.new is None) for change in changes] == [
        (b"x", False, True),
        (b"x/y", True, False),
    ]
    assert isinstance(changes[0].old, Leaf)


def test_paths_can_always_be_shown() -> None:
    """A name that is no UTF-8 is shown with its bytes."""
    assert shown(b"gr\xf6\xdfe") == "gr\\xf6\\xdfe"
