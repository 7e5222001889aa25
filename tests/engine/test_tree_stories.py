"""Trees, the user's checkout and what agents do in them, as whole stories."""

import os
import subprocess
import sys

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.wiring.clone import Clone
from tests.engine.world import World
from tests.git.test_worktrees import snapshot
from tests.golden import ROOT
from tests.real_git import run_git


def trees_in(world: World, settings: str) -> None:
    """Add settings to the table of worktrees."""
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[worktrees]", f"[worktrees]\n{settings}"))
    world.clone = Clone(world.repo)


def test_r_14_a_batch_leaves_a_dirty_checkout_as_it_is(world: World) -> None:
    """R-14: a batch of three runs to done: status, index, HEAD, stash, files, configuration and branches stay."""
    (world.repo / "a.txt").write_text("a\n")
    world.commit("Add a")
    run_git(world.repo, "checkout", "-q", "-b", "mine")
    (world.repo / "a.txt").write_text("stashed\n")
    run_git(world.repo, "stash")
    (world.repo / "a.txt").write_text("changed\n")
    (world.repo / "new.txt").write_text("staged\n")
    run_git(world.repo, "add", "new.txt")
    (world.repo / "untracked.txt").write_text("untracked\n")
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    world.enqueue(1, 2, 3)
    before, exclude = snapshot(world.repo, run_git), (world.repo / ".git/info/exclude").read_bytes()
    world.run()
    world.expect_landed(1, 2, 3)
    assert world.batch().status is BatchStatus.DONE
    after = snapshot(world.repo, run_git)
    for look in (before, after):
        look["branches"] = [
            line for line in str(look["branches"]).splitlines() if not line.startswith("refs/heads/main ")
        ]
    assert after == before
    assert (world.repo / ".git/info/exclude").read_bytes() == exclude


def test_r_15_without_a_place_for_trees_nobody_starts(world: World) -> None:
    """R-15: the root cannot be written: the reason names the step, the slot is free, no agent was started anywhere."""
    world.issues(1)
    world.agents(1)
    world.trees.write_text("no folder\n")
    world.enqueue(1)
    world.run()
    assert world.started() == []
    assert not world.state.leases
    member = world.member(1, "i1")
    assert member.status is not MemberStatus.RUNNING
    assert world.why(1).reasons == ("held:worktree-root",)
    assert "making the folder" in " ".join(world.why(1).sentences)
    world.trees.unlink()
    world.stop("1")
    world.run()


def test_r_19_the_others_go_on_where_one_cannot_be_set_up(world: World) -> None:
    """R-19: step 2 fails for 1 alone: `setup-failed:2`, tree and branch gone, no agent, no recovery; 2 ships."""
    trees_in(world, 'setup = [["true"], ["sh", "-c", "test $(git branch --show-current) != gitsched/b1/m1-i1"]]')
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.run()
    member = world.member(1)
    assert (member.status, member.reason, member.recoveries) == (MemberStatus.EVICTED, "setup-failed:2", 0)
    assert [event.fields["step"] for event in world.told("setup-failed")] == ["2", "2"]
    assert world.started() == ["2 0"]
    assert not run_git(world.repo, "for-each-ref", f"refs/heads/{member.branch}")
    world.expect_landed(2)
    assert world.batch().status is BatchStatus.DONE


def test_r_21_what_became_of_a_tree_is_told_and_nothing_behind_it_is_removed(world: World) -> None:
    """R-21: a tree that has become a link: `teardown-failed` names the path, its target stays, the batch ends."""
    precious = world.scripts / "precious"
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "-c", "exit 127"]\n')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    tree = world.clone.trees.trees()[0].path
    tree.rename(precious)
    tree.symlink_to(precious)
    world.abandon(keep=True)
    world.run()
    assert world.batch().status is BatchStatus.DISSOLVED
    (told,) = world.told("teardown-failed")
    assert str(tree) in str(told.fields["left"])
    assert (precious / "file1.txt").exists()
    tree.unlink()
    precious.rename(tree)
    assert world.clone.trees.remove(tree) is None


def test_r_22_a_branch_that_somebody_has_checked_out_is_left_alone(world: World) -> None:
    """R-22: the member is held with the path that holds its branch; that worktree stays as it is."""
    mine, gate = world.scripts / "mine", world.barrier("gate")
    world.issues(1, 2)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.agents(2)
    world.enqueue(1, 2, batch="b1", groups=((1, 2),))
    world.tick()
    assert world.member(2).branch == "gitsched/b1/m2-i2"
    run_git(world.repo, "worktree", "add", "-q", "-b", "gitsched/b1/m2-i2", str(mine))
    (mine / "mine.txt").write_text("mine\n")
    head = run_git(mine, "rev-parse", "HEAD")
    gate.open()
    world.run()
    assert world.started() == ["1 0"]
    assert world.member(2).hold == "branch-checked-out"
    assert str(mine) in " ".join(world.why(2).sentences)
    assert run_git(mine, "rev-parse", "HEAD") == head
    assert run_git(mine, "status", "--porcelain") == "?? mine.txt"
    run_git(world.repo, "worktree", "remove", "--force", str(mine))
    run_git(world.repo, "branch", "-D", "gitsched/b1/m2-i2")
    world.resume("2")
    world.run()
    world.expect_landed(1, 2)


def test_r_24_a_driver_inside_a_hook_hands_nothing_of_it_down(world: World) -> None:
    """R-24: setup, agent and gate see none of the hook's variables, and every commit lands on the member's branch."""
    hooked = world.scripts / "hooked"
    run_git(world.scripts, "init", "-q", str(hooked))
    look = f'env | grep -E "^GIT_(DIR|WORK_TREE|INDEX_FILE)=" >> {world.scripts}/seen'
    world.configure(f"[[gates]]\nname = \"unit\"\nrun = ['sh', '-c', '{look}; exit 0']\nevidence = \"exit\"\n")
    trees_in(world, f"setup = [['sh', '-c', '{look}; exit 0']]")
    world.issues(1)
    world.agent(1, f"{look} || true; echo 1 > file1.txt")
    world.enqueue(1)
    before = sorted(hooked.rglob("*"))
    inside = {
        "GIT_DIR": str(hooked / ".git"),
        "GIT_WORK_TREE": str(hooked),
        "GIT_INDEX_FILE": str(hooked / ".git/index"),
    }
    subprocess.run(
        [sys.executable, "-m", "tests.engine.drive", str(world.repo)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **inside},
        check=True,
    )
    world.expect_landed(1, batch="i1")
    assert world.lines("seen") == []
    assert sorted(hooked.rglob("*")) == before


def test_r_32_what_is_left_uncommitted_is_committed_inside_the_declared_files_only(world: World) -> None:
    """R-32: `src/a.py` is committed and lands; with `docs/x.md` beside it the member is held, and nothing is lost."""
    world.configure(completion="milestone")
    world.issue(1, files=("src/**",))
    world.issue(2, files=("lib/**",))
    inside = "mkdir -p {0}; echo a > {0}/a.py\n"
    (world.scripts / "1.sh").write_text(inside.format("src") + "gitsched done; exit 0\n")
    (world.scripts / "2.sh").write_text(
        inside.format("lib") + "mkdir docs; echo x > docs/x.md; gitsched done; exit 0\n"
    )
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    world.run()
    world.expect_landed(1, batch="i1")
    base, landed = world.batch("i1").base, world.member(1, "i1").landed
    assert run_git(world.repo, "diff", "--name-only", base or "", landed or "") == "src/a.py"
    held = world.member(2, "i2")
    assert (held.hold, held.landed) == ("out-of-scope", None)
    assert "docs/x.md" in world.why(2).sentences
    (tree,) = [tree.path for tree in world.clone.trees.trees()]
    assert (tree / "docs/x.md").exists()
    assert (tree / "lib/a.py").exists()
    world.stop("2")
    world.run()
    (saved,) = world.told("work-preserved")
    kept = run_git(world.repo, "ls-tree", "-r", "--name-only", str(saved.fields["ref"]))
    assert {"docs/x.md", "lib/a.py"} <= set(kept.splitlines())


@pytest.mark.parametrize("how", ["-b side", "--detach"])
def test_r_33_commits_in_a_nested_worktree_are_named_and_not_lost(world: World, how: str) -> None:
    """R-33: nothing is on the member's branch: `no-changes`, with place and commits in the reason; git keeps them."""
    world.configure(completion="milestone")
    world.issues(1)
    steps = f"git worktree add -q {how} nested; cd nested; echo x > x.txt; git add x.txt; git commit -qm Aside"
    note = f"git rev-parse HEAD > {world.scripts}/made"
    (world.scripts / "1.sh").write_text(f"{steps}; {note}; cd ..; gitsched done; exit 0\n")
    world.enqueue(1)
    world.run()
    (made,) = world.lines("made")
    entry = world.entry(1)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "no-changes")
    told = " ".join(world.why(1).sentences)
    assert made[:12] in told
    assert ("side" if "side" in how else "nested") in told
    assert not world.told("member-landed")
    run_git(world.repo, "worktree", "prune")
    run_git(world.repo, "reflog", "expire", "--expire=now", "--all")
    run_git(world.repo, "gc", "-q", "--prune=now")
    assert run_git(world.repo, "cat-file", "-t", made) == "commit"


def test_r_34_a_sibling_s_commits_are_not_accepted(world: World) -> None:
    """R-34: 3 merges 2's branch into its own: it leaves, issue 2 is named, and 2's commits land once, in order."""
    world.configure('[stall]\nkill_grace = "2s"\n')
    go, merged = world.barrier("go"), world.barrier("merged")
    world.issues(1, 2, 3)
    world.agents(1)
    world.agent(2, f"echo 2 > file2.txt; git add -A; git commit -q -m 'Work on 2'; echo > {go}; read -r _ < {merged}")
    world.agent(3, f"read -r _ < {go}; git merge -q gitsched/b1/m2-i2; echo 3 > file3.txt; echo > {merged}")
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(1, 2)
    member = world.member(3)
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "sibling-commits:2")
    assert "issue 2" in " ".join(world.why(3).sentences)
    subjects = run_git(world.repo, "log", "--format=%s", f"{world.batch().base}..main").splitlines()
    assert subjects == ["Work on 2 (#2)", "Work on 1 (#1)"]
