"""A landing that is not what it should be is not proven."""

from dataclasses import dataclass

import msgspec
import pytest

from gitsched.domain.landing import LandedCommit, Proof, Proven, Rebased, Unproven, Work
from tests.adapters.git.landing_cases import LINES, Project
from tests.adapters.git.landing_world import Story, story

__all__ = ["story"]


@dataclass
class Landed:
    """A member that landed, and what it landed on."""

    story: Story
    work: Work
    onto: str
    landing: Rebased

    def instead(self, **files: str) -> Proof:
        """Ask for the proof of a commit that says it is the landed one, with other files."""
        project = self.story.project
        project.git(project.path, "checkout", "-q", "-f", "--detach", self.onto)
        for name, content in files.items():
            project.write(name.replace("_py", ".py"), content)
        forged = project.commit("forged")
        commit = LandedCommit(self.work.pinned, forged, merged=self.landing.commits[0].merged)
        tree = self.story.lander.tree_of(forged)
        landing = msgspec.structs.replace(self.landing, head=forged, tree=tree, commits=(commit,))
        return self.story.lander.prove(self.work, self.onto, landing)


@pytest.fixture
def landed(story: Story) -> Landed:
    """A member that changed b.py, on top of one that changed c.py and line 1 of app.py."""
    work = story.member(lambda p: p.write("b.py", "mine\n"))
    story.land(story.member(lambda p: p.write("c.py", "theirs\n"), lambda p: p.edit("app.py", 1, "one")))
    onto = story.onto
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    return Landed(story, work, onto, landing)


def test_the_same_change_is_proven(landed: Landed) -> None:
    """The change itself, written by other hands, is proven."""
    assert landed.instead(b_py="mine\n") == Proven()


@pytest.mark.parametrize(
    "files",
    [
        {"b_py": "other\n"},
        {"b_py": "mine\n", "new": "more\n"},
        {"b_py": "mine\n", "c_py": "c\n"},
        {"new": "only\n"},
    ],
    ids=["other content", "more than the member's", "target undone", "less than the member's"],
)
def test_another_change_is_not(landed: Landed, files: dict[str, str]) -> None:
    """Anything more, less or else than the member's change is refused, with the reason."""
    proof = landed.instead(**files)
    assert isinstance(proof, Unproven)
    assert "does not make the change" in proof.why


def test_a_commit_that_stands_elsewhere_is_not(landed: Landed) -> None:
    """A line that does not begin where the member was to land is refused."""
    proof = landed.story.lander.prove(landed.work, landed.work.cut, landed.landing)
    assert isinstance(proof, Unproven)
    assert "does not stand on" in proof.why


def test_joined_contents_that_lost_a_line_are_not(story: Story) -> None:
    """L-22: where contents were joined, a line of the target that went missing is found."""
    work = story.member(lambda p: p.edit("app.py", 20, "mine"))
    story.land(story.member(lambda p: p.edit("app.py", 1, "theirs")))
    onto = story.onto
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    landed = Landed(story, work, onto, landing)
    both = LINES.replace("line 1\n", "theirs\n").replace("line 20\n", "mine\n")
    assert landed.instead(app_py=both) == Proven()
    lost = landed.instead(app_py=LINES.replace("line 20\n", "mine\n"))
    assert isinstance(lost, Unproven)
    assert "another tree" in lost.why


def test_contents_that_libgit2_cannot_join_are_asked_of_git(story: Story) -> None:
    """Latin-1 contents, which pygit2 cannot hand over, are proven by git's own rebase."""

    def latin(project: Project, first: str, last: str) -> None:
        middle = "".join(f"größe {number}\n" for number in range(20))
        project.write("l.txt", f"{first}\n{middle}{last}\n".encode("latin-1"))

    story.base = story.onto = story.member(lambda p: latin(p, "a", "z")).pinned
    work = story.member(lambda p: latin(p, "a", "Z"))
    story.land(story.member(lambda p: latin(p, "A", "z")))
    landing = story.land(work)
    assert isinstance(landing, Rebased)
    assert landing.commits[0].merged
