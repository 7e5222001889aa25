"""A glance at the local forge for verbs that only look: two or three git processes, and libgit2 is not loaded."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gitsched.adapters.forge.digest import FEW, load, without_body
from gitsched.adapters.git.process import engine_git
from gitsched.codec.forge import UndecodableError, decode_record
from gitsched.domain.forge import Issue
from gitsched.domain.ids import FORGE_REF


class Glance:
    """Reads issues by number, and nothing else."""

    def __init__(self, common: Path) -> None:
        """Look at the forge of a clone by its common git directory."""
        self._common = common
        self._git = engine_git(common)

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue]:
        """Read those issues (None: none at all) without their bodies; what is not there or does not decode is left out.

        What has not changed since a writer's last digest is taken from there.
        """
        wanted, digest = set(numbers or ()), load(self._common)
        if not digest.tree and len(wanted) <= FEW:
            return self._read({number: f"{FORGE_REF}:issues/{number}/issue" for number in sorted(wanted)})
        tree = self._git.run("rev-parse", "--verify", "-q", f"{FORGE_REF}:issues", check=False).text() if wanted else ""
        if not tree:
            return {}
        changed = self._changed(digest.tree, tree)
        unread = self._all(tree) if changed is None else changed
        kept = {} if changed is None else digest.issues
        found = {number: issue for number, issue in kept.items() if number in wanted and number not in unread}
        return found | self._read({number: f"{unread[number]}:issue" for number in sorted(wanted & unread.keys())})

    def _changed(self, before: str, tree: str) -> dict[int, str] | None:
        """Map what is another in `tree` to its folder there; None when it cannot be told."""
        if before in ("", tree):
            return {} if before else None
        told = self._git.run("diff-tree", "-z", before, tree, check=False)
        words = told.text().split("\0")
        changed = {name: row.split(" ")[3] for row, name in zip(words[::2], words[1::2], strict=False)}
        return _numbered(changed) if told.ok else None

    def _all(self, tree: str) -> dict[int, str]:
        rows = (row.split("\t") for row in self._git.run("ls-tree", "-z", tree).text().split("\0") if row)
        return _numbered({name: row.split(" ")[2] for row, name in rows})

    def _read(self, names: Mapping[int, str]) -> dict[int, Issue]:
        asked = "".join(f"{name}\n" for name in names.values())
        out = self._git.run("cat-file", "--batch", stdin=asked.encode()).out if names else b""
        found: dict[int, Issue] = {}
        for number, raw in zip(names, _answers(out), strict=True):
            try:
                if raw is not None:
                    found[number] = without_body(decode_record(raw, Issue))
            except UndecodableError:
                continue
        return found


def _numbered(folders: Mapping[str, str]) -> dict[int, str]:
    return {int(name): folder for name, folder in folders.items() if name.isascii() and name.isdigit()}


def _answers(out: bytes) -> Iterator[bytes | None]:
    """Take git's answers apart: `<oid> <type> <size>`, the object and a line end; or `<name> missing`."""
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if words[-1] == b"missing":
            yield None
            continue
        size = int(words[-1])
        yield out[at : at + size]
        at += size + 1
