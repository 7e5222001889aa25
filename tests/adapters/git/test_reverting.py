"""Taking commits back by commits on top, and the lines in which two trees differ."""

from gitsched.domain.landing import Conflict, Decoration, Rebased, Signature, Terms
from tests.adapters.git.landing_world import Story, story

__all__ = ["story"]

TERMS = Terms(
    committer=Signature("gitsched", "gitsched@localhost", 1_700_000_000),
    decoration=Decoration(2, (("Gitsched-Reverts", "2"),)),
)


def test_a_commit_is_taken_back_by_one_that_names_it(story: Story) -> None:
    before = story.onto
    landing = story.land(story.member(lambda p: p.write("b.py", "bad\n")))
    assert isinstance(landing, Rebased)
    commits = story.lander.commits(before, landing.head)
    taken = story.lander.revert(commits[::-1], landing.head, TERMS)
    assert isinstance(taken, Rebased)
    assert story.lander.tree_of(taken.head) == story.lander.tree_of(before)
    message = story.lander.message_of(taken.head)
    assert message.startswith('Revert "')
    assert f"This reverts commit {commits[-1]}." in message
    assert message.endswith("\n\nGitsched-Reverts: 2\n")
    assert story.lander.revert(commits[::-1], landing.head, TERMS) == taken


def test_what_is_gone_already_gets_no_commit(story: Story) -> None:
    before = story.onto
    landing = story.land(story.member(lambda p: p.write("b.py", "bad\n")))
    assert isinstance(landing, Rebased)
    commits = story.lander.commits(before, landing.head)
    once = story.lander.revert(commits, landing.head, TERMS)
    assert isinstance(once, Rebased)
    twice = story.lander.revert(commits, once.head, TERMS)
    assert isinstance(twice, Rebased)
    assert (twice.head, twice.dropped) == (once.head, commits)


def test_what_others_built_on_cannot_be_taken_back(story: Story) -> None:
    before = story.onto
    first = story.land(story.member(lambda p: p.edit("app.py", 20, "bad")))
    assert isinstance(first, Rebased)
    story.project.git(story.project.path, "checkout", "-q", "--detach", first.head)
    second = story.project.git(story.project.path, "rev-parse", "HEAD")
    story.project.edit("app.py", 20, "better")
    head = story.project.commit("on top")
    taken = story.lander.revert(story.lander.commits(before, second), head, TERMS)
    assert isinstance(taken, Conflict)
    assert taken.paths == ("app.py",)


def test_lines_have_the_numbers_of_the_earlier_tree(story: Story) -> None:
    def changes(project: object) -> None:
        p = story.project
        assert p is project
        lines = (p.path / "app.py").read_text().splitlines(keepends=True)
        lines[4] = "changed\n"
        del lines[9]
        lines.insert(14, "inserted\n")
        (p.path / "app.py").write_text("".join(lines))
        p.write("new.py", "new\n")

    work = story.member(changes)
    assert story.lander.changed_lines(work.cut, work.pinned) == {"app.py": frozenset({5, 10, 15, 16})}
