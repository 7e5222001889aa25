"""The anchor chain: commits whose extra parents must never be collected."""

from collections.abc import Sequence

from gitsched.adapters.store.commits import Signer, put_commit
from gitsched.adapters.store.loose import LooseWriter
from gitsched.adapters.store.objects import ObjectReader

_REMEMBERED = 1000
"""How many links of the chain are looked through for what is kept already; keeping twice does no harm."""


class KeepChain:
    """Remembers what the chain keeps, up to some length, so that nothing is anchored twice."""

    def __init__(self, objects: ObjectReader) -> None:
        """Read by `objects`."""
        self._objects = objects
        self._tip: str | None = None
        self._kept: frozenset[str] = frozenset()

    def anchored(
        self, writer: LooseWriter, tip: str | None, commits: Sequence[str], signer: Signer, why: str
    ) -> str | None:
        """Write the next link, with those commits as parents that the chain does not keep; None: it keeps all."""
        if tip != self._tip:
            self._tip, self._kept = tip, frozenset(self._parents(tip))
        new = [commit for commit in dict.fromkeys(commits) if commit not in self._kept]
        if not new:
            return None
        message = f"Keep {len(new)} commit{'s' * (len(new) > 1)}: {why}\n\n" + "".join(f"{commit}\n" for commit in new)
        tree = writer.put("tree", b"").hex()
        return put_commit(writer, signer, tree, [*([tip] if tip else []), *new], message)

    def _parents(self, tip: str | None) -> list[str]:
        found: list[str] = []
        for _ in range(_REMEMBERED):
            content = self._objects.read(bytes.fromhex(tip)) if tip else None
            if content is None:
                break
            parents = [
                line[7:].decode() for line in content.partition(b"\n\n")[0].split(b"\n") if line[:7] == b"parent "
            ]
            found += parents
            # The first link has no link before it: its first parent is a kept commit, whose message is not ours.
            tip = parents[0] if parents and content.partition(b"\n\n")[2].startswith(b"Keep ") else None
        return found
