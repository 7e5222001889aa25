"""What landing tests have in common: fixed terms, and git's own rebase as the reference."""

import os
import shutil
import subprocess
from pathlib import Path

from gitsched.domain.landing import Decoration, Signature, Terms

COMMITTER = Signature("Gitsched", "gitsched@example.org", 1_700_000_000)
BARE = Terms(committer=COMMITTER, decoration=None)
ISSUE_7 = Terms(committer=COMMITTER, decoration=Decoration.of_member("b1", 7))


def rebased_by_git(worktree: Path, onto: str, cut: str, head: str, *settings: str) -> str | None:
    """Rebase cut..head onto `onto` by git itself; the new head, or None for a conflict."""
    env = {
        **os.environ,
        "GIT_COMMITTER_NAME": COMMITTER.name,
        "GIT_COMMITTER_EMAIL": COMMITTER.email,
        "GIT_COMMITTER_DATE": f"{COMMITTER.at_s} +0000",
    }
    options = [word for setting in settings for word in ("-c", setting)]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *options, *words], cwd=worktree, env=env, capture_output=True, text=True, check=False
        )

    ended = run("rebase", "--quiet", "--onto", onto, cut, head)
    if ended.returncode == 0:
        return run("rev-parse", "HEAD").stdout.strip()
    # Git 2.39 aborts itself over some conflicts: "BUG: merge-ort.c: Conflicted x but nothing in basic ...".
    assert "conflict" in (ended.stdout + ended.stderr).lower(), ended
    if ended.returncode < 0:
        (worktree / run("rev-parse", "--git-path", "index.lock").stdout.strip()).unlink(missing_ok=True)
        shutil.rmtree(worktree / run("rev-parse", "--git-path", "rebase-merge").stdout.strip())
    run("rebase", "--abort")
    assert run("checkout", "--force", "--detach", cut).returncode == 0
    return None
