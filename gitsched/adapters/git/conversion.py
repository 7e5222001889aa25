"""What decides, outside of any commit, how git turns the contents of a commit into files.

Whoever changes it changes what a suite reads, in every tree of the repository, without a commit that says so.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from gitsched.adapters.git.process import engine_git

_DECIDING = (
    "filter.",
    "merge.",
    "include",
    "core.attributesfile",
    "core.autocrlf",
    "core.eol",
    "core.symlinks",
    "core.sparsecheckout",
    "core.worktree",
)
"""Beginnings of the keys of git's configuration that do (gitattributes(5), git-config(1)), in lower case."""
_FILES = ("config", "info/attributes")
_INCLUDE = b"include"


class Conversion:
    """The rules of one repository; read again only when a file of them is another than before.

    What a user's own configuration says is left out: drivers that are started in other ways would read another one.
    """

    def __init__(self, common: Path) -> None:
        """Stand on the git directory that all worktrees share."""
        self._common = common
        self._files = tuple(common / name for name in _FILES)
        self._known: tuple[tuple[object, ...], str] | None = None

    def digest(self) -> str:
        """Name the rules as they are; the same rules have the same name."""
        versions = tuple(map(version_of, self._files))
        if self._known is not None and self._known[0] == versions:
            return self._known[1]
        rules = self._rules()
        name = sha256(b"\0".join([*rules, b"", *self._attributes()])).hexdigest()
        # Of a file that is included nobody here sees whether it is another one by now.
        self._known = None if any(rule.lower().startswith(_INCLUDE) for rule in rules) else (versions, name)
        return name

    def _rules(self) -> list[bytes]:
        git = engine_git(self._common, {"GIT_DIR": str(self._common)})
        told = git.run("config", "--local", "--includes", "--list", "-z", check=False).out
        return sorted(line for line in told.split(b"\0") if line.lower().startswith(_PREFIXES))

    def _attributes(self) -> Iterator[bytes]:
        file = self._common / "info/attributes"
        if file.is_file():
            yield file.read_bytes()


_PREFIXES = tuple(key.encode() for key in _DECIDING)


def version_of(file: Path) -> tuple[int, int, int, int] | None:
    """Tell one version of a file from the next, without reading it: git puts another file in its place."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
