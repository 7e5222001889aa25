"""A glance at the local forge for verbs that only look: one git process, and libgit2 is not loaded."""

from collections.abc import Iterable, Iterator, Mapping

from gitsched.adapters.git.process import Git
from gitsched.codec.forge import UndecodableError, decode_record
from gitsched.domain.forge import Issue
from gitsched.domain.ids import FORGE_REF


class Glance:
    """Reads issues by number, and nothing else."""

    def __init__(self, git: Git) -> None:
        """Look through that git."""
        self._git = git

    def issues(self, numbers: Iterable[int] | None = None) -> Mapping[int, Issue]:
        """Read those issues (None: none at all); one that is not there or does not decode is left out."""
        wanted = list(numbers or ())
        asked = "".join(f"{FORGE_REF}:issues/{number}/issue\n" for number in wanted)
        out = self._git.run("cat-file", "--batch", stdin=asked.encode()).out if wanted else b""
        found: dict[int, Issue] = {}
        for number, raw in zip(wanted, _answers(out), strict=True):
            try:
                found |= {number: decode_record(raw, Issue)} if raw is not None else {}
            except UndecodableError:
                continue
        return found


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
