"""A repository's past, read without a trace: landings are tried on objects beside it, which are removed afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gitsched.domain.past import PastMember
from gitsched.engine.past import Change, PastCommit, members_of
from gitsched.errors import UsageError

if TYPE_CHECKING:
    from gitsched.ports.landing import Lander
    from gitsched.wiring.clone import Clone


def past_of(clone: "Clone", span: str) -> tuple[list[PastMember], list[Change]]:
    """Read the members of a range such as `v1..main`. Raises UsageError for one that is unknown or empty."""
    from gitsched.adapters.git.process import engine_git

    git = engine_git(clone.common_dir)
    if span.startswith("-"):
        raise _wrong(span, "It is no range of commits.")
    told = git.run("log", "--format=%H%x00%P%x00%B%x01", "--end-of-options", span, "--", check=False)
    if not told.ok:
        raise _wrong(span, "git knows no such range here.")
    commits, head = {}, ""
    for record in told.text().split("\x01"):
        name, _, rest = record.strip("\n").partition("\0")
        parents, _, message = rest.partition("\0")
        if name:
            commits[name] = PastCommit(tuple(parents.split()), message)
            head = head or name
    members, changes = members_of(head, commits)
    if not members:
        raise _wrong(span, "It holds no commit that has a parent.")
    return members, changes


def _wrong(span: str, why: str) -> UsageError:
    return UsageError(f"The history {span!r} was to be replayed.", why, "Try `gitsched backtest HEAD~200..HEAD`.")


@contextmanager
def lander_beside(clone: "Clone") -> "Iterator[Lander]":
    """Give a lander that reads a repository's objects and writes its own elsewhere."""
    from gitsched.adapters.git.lander import GitLander
    from gitsched.adapters.git.process import engine_git

    with tempfile.TemporaryDirectory(prefix="gitsched-backtest-") as folder:
        beside = Path(folder) / "beside.git"
        engine_git(Path(folder)).run("init", "--quiet", "--bare", str(beside))
        alternates = beside / "objects" / "info" / "alternates"
        alternates.write_text(f"{clone.common_dir / 'objects'}\n", encoding="utf-8")
        yield GitLander(beside)
