"""Questions about commits: whose they are, who holds whom, what a change is called."""

from gitsched.domain.landing import (
    Rebased,
    SharedCommit,
    Work,
)
from tests.adapters.git.landing_cases import both
from tests.adapters.git.landing_world import Story, story
from tests.real_git import Git

__all__ = ["story"]


def test_exactly_the_pinned_head_lands(story: Story) -> None:
    """A commit after the pinned head neither lands nor gets lost."""
    work = story.member(lambda p: p.write("b.py", "pinned\n"))
    later = story.member(lambda p: p.write("b.py", "later\n"), cut=work.pinned)
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    assert [commit.original for commit in landing.commits] == [work.pinned]
    assert story.show("b.py") == "pinned"
    assert story.lander.commits(work.pinned, later.pinned) == (later.pinned,)


def test_commits_of_an_unlanded_sibling_are_found(story: Story) -> None:
    """A member that took a sibling's commits along is found out, with commit and issue."""
    sibling = story.member(lambda p: p.write("b.py", "sibling\n"))
    work = story.member(lambda p: p.write("c.py", "own\n"), cut=sibling.pinned)
    work = Work(story.base, work.pinned)
    shared = story.lander.shared_commits(work, story.onto, {4: sibling.pinned})
    assert shared == (SharedCommit(sibling.pinned, 4),)
    alone = story.member(lambda p: p.write("c.py", "own\n"))
    assert story.lander.shared_commits(alone, story.onto, {4: sibling.pinned}) == ()


def test_a_member_that_merged_the_integration_branch_lands_its_own(story: Story, git: Git) -> None:
    """An agent that took in what had landed brings only its own commits along."""
    work = story.member(lambda p: p.write("c.py", "own\n"))
    story.land(story.member(lambda p: p.write("b.py", "landed\n")))
    git(story.project.path, "checkout", "-q", "-f", "--detach", work.pinned)
    git(story.project.path, "merge", "-q", "--no-ff", "-m", "take in", story.onto)
    landing = story.land(Work(work.cut, story.head()))
    assert isinstance(landing, Rebased)
    assert [commit.original for commit in landing.commits] == [work.pinned]
    assert not landing.linearised_as_one


def test_a_change_has_one_name_wherever_it_stands(story: Story) -> None:
    """The patch id survives a landing; another change, mode or content has another one."""
    work = story.member(lambda p: p.edit("app.py", 10, "x"))
    story.land(story.member(both(lambda p: p.edit("app.py", 1, "far"), lambda p: p.write("n", "n"))))
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    lander = story.lander
    assert landing.commits[0].merged
    assert lander.patch_id(work.pinned) == lander.patch_id(landing.head)
    assert lander.combined_patch_id(work.cut, work.pinned) == lander.patch_id(work.pinned)
    other = story.member(lambda p: p.edit("app.py", 10, "y"))
    mode = story.member(lambda p: p.executable("app.py"))
    names = {lander.patch_id(each.pinned) for each in (work, other, mode)}
    assert len(names) == 3


def test_history_is_answered(story: Story) -> None:
    """A commit holds itself and what came before it, not what came after."""
    work = story.member(lambda p: p.write("b.py", "1\n"), lambda p: p.write("b.py", "2\n"))
    lander = story.lander
    assert lander.is_ancestor(work.cut, work.pinned)
    assert lander.is_ancestor(work.pinned, work.pinned)
    assert not lander.is_ancestor(work.pinned, work.cut)
    assert len(lander.commits(work.cut, work.pinned)) == 2
