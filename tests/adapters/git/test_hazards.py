"""Work that merges and passes and must not land all the same."""

from pathlib import Path

import pytest

from gitsched.adapters.git.links import leaves_the_tree
from gitsched.adapters.git.objects import Objects, open_repository
from gitsched.domain.landing import Guards, Hazard, HazardKind, Rebased, Work
from tests.adapters.git.landing_cases import Project, Side
from tests.adapters.git.landing_world import Story, a_story, issue, story
from tests.real_git import Git

__all__ = ["story"]

OID = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 12345\n"
NFC, NFD = "caf\u00e9.txt", "cafe\u0301.txt"


def _writes(name: str, content: str = "x\n") -> Side:
    return lambda project: project.write(name, content)


def _second(story: Story, first: Work, second: Work) -> tuple[Hazard, ...]:
    """Land the first as issue 1, and tell the hazards of the second over the union."""
    story.land(first, issue(1))
    landing = story.lander.land(second, story.onto, issue(2))
    assert isinstance(landing, Rebased)
    return story.lander.union_hazards(second, story.onto, landing, story.base)


def _own(story: Story, work: Work, **guards: object) -> tuple[Hazard, ...]:
    return story.lander.own_hazards(work, Guards(**guards))  # type: ignore[arg-type]


def test_case_twins_never_meet(story: Story) -> None:
    """L-24: `docs/Guide.md` landed; `docs/guide.md` does not: both paths and issue 1 are named."""
    first, second = story.member(_writes("docs/Guide.md")), story.member(_writes("docs/guide.md"))
    assert _second(story, first, second) == (
        Hazard(
            HazardKind.CASE_CLASH,
            "docs/guide.md and docs/Guide.md (issue 1) are one name where case does not count",
            ("docs/guide.md", "docs/Guide.md"),
        ),
    )


def test_folders_that_differ_in_case_only_clash(story: Story) -> None:
    """L-24: it holds for folders as well, and is told once."""
    first = story.member(_writes("Docs/a"))
    second = story.member(lambda p: p.write("docs/b", "1"), lambda p: p.write("docs/c", "2"))
    hazards = _second(story, first, second)
    assert [hazard.paths for hazard in hazards] == [("docs", "Docs")]


def test_one_member_may_not_bring_both_twins(story: Story) -> None:
    """L-24: two names of one member are found before it meets anybody."""
    work = story.member(_writes("A"), _writes("a"))
    assert [hazard.kind for hazard in _own(story, work)] == [HazardKind.CASE_CLASH]


def test_a_renamed_case_is_no_clash(story: Story) -> None:
    """Renaming a file to another case alone leaves one name."""
    assert _own(story, story.member(lambda p: p.move("b.py", "B.py"))) == ()


def test_unicode_twins_never_meet(story: Story) -> None:
    """L-25: a name in composed and in decomposed letters; both spellings can be seen."""
    (hazard,) = _second(story, story.member(_writes(NFC)), story.member(_writes(NFD)))
    assert hazard.kind is HazardKind.UNICODE_CLASH
    assert "'caf\\xe9.txt'" in hazard.detail
    assert "'cafe\\u0301.txt'" in hazard.detail
    assert "(issue 1)" in hazard.detail


@pytest.fixture
def submodule(tmp_path: Path, git: Git) -> tuple[Story, list[str]]:
    """A project with the submodule `lib` at the second of three commits."""
    inner, commits = tmp_path / "inner", []
    git(tmp_path, "init", "-q", str(inner))
    for number in range(3):
        git(inner, "commit", "-q", "--allow-empty", "-m", str(number))
        commits.append(git(inner, "rev-parse", "HEAD"))
    story = a_story(tmp_path, _writes("a"))
    path = story.project.path
    git(path, "submodule", "--quiet", "add", "--name", "named", str(inner), "lib")
    git(path / "lib", "checkout", "-q", commits[1])
    git(path, "add", "--all")
    git(path, "commit", "-q", "-m", "add lib")
    story.base = story.onto = story.head()
    return story, commits


def _moves(story: Story, commit: str) -> Work:
    git, path = story.project.git, story.project.path
    git(path, "checkout", "-q", "-f", "--detach", story.base)
    git(path / "lib", "checkout", "-q", commit)
    git(path, "commit", "-q", "-a", "-m", "move lib")
    return Work(story.base, story.head())


def test_a_submodule_stays_where_it_was_moved(submodule: tuple[Story, list[str]]) -> None:
    """L-26: member 1 moves it, member 2 does not touch it: it stays where member 1 put it."""
    story, commits = submodule
    first, second = _moves(story, commits[2]), story.member(_writes("a", "2\n"))
    assert _own(story, first) == ()
    assert _second(story, first, second) == ()
    story.land(second, issue(2))
    tree = story.project.git(story.project.path, "ls-tree", story.onto, "lib")
    assert tree.split()[2] == commits[2]


def test_a_submodule_never_goes_back(submodule: tuple[Story, list[str]]) -> None:
    """L-26: a member whose own diff moves it back to an ancestor does not land."""
    story, commits = submodule
    (hazard,) = _own(story, _moves(story, commits[0]))
    assert (hazard.kind, hazard.paths) == (HazardKind.SUBMODULE_MOVED, ("lib",))
    assert commits[0] in hazard.detail


def test_a_link_out_of_the_tree_is_named(story: Story) -> None:
    """L-27: a link `data -> ../../outside` is found when the head is pinned; nothing is written through it."""
    (hazard,) = _own(story, story.member(lambda p: p.link("data", "../../outside")))
    assert hazard == Hazard(HazardKind.SYMLINK_ESCAPE, "link data -> ../../outside leaves the tree", ("data",))


@pytest.mark.parametrize(
    ("target", "leaves"),
    [
        ("file", False),
        ("../file", False),
        ("../../file", True),
        ("/etc/passwd", True),
        ("C:/x", True),
        ("../.git/config", True),
        ("./../sub/../file", False),
        ("../deep/up/..", True),
        ("../circle", False),
    ],
)
def test_links_are_followed_through_links(story: Story, target: str, leaves: bool) -> None:
    """L-27: a link leaves the tree also by way of another link, whose own end is inside."""

    def links(project: Project) -> None:
        project.write("deep/er/file", "x\n")
        project.link("deep/up", "..")
        project.link("circle", "circle")
        project.write("sub/file", "x\n")
        project.link("sub/link", target)

    work = story.member(links)
    objects = Objects(open_repository(story.project.path))
    assert leaves_the_tree(objects, objects.tree_of(work.pinned), b"sub/link") is leaves


def test_a_half_checkout_is_stopped_with_its_counts(tmp_path: Path) -> None:
    """L-28: a commit that deletes 900 of 1,000 files; the counts are in the reason."""

    def many(project: Project) -> None:
        for number in range(999):
            project.write(f"d{number % 10}/f{number}", f"{number}\n")

    def half(project: Project) -> None:
        names = project.git(project.path, "ls-files").split("\n")[:900]
        project.git(project.path, "rm", "-q", "--", *names)

    story = a_story(tmp_path, many)
    (hazard,) = _own(story, story.member(half))
    assert hazard.kind is HazardKind.DELETION
    assert "900 of 1000 files" in hazard.detail
    assert _own(story, story.member(half), deletions=0.95) == ()


def test_moved_files_are_not_deleted(tmp_path: Path) -> None:
    """L-28: a folder that moved, its files edited, deletes nothing."""
    text = "".join(f"line {number}\n" for number in range(30))

    def eight(project: Project) -> None:
        for number in range(8):
            project.write(f"old/f{number}", f"{number}\n{text}")

    def move(project: Project) -> None:
        project.move("old", "new")
        for number in range(8):
            project.edit(f"new/f{number}", 5, "edited")

    story = a_story(tmp_path, eight)
    assert _own(story, story.member(move)) == ()


def test_a_pointer_without_its_object_is_stopped(story: Story, git: Git) -> None:
    """L-29: a large-file pointer whose object is nowhere does not land; with the object here it does."""
    work = story.member(_writes("movie.bin", POINTER))
    (hazard,) = _own(story, work)
    assert (hazard.kind, hazard.paths) == (HazardKind.LFS_MISSING, ("movie.bin",))
    assert OID in hazard.detail
    stored = story.project.path / ".git/lfs/objects" / OID[:2] / OID[2:4] / OID
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"movie")
    assert _own(story, work) == ()
    text = story.member(_writes("about.txt", "see " + POINTER))
    assert _own(story, text) == ()


def test_a_workflow_file_needs_the_right_token(story: Story) -> None:
    """L-30 (the guard alone): a changed workflow file is named where it is known that the token may not push it."""
    work = story.member(_writes(".github/workflows/ci.yml"))
    assert _own(story, work) == ()
    (hazard,) = _own(story, work, may_push_workflows=False)
    assert (hazard.kind, hazard.paths) == (HazardKind.WORKFLOW_FILE, (".github/workflows/ci.yml",))
    assert _own(story, story.member(_writes("b.py", "2")), may_push_workflows=False) == ()


def test_a_file_over_the_limit_is_stopped(story: Story) -> None:
    """A file larger than the guard allows is named with its size."""
    work = story.member(_writes("big", "x" * 2_000))
    (hazard,) = _own(story, work, size_bytes=1_999)
    assert (hazard.kind, hazard.paths) == (HazardKind.SIZE, ("big",))
    assert "2000 bytes" in hazard.detail
    assert _own(story, work, size_bytes=2_000) == ()
