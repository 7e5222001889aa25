"""The commits that the store writes: who caused them, who wrote them, and what they say."""

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from gitsched.adapters.store.loose import LooseWriter
from gitsched.domain.instants import Instant, epoch_seconds

_UNFIT = dict.fromkeys([*map(ord, "<>"), *range(32), 127], " ")


class Signer(Struct, frozen=True):
    """The driver that commits, at one instant, for the person or App that caused it."""

    driver: str
    actor: str
    at: Instant

    def author(self) -> bytes:
        """Write the actor as git's author line does."""
        return self._signed(self.actor, self.actor)

    def committer(self) -> bytes:
        """Write gitsched, with the driver's id, as git's committer line does."""
        return self._signed("gitsched", self.driver)

    def _signed(self, name: str, local: str) -> bytes:
        return _named(name, local) + b" %d +0000" % epoch_seconds(self.at)


def put_commit(writer: LooseWriter, signer: Signer, tree: str, parents: Iterable[str], message: str) -> str:
    """Write a commit and name it."""
    lines = [b"tree " + tree.encode(), *(b"parent " + parent.encode() for parent in parents)]
    lines += [b"author " + signer.author(), b"committer " + signer.committer()]
    text = message.replace("\0", " ").encode("utf-8", "replace")
    return writer.put("commit", b"\n".join(lines) + b"\n\n" + text).hex()


@lru_cache(maxsize=64)
def _named(name: str, local: str) -> bytes:
    address = _fit(local).replace(" ", "-").replace("@", "-")
    return f"{_fit(name)} <{address}@gitsched>".encode("utf-8", "replace")


def _fit(name: str) -> str:
    """Leave out what git would refuse in a name; one that has nothing else becomes gitsched's."""
    return " ".join(name.translate(_UNFIT).split()).strip(" .,:;\"'\\") or "gitsched"
