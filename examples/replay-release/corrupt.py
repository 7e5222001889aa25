"""Corrupt a member: make one of its changed functions fail when it is called, and nothing else.

A `raise` is put before an added `return` or `yield`. It is tried line by line until Python agrees that what
came out is a statement of the program and not a part of some text.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from cut import Hunk, Piece, applied

MARK = "corrupted on purpose"
_LEAVES = re.compile(rb"\+( +)(?:return|yield)\b")


def corrupted(pieces: Sequence[Piece], older: Mapping[str, str], package: str) -> list[Piece] | None:
    """Give the same pieces with one fault in the code of `package`; None where they change no function of it."""
    for number, piece in enumerate(pieces):
        if not piece.path.startswith(f"{package}/") or not piece.path.endswith(".py"):
            continue
        for hunks in _faulty(piece.hunks):
            whole = [
                hunk for other in pieces if other is not piece and other.path == piece.path for hunk in other.hunks
            ]
            if _raises(applied(older[piece.path].encode(), [*whole, *hunks])):
                return [*pieces[:number], piece._replace(hunks=hunks), *pieces[number + 1 :]]
    return None


def _faulty(hunks: tuple[Hunk, ...]) -> Iterator[tuple[Hunk, ...]]:
    for number, hunk in enumerate(hunks):
        for line, text in enumerate(hunk.body):
            found = _LEAVES.match(text)
            if found is not None:
                fault = b"+%sraise RuntimeError('%s')\n" % (found[1], MARK.encode())
                body = (*hunk.body[:line], fault, *hunk.body[line:])
                faulty = hunk._replace(new_count=hunk.new_count + 1, body=body)
                yield (*hunks[:number], faulty, *hunks[number + 1 :])


def _raises(source: bytes) -> bool:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    raised = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return any(isinstance(exc, ast.Call) and MARK in ast.unparse(exc) for exc in raised)
