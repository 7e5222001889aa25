"""What played agents do in their trees before they end, and how they end."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pygit2

from gitsched.domain.instants import Instant, instant_of, moment_of
from gitsched.domain.runs import Milestone, RunEnd, RunOrder
from gitsched.domain.words import MilestoneStatus

_AUTHOR = pygit2.Signature("Ann Agent", "ann@example.org", 1_700_000_000, 0)


def _commit(tree: Path, files: dict[str, str], gone: tuple[str, ...] = ()) -> None:
    repository = pygit2.Repository(tree)
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        repository.index.add(name)
    for name in gone:
        (tree / name).unlink()
        repository.index.remove(name)
    repository.index.write()
    made = repository.index.write_tree()
    if made != repository.head.peel(pygit2.Commit).tree_id:
        repository.create_commit("HEAD", _AUTHOR, _AUTHOR, "Work", made, [repository.head.target])


def _writes(*names: str) -> Callable[[RunOrder, int], None]:
    """Commit files of the issue's own, and these."""

    def play(order: RunOrder, issue: int) -> None:
        files = {f"file{issue}.txt": f"{issue}\n"} | {name.format(issue): f"{issue}\n" for name in names}
        _commit(Path(order.cwd), files)

    return play


def _late(order: RunOrder, issue: int) -> None:
    (Path(order.cwd) / f"file{issue}.txt").write_text("late\n")


def _nothing(order: RunOrder, issue: int) -> None:
    """Leave everything as it is."""


PLAYS: dict[str, Callable[[RunOrder, int], None]] = {
    "good": _writes(),
    "bad": _writes("bad.txt"),
    "clashes": lambda order, issue: _commit(Path(order.cwd), {"app.py": f"total = {issue}\n"}),
    "breaks": lambda order, issue: _commit(Path(order.cwd), {f"tests/test_m{issue}.py": "no\n"}),
    "spoils": _writes("poison{}.txt"),
    "half": _writes("half{}.txt"),
    "dirty": _late,
    "nothing": _nothing,
    "fails": _writes(),
    "hands-back": _writes(),
    "hands-part-back": _writes(),
    "overloaded": _nothing,
    "limited": _nothing,
    "announces": _late,
    "times-out": _late,
    "costs-too-much": _nothing,
    "misses": _nothing,
}
"""What is in the tree at the end.

`bad` fails its own gate; `clashes` meets its siblings in one line; `breaks` fails the suite by a test of its own;
`spoils` fails one that names nobody; `half` does so beside another half; `dirty` leaves its work uncommitted.
"""
WAYS = tuple(PLAYS)
_ENDS: Mapping[str, Mapping[str, object]] = {
    "fails": {"code": 1},
    "overloaded": {"code": 1, "provider": {"status": 529, "resets_at": None}},
    "announces": {"code": 0, "waiting": True},
    "times-out": {"signal": 15, "timed_out": True},
    "costs-too-much": {"signal": 15, "budget": "run.usd"},
    "misses": {"spawn_error": "no such file"},
}
_RESET_S = 4 * 3600.0


def end_of(how: str, at: Instant) -> RunEnd:
    """Say how a run ends that goes this way."""
    if how == "limited":
        resets_at = instant_of(moment_of(at) + timedelta(seconds=_RESET_S))
        return RunEnd(code=1, at=at, provider={"status": 429, "resets_at": resets_at})
    fields = _ENDS.get(how, {"code": 0})
    return RunEnd(at=at, duration_ms=1000, **fields)  # type: ignore[arg-type]


def last_word(how: str, gen: int, at: Instant) -> Milestone | None:
    """Give the milestone that a run posts right before it ends."""
    status = {"hands-back": MilestoneStatus.BLOCKED, "hands-part-back": MilestoneStatus.PARTIAL}.get(how)
    if status is None:
        return None
    return Milestone(phase="review", status=status, gen=gen, at=at, keys={"reason": "no key"})


def mend(tree: Path) -> None:
    """Take away everything that turns a suite red, as an agent does that was sent to mend it."""
    gone = [path.relative_to(tree).as_posix() for path in sorted(tree.rglob("*")) if _turns_red(path)]
    _commit(tree, {}, tuple(gone))


def _turns_red(path: Path) -> bool:
    return path.name.startswith(("test_m", "poison", "half"))


def red_tests(tree: Path) -> list[str]:
    """List the tests that a suite finds red in a tree."""
    own = sorted(path.stem for path in (tree / "tests").glob("test_m*.py"))
    nobodys = ["test_whole"] * any(tree.glob("poison*.txt"))
    pairs = ["test_pair"] * (len(list(tree.glob("half*.txt"))) > 1)
    return [*own, *nobodys, *pairs]
