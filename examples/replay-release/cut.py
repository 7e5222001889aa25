"""Cut the difference of two trees into pieces that apply each on its own.

Input is what `git diff -U0 --binary --no-renames` prints. A piece is a group of hunks of one file that lie
at least `GAP` unchanged lines from the next group, or a whole file where there are no hunks to tell apart:
one that is new, gone, binary, or of which only the mode changed.

A hunk without context says where it stands in the new file. That number counts all hunks before it, so it is
written anew when only some of them are applied.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

GAP = 8
_POSITION = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Hunk(NamedTuple):
    """One change without context: what stood there, and what stands there now."""

    start: int
    """The first old line that it touches, from 1; where it only adds, the one that will follow the addition."""
    old_count: int
    new_count: int
    body: tuple[bytes, ...]
    """Lines as git prints them, with their signs."""

    @property
    def end(self) -> int:
        """The first old line beyond it."""
        return self.start + self.old_count


class Piece(NamedTuple):
    """What is given to one member or another, but never to two."""

    path: str
    header: tuple[bytes, ...]
    """Lines of git's header that this piece must carry: mode changes stand in the first piece of a file alone."""
    hunks: tuple[Hunk, ...] = ()
    whole: tuple[bytes, ...] = ()
    """For a whole file: what follows the header."""


def cut(diff: bytes, gap: int = GAP) -> list[Piece]:
    """Cut a difference into pieces, in its own order."""
    return [piece for section in _sections(diff) for piece in _pieces(section, gap)]


def patch_of(pieces: Iterable[Piece]) -> bytes:
    """Write pieces as one patch that applies where none of the others is applied."""
    by_path: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_path.setdefault(piece.path, []).append(piece)
    return b"".join(line for found in by_path.values() for line in _file_lines(found))


def applied(text: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Make the changes of some hunks in a text, as git would."""
    lines, at = re.findall(rb"[^\n]*\n|[^\n]+", text), 0
    made: list[bytes] = []
    for hunk in sorted(hunks):
        made += lines[at : hunk.start - 1]
        made += _added(hunk.body)
        at = hunk.end - 1
    return b"".join([*made, *lines[at:]])


def _added(body: tuple[bytes, ...]) -> Iterator[bytes]:
    for line, following in zip(body, (*body[1:], b""), strict=True):
        if line.startswith(b"+"):
            # The mark behind a line says that the file ends without a line end.
            yield line[1:-1] if following.startswith(b"\\") else line[1:]


def _sections(diff: bytes) -> Iterator[list[bytes]]:
    section: list[bytes] = []
    # A body line begins with a sign, so nothing in a file is ever taken for a header; only \n ends a line.
    for line in re.findall(rb"[^\n]*\n", diff):
        if line.startswith(b"diff --git ") and section:
            yield section
            section = []
        section.append(line)
    if section:
        yield section


def _pieces(section: list[bytes], gap: int) -> Iterator[Piece]:
    first = next((n for n, line in enumerate(section) if _POSITION.match(line)), None)
    head = section[: first if first is not None else len(section)]
    path = _path(head)
    is_whole = any(line.startswith((b"new file", b"deleted file", b"GIT binary", b"Binary")) for line in head)
    if first is None or is_whole:
        yield Piece(path, (), whole=tuple(section))
        return
    modes = tuple(line for line in head if line.startswith((b"old mode", b"new mode")))
    names = tuple(line for line in head if line.startswith((b"--- ", b"+++ ")))
    for number, hunks in enumerate(_grouped(_hunks(section[first:]), gap)):
        yield Piece(path, (head[0], *(modes if number == 0 else ()), *names), tuple(hunks))


def _path(head: list[bytes]) -> str:
    # Both names are the same, so each is one half of the line, whatever stands in them.
    both = head[0].removeprefix(b"diff --git ").removesuffix(b"\n")
    name = both[: (len(both) - 1) // 2].strip(b'"')
    return name.removeprefix(b"a/").decode("utf-8", "surrogateescape")


def _hunks(lines: list[bytes]) -> Iterator[Hunk]:
    starts = [n for n, line in enumerate(lines) if _POSITION.match(line)]
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        position = _POSITION.match(lines[begin])
        assert position is not None
        old_start, old_count, new_count = int(position[1]), int(position[2] or 1), int(position[4] or 1)
        # "-5,0" means: after line 5.
        start = old_start if old_count else old_start + 1
        yield Hunk(start, old_count, new_count, tuple(lines[begin + 1 : end]))


def _grouped(hunks: Iterable[Hunk], gap: int) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end >= gap:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _file_lines(pieces: list[Piece]) -> Iterator[bytes]:
    if pieces[0].whole:
        yield from pieces[0].whole
        return
    header = max((piece.header for piece in pieces), key=len)
    yield from header
    shift = 0
    for hunk in sorted(hunk for piece in pieces for hunk in piece.hunks):
        yield b"@@ -%s +%s @@\n" % (_range(hunk.start, hunk.old_count), _range(hunk.start + shift, hunk.new_count))
        yield from hunk.body
        shift += hunk.new_count - hunk.old_count


def _range(start: int, count: int) -> bytes:
    return b"%d,%d" % (start if count else start - 1, count)
