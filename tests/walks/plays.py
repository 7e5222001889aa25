"""What played agents do in their trees before they end."""

from collections.abc import Callable
from pathlib import Path

import pygit2

from gitsched.domain.runs import RunOrder

_AUTHOR = pygit2.Signature("Ann Agent", "ann@example.org", 1_700_000_000, 0)


def _commit(tree: Path, files: dict[str, str]) -> None:
    repository = pygit2.Repository(tree)
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        repository.index.add(name)
    repository.index.write()
    made = repository.index.write_tree()
    if made != repository.head.peel(pygit2.Commit).tree_id:
        repository.create_commit("HEAD", _AUTHOR, _AUTHOR, "Work", made, [repository.head.target])


def _write(tree: Path, name: str) -> None:
    (tree / name).write_text("late\n")


def _good(order: RunOrder, issue: int) -> None:
    _commit(Path(order.cwd), {f"file{issue}.txt": f"{issue}\n"})


def _nothing(order: RunOrder, issue: int) -> None:
    """Leave everything as it is."""


PLAYS: dict[str, Callable[[RunOrder, int], None]] = {
    "good": _good,
    "bad": lambda order, issue: _commit(Path(order.cwd), {"bad.txt": "bad\n", f"file{issue}.txt": "bad\n"}),
    "clashes": lambda order, issue: _commit(Path(order.cwd), {"app.py": f"total = {issue}\n"}),
    "breaks": lambda order, issue: _commit(Path(order.cwd), {f"tests/test_m{issue}.py": "no\n"}),
    "dirty": lambda order, issue: _write(Path(order.cwd), f"file{issue}.txt"),
    "nothing": _nothing,
    "fails": _good,
    "hands-back": _good,
}
WAYS = tuple(PLAYS)
