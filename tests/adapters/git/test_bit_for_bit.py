"""The ids of `git rebase`, or its conflict, for everything that git's merge machinery knows."""

from pathlib import Path

import pytest

from gitsched.adapters.git.lander import GitLander
from gitsched.domain.landing import Conflict, NothingToLand, Proven, Rebased, Work
from tests.adapters.git.landing_cases import CASES, Case, Project, Side, both
from tests.adapters.git.landing_world import BARE, rebased_by_git
from tests.real_git import Git


def _committed(project: Project, side: Side, start: str | None) -> str:
    if start is not None:
        project.git(project.path, "checkout", "-q", "-f", "--detach", start)
    side(project)
    if project.git(project.path, "status", "--porcelain", "--ignore-submodules=none"):
        project.commit(side.__name__)
    return project.git(project.path, "rev-parse", "HEAD")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case_lands_as_git_rebases_it(case: Case, tmp_path: Path, git: Git) -> None:
    """L-16, L-17, L-31, L-39, L-40: clean, dropped or conflict, and the ids, are those of `git rebase`."""
    path = tmp_path / "project"
    git(tmp_path, "init", "-q", "project")
    for setting in case.config:
        git(path, "config", *setting.split("=", 1))
    project = Project(path, git)
    cut = _committed(project, both(lambda p: p.write("keep", "k\n"), case.base), None)
    ours = _committed(project, case.ours, cut)
    theirs = _committed(project, case.theirs, cut)
    git(path, "checkout", "-q", "-f", "--detach", ours)
    lander, work = GitLander(path), Work(cut, theirs)
    # The checkout may stand on anything: its attributes are not those of the merge.
    (path / ".gitattributes").write_text("* merge=binary\n")
    landing = lander.land(work, ours, BARE)
    git(path, "checkout", "-q", "-f", "--detach", ours)
    git(path, "clean", "-q", "-f", "-d")
    expected = rebased_by_git(path, ours, cut, theirs)
    match landing:
        case Conflict():
            assert (expected, case.outcome) == (None, "conflict")
            assert landing.paths
        case NothingToLand():
            assert (expected, case.outcome) == (ours, "nothing")
        case Rebased():
            assert (landing.head, case.outcome) == (expected, "clean")
            assert lander.prove(work, ours, landing) == Proven()
