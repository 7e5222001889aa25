"""Work by hand: a member claimed by a person, in a tree of its own."""

from pathlib import Path

from tests.cli.calling import Project
from tests.real_git import Git


def test_a_22_a_person_works_a_member_by_hand(project: Project, git: Git) -> None:
    """A-22: the tree, a lease, the same gates, and it lands like any other; identity comes from the tree.

    Who needs the terminal for himself waits meanwhile.
    """
    gate = '[[gates]]\nname = "unit"\nrun = "test -e by-hand.txt -o -e note-2.txt"\nevidence = "exit"\n'
    alone = f'[agents.alone]\ncommand = ["sh", "{project.agent_file}"]\ncompletion = "exit"\nmode = "sequential"\n'
    project.configure(gate + alone)
    project.issues(2)
    assert project("enqueue", 1).code == 0
    assert project("enqueue", 2, "--profile", "alone").code == 0
    claimed = project("claim", 1)
    assert claimed.code == 0, claimed.err
    tree = Path(claimed.out.splitlines()[-1])
    assert project("tick").code == 0
    assert project.status()["slots"]["live"] == 1
    assert project.status()["entries"][1]["waits"] == ["sequential:1"]
    (tree / "by-hand.txt").write_text("done by a person\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "Work by hand")
    assert project("claim", 1).code == 1
    (tree / "inner").mkdir()
    said = project.at(tree / "inner", "done", "--summary", "By hand")
    assert said.code == 0, said.err
    assert project.at(tree, "done").code == 4
    assert project("tick", "--until-idle").code == 0
    assert "by-hand.txt" in git(project.repo, "ls-tree", "--name-only", "main")
    gated = [line for line in project("log", "--json").lines if line["event"] == "gate-passed"]
    assert [line["issue"] for line in gated] == [1, 2]


def test_a_claimed_tree_is_as_an_agent_would_find_it(project: Project) -> None:
    """Setup commands are run in it first; where one fails the claim is refused, slot and tree are given back."""
    setup = '[worktrees]\nsetup = [["sh", "-c", "pwd > ready"], ["sh", "-c", "test ! -e {0}/broken"]]\n'
    text = (project.repo / "gitsched.toml").read_text()
    (project.repo / "gitsched.toml").write_text(text.replace("[worktrees]\n", setup.format(project.home)))
    project.issues(2)
    assert project("enqueue", 1, 2).code == 0
    tree = Path(project("claim", 1).out.splitlines()[-1])
    assert (tree / "ready").read_text().strip() == str(tree)
    (project.home / "broken").touch()
    refused = project("claim", 2)
    assert (refused.code, refused.out) == (1, "")
    assert "setup-failed:2" in refused.err
    assert project.status()["slots"]["live"] == 1
    assert project("release", 1).code == 0
    again = project("claim", 1)
    assert again.code == 0, "its tree was made ready already"
    assert project("release", 1).code == 0
    assert project("stop", "b1").code == 0
    assert project("tick", "--until-idle").code in (0, 1)


def test_a_22_a_claim_is_given_back_with_its_work(project: Project, git: Git) -> None:
    """A-22: `release`: the slot is free, the commits stay, and the agent goes on there."""
    project.issues(1)
    assert project("enqueue", 1).code == 0
    assert project("release", 1).code == 1
    tree = Path(project("claim", 1).out.splitlines()[-1])
    (tree / "half.txt").write_text("half\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "Half of it")
    assert project("release", 1).code == 0
    assert project.status()["slots"]["live"] == 0
    assert project("tick", "--until-idle").code == 0
    assert {"half.txt", "note-1.txt"} <= set(git(project.repo, "ls-tree", "--name-only", "main").split())
