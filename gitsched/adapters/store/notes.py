"""Notes as git reads them: a tree whose paths are the ids of the annotated objects, fanned out by two digits."""

from collections.abc import Iterable

from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.trees import Trees
from gitsched.domain.state import Note

_FAN = 2
_ID_DIGITS = 40


class NotesTree:
    """Edits notes trees of any fan-out; what is written goes one level deep, or as deep as is there."""

    def __init__(self, trees: Trees) -> None:
        """Read by `trees`."""
        self._trees = trees

    def with_notes(self, writer: LooseWriter, root: bytes | None, notes: Iterable[Note]) -> bytes:
        """Write the tree with these notes in it, each in the place of its object's note before."""
        changes: dict[str, bytes | None] = dict(self._fanned_out(root))
        for note in notes:
            blob = writer.put("blob", note.text.encode("utf-8", "replace").rstrip(b"\n") + b"\n")
            old, new = self._paths(root, note.target)
            if old != new:
                changes[old] = None
            changes[new] = blob
        tree = self._trees.edit(root, changes, writer.put)
        assert tree is not None, "a note is in it"
        return tree

    def _fanned_out(self, root: bytes | None) -> dict[str, bytes | None]:
        """Move the notes of a flat tree down one level: a flat tree costs its whole length at every note."""
        if root is None:
            return {}
        flat = [
            (name.decode(), entry[-20:]) for name, entry in self._trees.tree(root).items() if len(name) == _ID_DIGITS
        ]
        gone: dict[str, bytes | None] = {name: None for name, _ in flat}
        return gone | {f"{name[:_FAN]}/{name[_FAN:]}": blob for name, blob in flat}

    def _paths(self, root: bytes | None, target: str) -> tuple[str, str]:
        """Name where the object's note is, and where it is to be; the same where it stays."""
        folder, rest = "", target
        while root is not None and rest:
            if folder and self._trees.find(root, folder + rest):
                return folder + rest, folder + rest
            deeper = f"{folder}{rest[:_FAN]}"
            below = self._trees.find(root, deeper)
            if below is None or len(rest) <= _FAN:
                break
            folder, rest = f"{deeper}/", rest[_FAN:]
        new = folder + rest if folder else f"{target[:_FAN]}/{target[_FAN:]}"
        return (target if not folder else new), new
