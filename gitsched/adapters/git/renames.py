"""Ask git which files moved between two trees."""

from gitsched.adapters.git.process import Git


def renames(git: Git, before: str, after: str) -> dict[bytes, bytes]:
    """Map new names to old ones, by git's own detection."""
    fields = git.run("diff-tree", "-r", "-z", "-M", "--diff-filter=R", before, after).out.split(b"\0")
    return dict(zip(fields[2::3], fields[1::3], strict=False))
