"""Lay out what git's merge machinery reads besides trees: attributes, and merge drivers that may run.

Git reads `.gitattributes` from a worktree. A landing has none, and the user's checkout may stand on
anything; so the files of the very tree that is merged into are laid out in a folder of their own, which
git is told is its worktree. A custom merge driver is a command from the configuration, which an agent
that shares the `.git` folder could have written: only named ones run, any other one is a conflict.
"""

import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path

import pygit2

from gitsched.adapters.git.objects import Objects

_NAME = b".gitattributes"
_REGULAR = frozenset({b"100644", b"100755", b"100664"})
_DRIVER_PREFIX, _DRIVER_SUFFIX = "merge.", ".driver"


def attribute_blobs(objects: Objects, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
    """Find the attribute files of `tree` that speak about `paths`: path of the file to blob."""
    folders = {b""}
    for path in paths:
        parts = path.split(b"/")[:-1]
        folders |= {b"/".join(parts[:depth]) + b"/" for depth in range(1, len(parts) + 1)}
    found: dict[bytes, str] = {}
    for folder in sorted(folders):
        entry = objects.entry_at(tree, folder + _NAME)
        if entry is not None and entry[0] in _REGULAR:
            found[folder + _NAME] = entry[1].hex()
    return found


class AttributeFolders:
    """Folders that hold attribute files only, named by what they hold, for as long as this lives."""

    def __init__(self, objects: Objects) -> None:
        """Read contents from `objects`; nothing is on disk before the first folder is asked for."""
        self._objects = objects
        self._root: Path | None = None

    @property
    def nothing(self) -> Path:
        """Name a file that does not exist."""
        return self._folder() / "nothing"

    def lay_out(self, files: dict[bytes, str]) -> Path:
        """Give the folder that holds these files (path to blob), made if it is not there."""
        named = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
        folder = self._folder() / named
        if not folder.exists():
            folder.mkdir()
            for path, blob in files.items():
                place = folder / os.fsdecode(path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(self._objects.blob(blob))
        return folder

    def _folder(self) -> Path:
        if self._root is None:
            self._root = Path(tempfile.mkdtemp(prefix="gitsched-attributes-"))
            weakref.finalize(self, shutil.rmtree, self._root, ignore_errors=True)
        return self._root


def disarmed_drivers(repository: pygit2.Repository, allowed: frozenset[str]) -> dict[str, str]:
    """Give environment for git that turns every merge driver but the allowed ones into a conflict.

    Source: gitattributes(5), "Defining a custom merge driver": other than 0 means conflicts.
    """
    keys = {
        entry.name
        for entry in repository.config
        if entry.name.startswith(_DRIVER_PREFIX)
        and entry.name.endswith(_DRIVER_SUFFIX)
        and entry.name[len(_DRIVER_PREFIX) : -len(_DRIVER_SUFFIX)] not in allowed
    }
    env = {"GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(sorted(keys)):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": "false"}
    return env


def renormalizes(repository: pygit2.Repository) -> bool:
    """Say whether merges are to see through line endings and filters (`merge.renormalize`)."""
    config = repository.config
    return "merge.renormalize" in config and config.get_bool("merge.renormalize")
