"""What a member becomes on top of what landed before: commits, authors, messages."""

from gitsched.domain.landing import (
    NothingToLand,
    Rebased,
    Strategy,
    Work,
)
from tests.adapters.git.landing_cases import Project
from tests.adapters.git.landing_world import Story, issue, story
from tests.real_git import Git

__all__ = ["story"]


def _empty_commit(project: Project) -> None:
    project.commit("nothing", "--allow-empty")


def _with_merge(story: Story, *, conflicting: bool) -> Work:
    """A member with commits A, merge M of a side branch, B."""
    git, path = story.project.git, story.project.path
    side = story.member(lambda p: p.edit("app.py", 20, "side"))
    work = story.member(lambda p: p.edit("app.py", 20 if conflicting else 1, "A"))
    git(path, "merge", "-q", "--no-ff", "-X", "ours", "-m", "M", side.pinned)
    story.project.write("b.py", "B\n")
    return Work(work.cut, story.project.commit("B"))


def test_a_merge_is_linearised(story: Story) -> None:
    """L-18: A, merge, B land as a line with the pinned tree applied, without a merge commit."""
    work = _with_merge(story, conflicting=False)
    story.land(story.member(lambda p: p.write("c.py", "landed\n")))
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    assert not landing.linearised_as_one
    assert len(landing.commits) == 3
    assert all(len(parents.split()) == 1 for parents in story.log("%p"))
    assert story.lander.changed_paths(work.pinned, story.onto) == ("c.py",)


def test_a_merge_that_resolved_something_lands_as_one(story: Story, git: Git) -> None:
    """L-18: where the linear commits do not give the pinned tree, one commit lands, and is told."""
    git(story.project.path, "config", "user.name", "Second Author")
    work = _with_merge(story, conflicting=True)
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    assert landing.linearised_as_one
    assert landing.as_one
    assert len(landing.commits) == 1
    assert story.lander.tree_of(story.onto) == story.lander.tree_of(work.pinned)


def test_what_is_there_already_is_dropped_and_told(story: Story) -> None:
    """L-19: the second of two commits is in what landed before; it is dropped and told."""
    story.land(story.member(lambda p: p.write("b.py", "same\n")))
    work = story.member(lambda p: p.write("new", "n\n"), lambda p: p.write("b.py", "same\n"))
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    assert landing.dropped == (work.pinned,)
    assert len(landing.commits) == 1


def test_nothing_left_is_an_answer_of_its_own(story: Story) -> None:
    """L-19: a member of which nothing is left is `NothingToLand`; so is one that never had anything."""
    work = story.member(lambda p: p.write("b.py", "same\n"))
    story.land(story.member(lambda p: p.write("b.py", "same\n")))
    assert story.land(work) == NothingToLand((work.pinned,))
    assert story.land(Work(story.base, story.base)) == NothingToLand(())
    empty = story.member(_empty_commit)
    assert story.land(empty) == NothingToLand(())


def test_author_kept_committer_ours_subject_and_trailers_once(story: Story, git: Git) -> None:
    """L-20: author and date kept, committer gitsched, `(#7)` once, trailers beside existing ones."""
    message = "Fix total (#7)\n\nBecause it was wrong.\n\nReviewed-by: R <r@example.org>\nGitsched-Issue: 7\n"

    def change(project: Project) -> None:
        project.edit("app.py", 1, "x")
        author = ("--author=Åsa <asa@example.org>", "--date=2026-01-01T10:00:00+05:30")
        project.commit(message, *author)

    landing = story.land(story.member(change))
    assert isinstance(landing, Rebased)
    assert story.log("%an|%ae|%aI|%cn|%ce|%ct|%s") == [
        "Åsa|asa@example.org|2026-01-01T10:00:00+05:30|Gitsched|gitsched@example.org|1700000000|Fix total (#7)"
    ]
    assert story.log("%(trailers:only)%x00")[:3] == [
        "Reviewed-by: R <r@example.org>",
        "Gitsched-Batch: b1",
        "Gitsched-Issue: 7",
    ]
    assert story.log("%B")[2] == "Because it was wrong."


def test_work_that_begins_at_nothing_brings_nothing_back(story: Story, git: Git) -> None:
    """L-18: a root commit shows all of the old files as new; a file that landed work took away stays away."""
    work = story.member(lambda p: p.edit("app.py", 1, "mine"))
    root = git(story.project.path, "commit-tree", "-m", "Begin anew", f"{work.pinned}^{{tree}}")
    story.land(story.member(lambda p: p.remove("c.py")))
    landing = story.land(Work(work.cut, root))
    assert isinstance(landing, Rebased)
    assert landing.linearised_as_one
    assert "mine" in story.show("app.py")
    assert "c.py" not in git(story.project.path, "ls-tree", "--name-only", story.onto).splitlines()


def test_landing_again_gives_the_same_ids(story: Story) -> None:
    """A landing is a function of its arguments: a repeated one is the same commit."""
    work = story.member(lambda p: p.edit("app.py", 1, "x"))
    first, second = (story.lander.land(work, story.base, issue(7)) for _ in range(2))
    assert first == second


def test_squash_keeps_every_author(story: Story) -> None:
    """L-21: 40 commits of three authors become one; no author is lost, the last ones neither."""

    def commits(project: Project) -> None:
        for number in range(40):
            project.write(f"n{number}", f"{number}\n")
            who = ("Ann", "Ben")[number % 2] if number < 39 else "Last"
            project.commit(f"Part {number}", f"--author={who} <{who.lower()}@example.org>")

    work = story.member(commits)
    landing = story.land(work, issue(7, Strategy.SQUASH))
    assert isinstance(landing, Rebased)
    assert landing.as_one
    assert not landing.linearised_as_one
    assert story.log("%an|%s") == ["Ann|Part 0 (#7)"]
    assert story.log("%(trailers:key=Co-authored-by,valueonly,separator=%x2C)") == [
        "Ben <ben@example.org>,Last <last@example.org>"
    ]
    assert all(f"* Part {number}" in "\n".join(story.log("%B")) for number in range(40))
    assert story.lander.tree_of(story.onto) == story.lander.tree_of(work.pinned)


def test_untouched_paths_keep_what_landed(story: Story) -> None:
    """L-22: a member cut before another one landed takes nothing of it back."""
    second = story.member(lambda p: p.write("c.py", "mine\n"))
    story.land(story.member(lambda p: p.write("b.py", "landed\n")))
    before = story.onto
    story.land(second)
    assert story.show("b.py") == "landed"
    assert story.lander.changed_paths(before, story.onto) == ("c.py",)
