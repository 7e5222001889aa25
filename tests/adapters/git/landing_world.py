"""What landing tests have in common: fixed terms, and git's own rebase as the reference."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from gitsched.adapters.git.lander import GitLander
from gitsched.domain.landing import Decoration, Landing, Proven, Rebased, Signature, Strategy, Terms, Work
from tests.adapters.git.landing_cases import LINES, Project, Side
from tests.real_git import run_git

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
    run("clean", "-ffdxq")
    assert run("checkout", "--force", "--detach", cut).returncode == 0
    return None


@dataclass
class Story:
    """A repository whose integration head moves as members land."""

    project: Project
    base: str
    onto: str
    landed: Rebased | None = None

    @property
    def lander(self) -> GitLander:
        return GitLander(self.project.path)

    def member(self, *steps: Side, cut: str | None = None) -> Work:
        """Cut a member and make a commit of each step; steps may commit by themselves."""
        start = cut or self.base
        self.project.git(self.project.path, "checkout", "-q", "-f", "--detach", start)
        for number, step in enumerate(steps):
            step(self.project)
            if self.project.git(self.project.path, "status", "--porcelain"):
                self.project.commit(f"Step {number}")
        return Work(start, self.head())

    def head(self) -> str:
        return self.project.git(self.project.path, "rev-parse", "HEAD")

    def land(self, work: Work, terms: Terms = ISSUE_7) -> Landing:
        """Land a member, demand the proof, and move the head."""
        landing = self.lander.land(work, self.onto, terms)
        if isinstance(landing, Rebased):
            assert self.lander.prove(work, self.onto, landing) == Proven()
            self.onto, self.landed = landing.head, landing
        return landing

    def show(self, path: str) -> str:
        return self.project.git(self.project.path, "show", f"{self.onto}:{path}")

    def log(self, form: str, span: str | None = None) -> list[str]:
        found = self.project.git(
            self.project.path, "log", "--reverse", f"--format={form}", span or f"{self.base}..{self.onto}"
        )
        return found.split("\n")


def a_story(folder: Path, *steps: Side) -> Story:
    """Begin a repository with what the steps write."""
    run_git(folder, "init", "-q", "project")
    project = Project(folder / "project", run_git)
    for step in (lambda p: p.write("keep", "k\n"), *steps):
        step(project)
    base = project.commit("Begin")
    return Story(project, base, base)


def issue(number: int, strategy: Strategy = Strategy.REBASE) -> Terms:
    return Terms(committer=COMMITTER, decoration=Decoration.of_member("b1", number), strategy=strategy)


def three_files(project: Project) -> None:
    project.write("app.py", LINES)
    project.write("b.py", "b\n")
    project.write("c.py", "c\n")


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """Give the test a repository with app.py (twenty lines), b.py and c.py."""
    return a_story(tmp_path, three_files)
