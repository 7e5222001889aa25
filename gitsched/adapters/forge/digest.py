"""A disposable file with all issues but for their bodies, for processes that start cold and only look.

It names the tree it was made from, so that a reader asks git for what has changed since and for nothing else. Only
writers make it: a verb that only looks writes nothing.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gitsched.domain.forge import Issue

FEW = 256
"""So many issues may have changed since, and in a long list an eighth, before it is made again."""
_FILE = "gitsched/cache/issues"


class Digest(Struct, frozen=True, array_like=True):
    """The issues as they were in one tree."""

    tree: str
    """Of the folder `issues`."""
    folders: dict[int, str]
    """By number: its folder in that tree."""
    issues: dict[int, Issue]
    """By number; one whose record does not decode is left out."""


_DECODER = msgspec.msgpack.Decoder(Digest)
_NOTHING = Digest("", {}, {})


def load(common: Path) -> Digest:
    """Read the digest; an empty one when there is none, or it is not whole."""
    try:
        return _DECODER.decode((common / _FILE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return _NOTHING


def refresh(common: Path, tree: str, folders: Mapping[int, str], read: Callable[[int], Issue | None]) -> None:
    """Make the digest again when too much has changed; what has not is taken over. On a full disk there is none."""
    known = load(common)
    changed = [number for number, folder in folders.items() if known.folders.get(number) != folder]
    if len(changed) < max(FEW, len(folders) // 8):
        return
    issues = {number: issue for number, issue in known.issues.items() if number in folders}
    for number in changed:
        issue = read(number)
        if issue is None:
            issues.pop(number, None)
        else:
            issues[number] = without_body(issue)
    _save(common / _FILE, msgspec.msgpack.encode(Digest(tree, dict(folders), issues)))


def without_body(issue: Issue) -> Issue:
    """Give an issue as a digest holds it."""
    return replace(issue, body="")


def _save(file: Path, content: bytes) -> None:
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        os.replace(temporary, file)
    except OSError:
        temporary.unlink(missing_ok=True)
