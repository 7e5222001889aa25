"""Opening repositories of every kind, and reading and writing their objects to the byte."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pygit2.enums import ObjectType

from gitsched.adapters.git.lander import GitLander
from gitsched.adapters.git.objects import Commit, Leaf, Objects, open_repository, shown, write_object
from gitsched.domain.landing import Guards, Proven, Rebased
from gitsched.errors import GitFailedError, RefusedError
from tests.adapters.git.landing_cases import Project, both
from tests.adapters.git.landing_world import ISSUE_7, Story, story
from tests.real_git import Git, run_git

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


class Collected:
    """A repository whose empty folders of objects are taken away under whoever writes."""

    def __init__(self, repository: Any, times: int, told: str = "failed to rename: No such file or directory") -> None:
        self.repository, self.times, self.told = repository, times, told

    def write(self, kind: ObjectType, content: bytes) -> Any:
        """Fail so often, then write."""
        self.times -= 1
        if self.times >= 0:
            raise OSError(self.told)
        return self.repository.write(kind, content)


def test_a_folder_that_is_collected_under_a_write_is_made_again(repo: Path) -> None:
    """S-19: garbage collection takes empty folders away; three times in a row a write tries again, then it says so."""
    repository: Any = open_repository(repo)
    oid = write_object(Collected(repository, 3), ObjectType.BLOB, b"kept\n")  # type: ignore[arg-type]
    assert repository[oid].data == b"kept\n"
    with pytest.raises(OSError, match="No such file"):
        write_object(Collected(repository, 4), ObjectType.BLOB, b"lost\n")  # type: ignore[arg-type]
    full = Collected(repository, 1, "No space left on device")
    with pytest.raises(OSError, match="No space"):
        write_object(full, ObjectType.BLOB, b"no room\n")  # type: ignore[arg-type]


def test_whoever_opens_a_repository_writes_nothing(repo: Path) -> None:
    """S-28: also the empty tree is only named, until a commit stands on it."""
    count = run_git(repo, "count-objects")
    objects = Objects(open_repository(repo))
    assert objects.tree(objects.empty_tree) == {}
    assert run_git(repo, "count-objects") == count
    signed = b"A <a@example.org> 0 +0000"
    oid = objects.write_commit(Commit(objects.empty_tree, (), signed, signed, None, b"Begin\n"))
    assert run_git(repo, "ls-tree", oid) == ""
    assert run_git(repo, "cat-file", "-t", objects.empty_tree) == "tree"
