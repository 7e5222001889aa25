"""HEAD of a worktree, read from git's own files where they say it plainly, else asked of git."""

from pathlib import Path

from gitsched.adapters.git.process import engine_git


def head_of(worktree: str) -> str | None:
    """Name the commit that HEAD of a worktree stands on; None when it stands on none, or there is no worktree."""
    place = Path(worktree)
    if not place.is_dir():
        return None
    return _plain(place) or _asked(place)


def _plain(place: Path) -> str | None:
    try:
        git_dir = _git_dir(place)
        head = (git_dir / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head if _is_oid(head) else None
        common = git_dir / "commondir"
        root = git_dir / common.read_text().strip() if common.exists() else git_dir
        oid = (root / head.removeprefix("ref: ")).read_text().strip()
        return oid if _is_oid(oid) else None
    except (OSError, ValueError):
        return None  # packed, a reftable, or no repository: git knows


def _git_dir(place: Path) -> Path:
    dot_git = place / ".git"
    if dot_git.is_dir():
        return dot_git
    return place / dot_git.read_text().strip().removeprefix("gitdir: ")


def _is_oid(text: str) -> bool:
    return len(text) in (40, 64) and all(sign in "0123456789abcdef" for sign in text)


def _asked(place: Path) -> str | None:
    done = engine_git(place).run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False)
    return done.text() if done.ok else None
