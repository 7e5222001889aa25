"""Pieces that need one another go to one member; a member can be broken without breaking its text."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.examples.example import replay_module
from tests.real_git import Git

OLDER = {
    "pack/a.py": "import os\n\n\ndef one():\n    x = 1\n    return x\n" + "# \n" * 20 + "def two():\n    return 2\n",
    "tests/test_a.py": "from pack import a\n" + "# \n" * 20 + "def test_two():\n    assert a.two()\n",
    "README": "one\n",
}
NEWER = {
    "pack/a.py": "import os\nimport re\n\n\ndef one():\n    x = re.escape('1')\n    return x\n"
    + "# \n" * 20
    + "def two():\n    return 22\n",
    "tests/test_a.py": "from pack import a\n" + "# \n" * 20 + "def test_two():\n    assert a.two() == 22\n",
    "README": "two\n",
}


def lay(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture
def pieces(tmp_path: Path, git: Git) -> Any:
    git(tmp_path, "init", "-q")
    lay(tmp_path, OLDER)
    git(tmp_path, "add", "-A")
    lay(tmp_path, NEWER)
    return replay_module("cut").cut((git(tmp_path, "diff", "-U0") + "\n").encode())


def test_a_name_its_use_and_its_test_stay_together(pieces: Any) -> None:
    module = replay_module("bundle")
    found = module.bundles(pieces, module.Release(OLDER, NEWER), 10)
    paths = sorted(sorted(piece.path for piece in bundle) for bundle in found)
    # The import of `re` lies beside its use; what `two` gives is tested; README concerns nobody else.
    assert paths == [["README"], ["pack/a.py"], ["pack/a.py", "tests/test_a.py"]]


def test_no_more_members_than_asked_for(pieces: Any) -> None:
    module = replay_module("bundle")
    found = module.bundles(pieces, module.Release(OLDER, NEWER), 2)
    assert len(found) == 2
    assert sorted(piece for bundle in found for piece in bundle) == sorted(pieces)


def test_a_broken_member_still_parses_and_fails_when_called(pieces: Any) -> None:
    cut, corrupt = replay_module("cut"), replay_module("corrupt")
    broken = corrupt.corrupted(pieces, OLDER, "pack")
    text = cut.applied(OLDER["pack/a.py"].encode(), [h for p in broken if p.path == "pack/a.py" for h in p.hunks])
    given: dict[str, Any] = {}
    exec(compile(ast.parse(text), "a.py", "exec"), given)  # noqa: S102 - it is the text above
    with pytest.raises(RuntimeError, match="on purpose"):
        given["two"]()
    assert given["one"]() == "1"
    unbroken = [p for p in zip(pieces, broken, strict=True) if p[0] != p[1]]
    assert len(unbroken) == 1


def test_prose_is_never_taken_for_code(pieces: Any) -> None:
    only_prose = [piece for piece in pieces if piece.path == "README"]
    assert replay_module("corrupt").corrupted(only_prose, OLDER, "pack") is None
