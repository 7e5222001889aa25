"""What happens where two members meet: git's answer, whatever is configured around it."""

from pathlib import Path

from gitsched.domain.landing import (
    Conflict,
    Rebased,
    Terms,
    Work,
)
from tests.adapters.git.landing_cases import LINES, Project, Side
from tests.adapters.git.landing_world import COMMITTER, Story, a_story, issue, rebased_by_git, story
from tests.real_git import Git

__all__ = ["story"]


def _twelve(content: str) -> Side:
    def write(project: Project) -> None:
        for number in range(12):
            project.write(f"n{number:02d}", content)

    return write


def test_a_conflict_names_its_paths(story: Story) -> None:
    """L-15: two members change one line; the second is a conflict that names the file, and nothing moved."""
    first = story.member(lambda p: p.edit("app.py", 5, "one"))
    second = story.member(lambda p: p.edit("app.py", 5, "two"))
    story.land(first, issue(1))
    before = story.onto
    assert story.land(second, issue(2)) == Conflict(("app.py",), second.pinned)
    assert story.onto == before


def test_ten_paths_of_a_conflict_are_named(story: Story) -> None:
    """L-15: a conflict names up to ten paths."""
    first = story.member(_twelve("1\n"))
    second = story.member(_twelve("2\n"))
    story.land(first)
    landing = story.land(second)
    assert isinstance(landing, Conflict)
    assert landing.paths == tuple(f"n{i:02d}" for i in range(10))


def test_a_rename_is_followed(story: Story, git: Git) -> None:
    """L-16: member 1 renames, member 2 edits under the old name; the edit is under the new one."""
    story.land(story.member(lambda p: p.move("app.py", "moved.py")))
    second = story.member(lambda p: p.edit("app.py", 9, "edited"))
    onto = story.onto
    assert isinstance(story.land(second), Rebased)
    assert "edited" in story.show("moved.py")
    git(story.project.path, "checkout", "-q", "-f", "--detach", onto)
    expected = rebased_by_git(story.project.path, onto, story.base, second.pinned)
    assert story.lander.tree_of(story.onto) == git(story.project.path, "rev-parse", f"{expected}^{{tree}}")


def test_union_keeps_both_lines_in_member_order(tmp_path: Path) -> None:
    """L-17: two members append to a file with merge=union; both lines are there, in member order."""
    story = a_story(
        tmp_path,
        lambda p: p.write(".gitattributes", "CHANGELOG.md merge=union\n"),
        lambda p: p.write("CHANGELOG.md", "# Changes\n"),
    )
    first = story.member(lambda p: p.write("CHANGELOG.md", "# Changes\n- one\n"))
    second = story.member(lambda p: p.write("CHANGELOG.md", "# Changes\n- two\n"))
    story.land(first)
    story.land(second)
    assert story.show("CHANGELOG.md") == "# Changes\n- one\n- two"


def test_line_endings_alone_are_no_conflict(tmp_path: Path) -> None:
    """L-31: with text=auto, members whose editors wrote CRLF land, and no file changes as a whole."""
    story = a_story(tmp_path, lambda p: p.write(".gitattributes", "* text=auto\n"), lambda p: p.write("a.txt", LINES))
    crlf = LINES.replace("\n", "\r\n")
    first = story.member(lambda p: p.write("a.txt", crlf.replace("line 2\r", "two\r")))
    second = story.member(lambda p: p.write("a.txt", crlf.replace("line 19\r", "nineteen\r")))
    story.land(first)
    story.land(second)
    path = story.project.path
    assert story.project.git(path, "diff", "--numstat", story.base, story.onto) == "2\t2\ta.txt"


def test_no_hook_runs_and_nothing_is_signed(story: Story, git: Git, tmp_path: Path) -> None:
    """L-37: hooks that all fail and commit.gpgSign = true do not hinder a landing, and no hook has run."""
    first = story.member(lambda p: p.edit("app.py", 1, "one"))
    second = story.member(lambda p: p.edit("app.py", 20, "two"))
    clash = story.member(lambda p: p.edit("app.py", 1, "other"))
    hooks, tree = tmp_path / "hooks", tmp_path / "tree"
    git(story.project.path, "worktree", "add", "-q", "--detach", str(tree), story.base)
    hooks.mkdir()
    names = ("pre-commit", "commit-msg", "pre-rebase", "post-checkout", "post-rewrite", "reference-transaction")
    for name in names:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >>{tmp_path}/ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    git(story.project.path, "config", "core.hooksPath", str(hooks))
    git(story.project.path, "config", "commit.gpgSign", "true")
    terms = Terms(committer=COMMITTER, decoration=None, confirm_in=str(tree))
    assert isinstance(story.land(first, terms), Rebased)
    assert isinstance(story.land(second, terms), Rebased)
    assert isinstance(story.land(clash, terms), Conflict)
    assert not (tmp_path / "ran").exists()
    assert story.log("%G?") == ["N", "N"]


def test_a_driver_runs_only_where_it_is_allowed(story: Story, git: Git, tmp_path: Path) -> None:
    """A custom merge driver is a command: without being named it is a conflict, and has not run."""
    git(story.project.path, "config", "merge.mine.driver", f"touch {tmp_path}/ran; cp %B %A")
    base = story.member(lambda p: p.write(".gitattributes", "app.py merge=mine\n")).pinned
    story.base = story.onto = base
    first = story.member(lambda p: p.edit("app.py", 1, "one"))
    second = story.member(lambda p: p.edit("app.py", 1, "two"))
    story.land(first)
    assert story.land(second) == Conflict(("app.py",), second.pinned)
    assert not (tmp_path / "ran").exists()
    allowing = type(story.lander)(story.project.path, allowed_drivers=frozenset({"mine"}))
    landing = allowing.land(second, story.onto, issue(2))
    assert isinstance(landing, Rebased)
    assert (tmp_path / "ran").exists()


def test_the_confirming_worktree_stays_as_it_was(story: Story, git: Git, tmp_path: Path) -> None:
    """A conflict is asked again of git's rebase in a worktree, which is left clean at its commit."""
    tree = tmp_path / "tree"
    git(story.project.path, "worktree", "add", "-q", "--detach", str(tree), story.base)
    work = story.member(lambda p: p.edit("app.py", 5, "two"))
    story.land(story.member(lambda p: p.edit("app.py", 5, "one")))
    terms = Terms(committer=COMMITTER, decoration=None, confirm_in=str(tree))
    assert story.land(work, terms) == Conflict(("app.py",), work.pinned)
    assert git(tree, "rev-parse", "HEAD") == story.base
    assert git(tree, "status", "--porcelain") == ""
    assert not (story.project.path / ".git/worktrees/tree/rebase-merge").exists()


def test_moving_a_submodule_twice_is_a_conflict_with_its_objects_here_too(
    story: Story, git: Git, tmp_path: Path
) -> None:
    """L-40: both sides moved a submodule; it is a conflict, also where its objects would let git decide."""
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", str(inner))
    commits = []
    for number in range(3):
        git(inner, "commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(git(inner, "rev-parse", "HEAD"))
    path = story.project.path
    git(path, "submodule", "--quiet", "add", str(inner), "lib")

    def at(commit: str) -> str:
        git(path, "checkout", "-q", "-f", "--detach", base)
        git(path / "lib", "checkout", "-q", commit)
        git(path, "commit", "-q", "-a", "-m", "move lib")
        return git(path, "rev-parse", "HEAD")

    git(path / "lib", "checkout", "-q", commits[0])
    git(path, "add", "--all")
    git(path, "commit", "-q", "-m", "add lib")
    base = git(path, "rev-parse", "HEAD")
    ours, theirs = at(commits[1]), at(commits[2])
    assert story.lander.land(Work(base, theirs), ours, issue(2)) == Conflict(("lib",), theirs)
