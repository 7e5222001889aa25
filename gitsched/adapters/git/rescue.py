"""Save uncommitted work to a ref before somebody else takes the tree over or it is cleaned.

The tree is left exactly as it was: index, branch and files. What looks like a secret, is very large, cannot be read,
or is a repository of its own is left, and named in the answer and in the commit.
"""

import os
from pathlib import Path

from gitsched.adapters.git.changes import Change, changes
from gitsched.adapters.git.private_index import commit_of
from gitsched.adapters.git.site import Site
from gitsched.errors import RefusedError
from gitsched.policy.secrets import secret_looking
from gitsched.ports.worktrees import Identity, Rescued

LIMIT_BYTES = 50 * 1024 * 1024
SAVED_BY = Identity("gitsched", "gitsched@localhost")
_AUTOSTASHES = ("rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH")


def rescue(site: Site, ref: str, limit_bytes: int, copied: frozenset[str]) -> Rescued | None:
    """Save what differs from HEAD as a commit on the new ref; see `TreeWork.rescue`."""
    found = [change for change in changes(site, inside_submodules=True) if change.path not in copied]
    stashed = [oid for name in _AUTOSTASHES if (oid := _oid_in(site.admin / name))]
    reasons = {change.path: _reason_to_leave(site.path, change, limit_bytes) for change in found}
    left = tuple(f"{path} ({reason})" for path, reason in reasons.items() if reason)
    taken = [path for path, reason in reasons.items() if not reason]
    commit = commit_of(site, taken, _message(left), SAVED_BY, stashed) if taken else None
    if commit is None:
        commit = stashed[0] if stashed else None
    if commit is not None:
        commit = _publish(site, ref, commit)
    return Rescued(commit=commit, left=left) if commit or left else None


def _reason_to_leave(tree: Path, change: Change, limit_bytes: int) -> str | None:
    if change.is_nested:
        return "a repository of its own"
    if change.is_dirty_inside:
        return "a submodule with changes of its own"
    if secret_looking(change.path):
        return "looks like a secret"
    place = tree / change.path
    if not os.path.lexists(place) or place.is_symlink() or place.is_dir():
        return None
    if place.stat().st_size > limit_bytes:
        return f"larger than {limit_bytes} bytes"
    return None if os.access(place, os.R_OK) else "cannot be read"


def _message(left: tuple[str, ...]) -> str:
    lines = ["Uncommitted work, saved before its tree was given on", ""]
    return "\n".join([*lines, *(f"Left out: {item!r}" for item in left)])


def _oid_in(file: Path) -> str:
    try:
        return file.read_text().strip()
    except (OSError, ValueError):
        return ""


def _publish(site: Site, ref: str, commit: str) -> str:
    """Create the ref; one that is there already with the same content is this very rescue, done before a kill."""
    if site.git.run("update-ref", ref, commit, "0" * len(commit), check=False).ok:
        return commit
    there = site.git.run("rev-parse", "--verify", "-q", ref).text()
    if site.git.run("diff", "--quiet", "--no-ext-diff", there, commit, "--", check=False).ok:
        return there
    raise RefusedError(
        f"Work in '{site.path}' was to be saved as '{ref}'.",
        f"That ref holds other work, {there[:12]}.",
        "Save it under the next number.",
    )
