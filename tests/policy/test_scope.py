"""Write sets: when two of them meet, and what lies outside one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.policy.scope import out_of_scope, overlaps

MEETING = [
    ("src", "src/a.py"),
    ("src/", "src/a.py"),
    ("./src", "src/a.py"),
    ("src", "SRC/B.py"),
    ("src/**", "src/a.py"),
    ("src/**", "src"),
    ("src/*.py", "src/a*"),
    ("src/*/a.py", "src/b/*.py"),
    ("**/a.py", "src/deep/a.py"),
    ("src/**/test_*.py", "src/**/*_x.py"),
    ("*.md", "docs/deep/page.md"),
    ("*", "anything/at/all"),
    ("**", "anything"),
    ("a?c", "abc"),
    ("a[xy]c", "axc"),
    ("a[!xy]c", "abc"),
    ("a*b*c", "ab*bc"),
    ("caf\u00e9.md", "cafe\u0301.md"),
    ("stra\u00dfe", "STRASSE/x"),
]
APART = [
    ("src", "srcx/a.py"),
    ("src/a.py", "src/b.py"),
    ("src/*.py", "src/deep/a.py"),
    ("src/*.py", "src/a.md"),
    ("README.md", "docs/README.md"),
    ("src/a?c", "src/ac"),
    ("src/**/a.py", "lib/**/a.py"),
    ("src/a*b", "src/a*c"),
]


@pytest.mark.parametrize(("one", "other"), MEETING)
def test_they_meet(one: str, other: str) -> None:
    assert overlaps([one], [other])
    assert overlaps([other], [one])


@pytest.mark.parametrize(("one", "other"), APART)
def test_they_do_not_meet(one: str, other: str) -> None:
    assert not overlaps([one], [other])
    assert not overlaps([other], [one])


def test_a_running_folder_meets_what_lies_below_it() -> None:
    """A-11: src meets src/a.py and SRC/B.py, and not srcx/a.py."""
    waiting = {2: ["src/a.py"], 3: ["SRC/B.py"], 4: ["srcx/a.py"]}
    assert [issue for issue, files in waiting.items() if overlaps(["src"], files)] == [2, 3]


def test_ready_issues_that_name_the_same_file_meet() -> None:
    """A-08: of 1{x}, 2{x}, 3{y}, 4{z} only 1 and 2 meet."""
    files = {1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]}
    met = {(a, b) for a in files for b in files if a < b and overlaps(files[a], files[b])}
    assert met == {(1, 2)}


def test_an_empty_set_meets_nothing() -> None:
    assert not overlaps([], ["**"])
    assert not overlaps(["**"], [])


def test_many_runs_end_in_a_moment() -> None:
    """Each pair of positions is looked at once: no blow-up on stars."""
    assert not overlaps(["x/" + "*a" * 60 + "b"], ["x/" + "*a" * 60 + "c"])


@pytest.mark.parametrize("path", ["src/a.py", "SRC/B/c.py", "src/new\nline", "src/-n", "src/**"])
def test_inside(path: str) -> None:
    assert out_of_scope([path], ["src/**"]) == ()
    assert out_of_scope([path], ["src"]) == ()


def test_outside_is_named_in_its_order() -> None:
    """R-32: docs/x.md lies outside src/**, src/a.py does not."""
    paths = ["src/a.py", "docs/x.md", "a.md", "srcx"]
    assert out_of_scope(paths, ["src/**"]) == ("docs/x.md", "a.md", "srcx")


def test_without_a_glob_everything_is_outside() -> None:
    assert out_of_scope(["a"], []) == ("a",)


NAMES = st.text(alphabet="ab*?", min_size=1, max_size=4).filter(lambda name: "**" not in name)
GLOBS = st.lists(NAMES | st.just("**"), min_size=1, max_size=4).map("/".join)
PATHS = st.lists(st.text(alphabet="ab", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@given(GLOBS, GLOBS, PATHS)
def test_a_path_inside_both_is_an_overlap(one: str, other: str, path: str) -> None:
    if not out_of_scope([path], [one]) and not out_of_scope([path], [other]):
        assert overlaps([one], [other])


@given(GLOBS, PATHS)
def test_meeting_a_plain_path_is_covering_it_or_lying_below_it(glob: str, path: str) -> None:
    covers = not out_of_scope([path], [glob])
    if covers:
        assert overlaps([glob], [path])
    if not overlaps([glob], [path]):
        assert not covers
