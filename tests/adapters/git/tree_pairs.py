"""Generate histories that try merges: renames, moved folders, deletions, modes, links, equal changes."""

import hashlib
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Files = dict[str, tuple[str, bytes]]
"""Path to mode and content."""

FOLDERS = ("", "d/", "d/e/", "lib/", "lib/x/", "q/")
NAMES = ("a", "b", "c", "n", "z")


@dataclass
class Dice:
    """Chance that a seed fixes."""

    seed: str
    _rolled: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._rolled = self._rolls()

    def _rolls(self) -> Iterator[int]:
        number = 0
        while True:
            yield from hashlib.sha256(f"{self.seed}/{number}".encode()).digest()
            number += 1

    def pick(self, choices: Sequence[T]) -> T:
        return choices[(next(self._rolled) * 256 + next(self._rolled)) % len(choices)]

    def chance(self, percent: int) -> bool:
        return self.pick(range(100)) < percent


@dataclass(frozen=True)
class Case:
    """One history: a base, what landed since, and a member's commits."""

    seed: str
    base: str
    ours: str
    theirs: str


def _put(files: Files, path: str, entry: tuple[str, bytes]) -> None:
    """Write a file, and clear away what a file system could not hold beside it."""
    parts = path.split("/")
    for known in list(files):
        if known.startswith(path + "/") or known in {"/".join(parts[:n]) for n in range(1, len(parts))}:
            del files[known]
    files[path] = entry


def _content(dice: Dice) -> bytes:
    return "".join(f"line {dice.pick(range(40))}\n" for _ in range(dice.pick(range(4, 14)))).encode()


def _base(dice: Dice) -> Files:
    files: Files = {}
    for _ in range(dice.pick(range(4, 14))):
        entry = (dice.pick(("100644", "100644", "100644", "100755")), _content(dice))
        if dice.chance(8):
            entry = ("120000", dice.pick((b"a", b"d/a", b"../z")))
        _put(files, dice.pick(FOLDERS) + dice.pick(NAMES), entry)
    return files


def _edit(dice: Dice, files: Files) -> None:
    path = dice.pick(sorted(files))
    mode, content = files[path]
    if mode == "120000":
        files[path] = (mode, dice.pick((b"b", b"lib/c", b"q")))
        return
    lines = content.splitlines(keepends=True) or [b""]
    at = dice.pick(range(len(lines)))
    lines[at : at + dice.pick((0, 1))] = [b"edited %d\n" % dice.pick(range(3))]
    files[path] = (mode, b"".join(lines))


def _delete(dice: Dice, files: Files) -> None:
    del files[dice.pick(sorted(files))]


def _add(dice: Dice, files: Files) -> None:
    _put(files, dice.pick(FOLDERS) + dice.pick((*NAMES, "new", "new/deep")), ("100644", _content(dice)))


def _rename(dice: Dice, files: Files) -> None:
    entry = files.pop(dice.pick(sorted(files)))
    _put(files, dice.pick(FOLDERS) + dice.pick((*NAMES, "moved")), entry)


def _rename_and_edit(dice: Dice, files: Files) -> None:
    _rename(dice, files)
    _edit(dice, files)


def _move_folder(dice: Dice, files: Files) -> None:
    old, new = dice.pick(FOLDERS[1:]), dice.pick((*FOLDERS, "other/", "d/deeper/"))
    for path in sorted(path for path in files if path.startswith(old)):
        _put(files, new + path.removeprefix(old), files.pop(path))


def _delete_folder(dice: Dice, files: Files) -> None:
    old = dice.pick(FOLDERS[1:])
    for path in [path for path in files if path.startswith(old)]:
        del files[path]


def _change_mode(dice: Dice, files: Files) -> None:
    path = dice.pick(sorted(files))
    mode, content = files[path]
    if mode == "120000":
        files[path] = ("100644", content + b"\n")
    else:
        files[path] = ("100755" if mode == "100644" else "100644", content)


def _to_link(dice: Dice, files: Files) -> None:
    files[dice.pick(sorted(files))] = ("120000", dice.pick((b"a", b"b", b"d")))


def _file_to_folder(dice: Dice, files: Files) -> None:
    path = dice.pick(sorted(files))
    _put(files, f"{path}/inside", files.pop(path))


ACTS = (
    *(_edit,) * 5,
    *(_rename,) * 2,
    *(_rename_and_edit,) * 2,
    *(_move_folder,) * 2,
    *(_add,) * 3,
    *(_delete, _delete_folder, _change_mode, _to_link, _file_to_folder),
)


def _changed(dice: Dice, files: Files, same: str | None) -> Files:
    """Do one to three acts; with `same` the first is what another side with that word does too."""
    after = dict(files)
    if same is not None and after:
        shared = Dice(same)
        shared.pick(ACTS)(shared, after)
    for _ in range(dice.pick((1, 1, 2, 3))):
        if after:
            dice.pick(ACTS)(dice, after)
    return after


def generate(repository: Path, seeds: Sequence[str]) -> list[Case]:
    """Write one history per seed into an empty repository, by `git fast-import`."""
    feed: list[bytes] = []
    marks: list[tuple[str, int, int, int]] = []
    mark = 0

    def commit(files: Files, parent: int | None, word: str) -> int:
        nonlocal mark
        mark += 1
        who = b"Ann Author <ann@example.org> %d +0200" % (1_600_000_000 + mark)
        feed.append(b"commit refs/heads/made\nmark :%d\nauthor %s\ncommitter %s\n" % (mark, who, who))
        feed.append(b"data %d\n%s\n" % (len(word), word.encode()))
        feed.append(b"from :%d\n" % parent if parent else b"")
        feed.append(b"deleteall\n")
        for path, (mode, content) in sorted(files.items()):
            feed.append(b"M %s inline %s\ndata %d\n" % (mode.encode(), path.encode(), len(content)))
            feed.append(content + b"\n")
        feed.append(b"\n")
        return mark

    for seed in seeds:
        dice = Dice(seed)
        same = f"{seed}/same" if dice.chance(25) else None
        files = _base(dice)
        feed.append(b"reset refs/heads/made\n\n")
        base = commit(files, None, "base")
        ours = commit(_changed(dice, files, same), base, "ours")
        theirs, member = base, files
        for number in range(dice.pick((1, 1, 1, 2, 3))):
            member = _changed(dice, member, same if number == 0 else None)
            theirs = commit(member, theirs, f"member {number}")
        marks.append((seed, base, ours, theirs))
    out = repository / ".git/marks"
    command = ["git", "fast-import", "--quiet", "--force", f"--export-marks={out}"]
    subprocess.run(command, cwd=repository, input=b"".join(feed), check=True)
    oids = dict(line.split() for line in out.read_text().splitlines())
    return [Case(seed, *(oids[f":{number}"] for number in numbers)) for seed, *numbers in marks]
