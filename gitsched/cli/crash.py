"""The report of an internal error: what somebody needs to mend it, and no secret of whoever sends it."""

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_LIBRARIES: Final = ("gitsched", "pygit2", "msgspec", "click")


def write_report(argv: Sequence[str]) -> Path | None:
    """Write a report of the error that is being handled and name its file; None where no place can be written to."""
    from gitsched.codec.redact import redact
    from gitsched.policy.environment import looks_secret

    secrets = [value for name, value in os.environ.items() if looks_secret(name, value)]
    text = redact("\n".join(_lines(argv, traceback.format_exc())).encode("utf-8", "replace"), secrets)
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="gitsched-report-", suffix=".txt", dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


def _folders() -> Iterator[Path]:
    from platformdirs import user_state_path

    yield user_state_path("gitsched") / "reports"
    yield Path(tempfile.gettempdir())


def _lines(argv: Sequence[str], trace: str) -> Iterator[str]:
    yield f"command: gitsched {' '.join(argv)}"
    yield f"python: {sys.version.split()[0]} on {platform.platform()}"
    yield from (f"{library}: {_version(library)}" for library in _LIBRARIES)
    yield ""
    yield trace


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
