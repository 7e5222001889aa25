"""A difference is cut into pieces that apply each alone, and all together give the newer text."""

import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples.example import replay_module
from tests.real_git import Git

cut, patch_of, applied = (getattr(replay_module("cut"), name) for name in ("cut", "patch_of", "applied"))

# Lines that a reader of patches could take for something of its own are among them.
ODD = [
    b"",
    b"@@ -1 +1 @@",
    b"diff --git a/f b/f",
    b"-- a/f",
    b"++ b/f",
    b"\\ No newline at end of file",
    b"\r",
    b"\xff",
]
LINES = st.lists(st.sampled_from([b"a", b"b", b"c", *ODD]), max_size=12)
Change = Callable[[bytes, bytes], bytes]


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Draw an older and a newer text: long stretches that stay, and between them what differs."""
    older: list[bytes] = []
    newer: list[bytes] = []
    for number in range(draw(st.integers(1, 4))):
        same = [b"line %d of stretch %d" % (line, number) for line in range(draw(st.integers(0, 6)))]
        older += [*same, *draw(LINES)]
        newer += [*same, *draw(LINES)]
    ends = draw(st.tuples(st.booleans(), st.booleans()))
    one, other = (b"\n".join([*lines, b""] if end else lines) for lines, end in zip((older, newer), ends, strict=True))
    return one, other


@pytest.fixture
def change(tmp_path: Path, git: Git) -> Change:
    """Give `change(older, newer)`: what git prints for a file that goes from one to the other."""
    git(tmp_path, "init", "-q")
    file = tmp_path / "f"

    def printed(older: bytes, newer: bytes) -> bytes:
        file.write_bytes(older)
        git(tmp_path, "add", "f")
        file.write_bytes(newer)
        command = ["git", "diff", "-U0", "--binary", "--no-renames"]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout

    return printed


def by_git(folder: Path, older: bytes, patch: bytes) -> bytes:
    (folder / "f").write_bytes(older)
    command = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn"]
    ended = subprocess.run(command, cwd=folder, input=patch, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return (folder / "f").read_bytes()


@settings(max_examples=60)
@given(both=texts(), gap=st.integers(1, 8))
def test_each_piece_applies_alone_and_all_give_the_newer_text(
    both: tuple[bytes, bytes], gap: int, change: Change, tmp_path: Path
) -> None:
    older, newer = both
    pieces = cut(change(older, newer), gap)
    for count in range(1, len(pieces) + 1):
        first = [hunk for piece in pieces[:count] for hunk in piece.hunks]
        assert by_git(tmp_path, older, patch_of(pieces[:count])) == applied(older, first)
        alone = pieces[count - 1]
        assert by_git(tmp_path, older, patch_of([alone])) == applied(older, alone.hunks)
    assert applied(older, [hunk for piece in pieces for hunk in piece.hunks]) == newer


@given(both=texts(), gap=st.integers(1, 8))
@settings(max_examples=30)
def test_pieces_lie_as_far_apart_as_asked(both: tuple[bytes, bytes], gap: int, change: Change) -> None:
    pieces = cut(change(*both), gap)
    for piece, following in pairwise(pieces):
        assert following.hunks[0].start - piece.hunks[-1].end >= gap
    for piece in pieces:
        for hunk, following in pairwise(piece.hunks):
            assert following.start - hunk.end < gap


def test_what_has_no_hunks_to_tell_apart_is_one_piece(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    for name, content in {"gone": b"x\n", "bits": b"\0one", "script": b"echo\n", "odd b/name": b"1\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Older")
    (tmp_path / "gone").unlink()
    (tmp_path / "bits").write_bytes(b"\0two")
    (tmp_path / "script").chmod(0o755)
    (tmp_path / "odd b/name").write_bytes(b"2\n")
    (tmp_path / "new").write_bytes(b"+++ b/new\n" * 40)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Newer")
    diff = git(tmp_path, "diff", "-U0", "--binary", "HEAD~", "HEAD") + "\n"
    pieces = cut(diff.encode())
    assert sorted(piece.path for piece in pieces) == ["bits", "gone", "new", "odd b/name", "script"]
    for piece in pieces:
        git(tmp_path, "reset", "-q", "--hard", "HEAD~")
        git(tmp_path, "apply", "--index", "--unidiff-zero", stdin=patch_of([piece]).decode())
        assert git(tmp_path, "diff", "--cached", "--name-only") == piece.path
        git(tmp_path, "reset", "-q", "--hard", "HEAD@{1}")


def test_a_mode_stands_in_the_first_piece_alone(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    lines = [f"{number}\n" for number in range(40)]
    (tmp_path / "f").write_text("".join(lines))
    git(tmp_path, "add", "f")
    (tmp_path / "f").write_text("".join(["zero\n", *lines[1:39], "last\n"]))
    (tmp_path / "f").chmod(0o755)
    pieces = cut((git(tmp_path, "diff", "-U0") + "\n").encode())
    assert [b"new mode 100755\n" in patch_of([piece]) for piece in pieces] == [True, False]
    assert patch_of(reversed(pieces)).count(b"new mode 100755\n") == 1
