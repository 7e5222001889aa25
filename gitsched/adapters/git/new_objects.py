"""Objects that a fetch has just brought, and a garbage collection that may have listed what is reachable before that.

`git gc --prune=now` deletes what it did not list, also when a ref leads there by now. A pack that it did not list it
leaves alone.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from gitsched.adapters.git.half_made import half_made
from gitsched.adapters.git.process import Git

_DISTURBED = re.compile(
    r"unable to create temporary file: No such file|unpack-objects failed|Could not read [0-9a-f]{40}"
    r"|bad object|did not send all necessary objects"
)
_OURS = ("--glob=refs/gitsched/*", "--glob=refs/notes/gitsched/*", "--glob=refs/heads/gitsched/*")


def is_disturbed(complaint: str) -> bool:
    """Say whether a fetch failed because something was deleted under its hands; it is not the remote's fault."""
    return half_made(complaint) is None and _DISTURBED.search(complaint) is not None


class NewObjects:
    """What refs below some prefixes lead to, and our own refs and the target do not yet."""

    def __init__(self, git: Git, common: Path, prefixes: Sequence[str], target: str) -> None:
        """Stand on a clone; `target` is the ref of a branch whose history is large, and not ours."""
        self._git = git
        self._common = common
        self._prefixes = prefixes
        self._target = target

    def are_safe(self) -> bool:
        """Say whether they are whole and stay so; while garbage is collected they are put into a pack for that."""
        known = [self._target] if self._git.run("rev-parse", "-q", "--verify", self._target, check=False).ok else []
        globs = [f"--glob={prefix}*" for prefix in self._prefixes]
        words = ("rev-list", "--objects", "--no-object-names", *globs, "--not", *_OURS, *known)
        listed = self._git.run(*words, check=False)
        if not listed.ok or not (self._common / "gc.pid").exists():
            return listed.ok
        packed = self._git.run("pack-objects", "--stdout", "--quiet", stdin=listed.out, check=False)
        return packed.ok and self._git.run("index-pack", "--stdin", stdin=packed.out, check=False).ok
