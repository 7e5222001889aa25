"""Where a repository's shared parts lie, found without starting git: a cold `status` has no time for it."""

import re
from dataclasses import dataclass
from pathlib import Path

from gitsched.errors import RefusedError

_UNFIT = (
    (re.compile(r"(?im)^\s*objectformat\s*=\s*\"?sha256"), "its objects are named by SHA-256", "sha1"),
    (re.compile(r"(?im)^\s*refstorage\s*=\s*\"?reftable"), "its refs are in a reftable", "files"),
)
_REMEDY = {
    "sha1": "libgit2 cannot read such a repository; use one made by `git init --object-format=sha1`.",
    "files": "`git refs migrate --ref-format=files` changes it into one that can be used.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The git directory that all worktrees of a repository share, and what gitsched keeps in it."""

    common: Path

    def file_of(self, ref: str) -> str:
        """Name the file in which a ref stands that is not packed."""
        return f"{self.common}/{ref}"

    def has_file_of(self, ref: str) -> bool:
        """Say whether a ref has a file, whatever is in it."""
        return (self.common / ref).is_file()

    @property
    def objects(self) -> Path:
        """Name the folder of the objects."""
        return self.common / "objects"

    @property
    def own(self) -> Path:
        """Name the folder of what is gitsched's, local and disposable."""
        return self.common / "gitsched"

    def lock_of(self, ref: str) -> Path:
        """Name the file by which git locks this ref."""
        return self.common / f"{ref}.lock"


def find_place(start: Path) -> Place:
    """Find the repository at `start` or above it: normal, bare, or a linked worktree.

    Raises RefusedError where there is none, or where its format is one that we cannot write.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        found = _git_directory(folder)
        if found is not None:
            place = Place(_shared(found))
            _refuse_unfit(place)
            return place
    raise RefusedError(
        f"A git repository was looked for at '{start}'.",
        "Neither this folder nor one above it is one.",
        "Call gitsched inside a repository, or make one with `git init`.",
    )


def _git_directory(folder: Path) -> Path | None:
    inner = folder / ".git"
    if inner.is_dir():
        return inner
    if inner.is_file():
        return folder / inner.read_text().removeprefix("gitdir:").strip()
    bare = (folder / "HEAD").is_file() and ((folder / "objects").is_dir() or (folder / "commondir").is_file())
    return folder if bare else None


def _shared(directory: Path) -> Path:
    pointer = directory / "commondir"
    return (directory / pointer.read_text().strip()).resolve() if pointer.is_file() else directory.resolve()


def _refuse_unfit(place: Place) -> None:
    try:
        config = (place.common / "config").read_text(errors="replace")
    except FileNotFoundError:
        return
    for pattern, why, wanted in _UNFIT:
        if pattern.search(config):
            raise RefusedError(f"The repository at '{place.common}' was to be used.", f"{why}.", _REMEDY[wanted])
