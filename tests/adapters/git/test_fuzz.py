"""Landing against git's own rebase, over generated histories."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from gitsched.adapters.git.lander import GitLander
from gitsched.domain.landing import Conflict, Landing, NothingToLand, Proven, Rebased, Work
from tests.adapters.git.landing_world import BARE, rebased_by_git
from tests.adapters.git.tree_pairs import Case, generate
from tests.real_git import Git

SAMPLE, ALL = 150, 2_000
START = int(os.environ.get("FUZZ_START", "0"))


def _told(landing: Landing) -> str:
    match landing:
        case Rebased():
            return "landed"
        case Conflict():
            return "conflict"
        case NothingToLand():
            return "nothing"


def _compare(lander: GitLander, tree: Path, case: Case, git: Git, seen: Counter[str]) -> None:
    work = Work(case.base, case.theirs)
    landing = lander.land(work, case.ours, BARE)
    expected = rebased_by_git(tree, case.ours, case.base, case.theirs)
    seen[_told(landing)] += 1
    match landing:
        case Conflict():
            assert expected is None, f"{case}: git lands it"
        case NothingToLand():
            assert expected is not None, f"{case}: git has a conflict"
            assert git(tree, "rev-parse", f"{expected}^{{tree}}") == lander.tree_of(case.ours)
        case Rebased():
            assert landing.head == expected, f"{case}: git has {expected}"
            seen["one-sided commits"] += sum(not commit.merged for commit in landing.commits)
            seen["merged commits"] += sum(commit.merged for commit in landing.commits)
            assert lander.prove(work, case.ours, landing) == Proven(), case


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [SAMPLE, pytest.param(ALL, marks=pytest.mark.long)])
def test_generated_pairs_land_as_git_rebases_them(tmp_path: Path, git: Git, count: int) -> None:
    """L-38: clean or conflict, trees and ids are git's, and no case is clean here and a conflict there."""
    repository = tmp_path / "pairs"
    git(tmp_path, "init", "-q", "pairs")
    cases = generate(repository, [f"pair {number}" for number in range(START, START + count)])
    git(repository, "worktree", "add", "--detach", "-q", str(tmp_path / "tree"), cases[0].base)
    lander, seen = GitLander(repository), Counter[str]()
    for case in cases:
        _compare(lander, tmp_path / "tree", case, git, seen)
    sys.stdout.write(f"{dict(seen)}\n")
    assert min(seen["landed"], seen["conflict"], seen["merged commits"]) > count // 10, seen
