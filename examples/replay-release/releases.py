"""Two releases of a package: fetched by pip, unpacked, and kept as two commits of one repository."""

import subprocess
import sys
import tarfile
from pathlib import Path

from bundle import Release

NAME, OLDER, NEWER = "more-itertools", "10.7.0", "10.8.0"
PACKAGE = "more_itertools"

# Whatever its user has configured: the same bytes, and nobody is asked for a signature.
CONFIG = {
    "user.name": "Replay",
    "user.email": "replay@example.org",
    "core.autocrlf": "false",
    "core.fileMode": "true",
    "commit.gpgSign": "false",
}


class Unreachable(Exception):  # noqa: N818 - an answer of the world, not an error of ours
    """The package registry gave no release."""


def fetch(folder: Path) -> None:
    """Bring both source releases into a folder, unless they are there. Raises Unreachable."""
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--quiet"]
    for version in (OLDER, NEWER):
        if list(folder.glob(f"*-{version}.tar.gz")):
            continue
        wanted = ["--no-deps", "--no-binary", NAME, "--dest", str(folder), f"{NAME}=={version}"]
        ended = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise Unreachable((ended.stderr.strip().splitlines() or ["pip says nothing"])[-1])


def git(directory: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git and give what it printed, without the last line end."""
    ended = subprocess.run(["git", *arguments], cwd=directory, input=stdin, capture_output=True, check=False)
    if ended.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {ended.stderr.decode(errors='replace')}")
    return ended.stdout.removesuffix(b"\n")


def begin(directory: Path) -> None:
    """Make an empty repository."""
    directory.mkdir(parents=True)
    git(directory, "init", "--quiet", "--initial-branch=main")
    for name, value in CONFIG.items():
        git(directory, "config", name, value)


def commit_releases(folder: Path, directory: Path) -> Release:
    """Commit the older release, then the newer one, each whole, and give the texts of both."""
    begin(directory)
    texts = []
    for version in (OLDER, NEWER):
        git(directory, "rm", "-r", "--quiet", "--force", "--ignore-unmatch", ".")
        _unpack(next(folder.glob(f"*-{version}.tar.gz")), directory)
        git(directory, "add", "--all", "--force")
        git(directory, "commit", "--quiet", "--message", f"{NAME} {version}")
        git(directory, "tag", version)
        texts.append(_texts(directory))
    return Release(*texts)


def _unpack(archive: Path, directory: Path) -> None:
    """Unpack without the folder that everything in the archive stands in."""
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            _, _, path = member.name.partition("/")
            if path:
                packed.extract(member.replace(name=path, deep=False), directory, filter="data")


def _texts(directory: Path) -> dict[str, str]:
    listed = git(directory, "ls-files", "-z").decode().split("\0")
    return {path: (directory / path).read_text(encoding="utf-8", errors="replace") for path in listed if path}
