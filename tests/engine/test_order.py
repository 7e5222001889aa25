"""What lands, in which order and as which commits, on the whole engine."""

from pathlib import Path
from typing import Any

from gitsched.domain.effects import Land
from gitsched.domain.ids import LANDING_NOTES
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.engine.perform.table import perform
from gitsched.ports.store import Entry as JournalEntry
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import desk_of
from tests.engine.relay import Call, Relay
from tests.engine.world import World
from tests.real_git import run_git

SIDE = """\
home=$(git branch --show-current)
echo a > {n}-a.txt; git add -A; git commit -q -m "A of {n}"
git checkout -q --detach HEAD~1
echo {other} > {n}-{name}.txt; git add -A; git commit -q -m "Side of {n}"
side=$(git rev-parse HEAD)
git checkout -q "$home"
"""


def subjects(world: World, span: str) -> list[str]:
    """List the subjects of a span of commits, oldest first."""
    return run_git(world.repo, "log", "--reverse", "--format=%s", span).splitlines()


def landed_span(world: World, issue: int) -> str:
    """Name the commits that a member has on the integration branch."""
    member = world.member(issue)
    return f"{member.landed_from}..{member.landed}"


def test_what_each_kind_of_branch_becomes(world: World) -> None:
    """L-18, L-19, L-20, L-22: linear, one where it must be, without empty commits, signed as it should be, additive."""
    (world.repo / "b.py").write_text("one = 1\n")
    base = world.commit("Add b")
    world.issues(1, 2, 3, 4, 5)
    merge = 'git merge -q --no-ff -m "Merge side" $side\necho b > 1-b.txt; git add -A; git commit -q -m "B of 1"\n'
    world.agent(1, SIDE.format(n=1, name="m", other="m") + merge + "echo 'one = 2' > b.py")
    resolved = 'git merge -q $side || true\necho both > 2-a.txt; git add -A; git commit -q -m "Merge and resolve"\n'
    world.agent(2, SIDE.format(n=2, name="a", other="other") + resolved)
    world.agent(3, 'echo 3 > 3.txt; git add -A; git commit -q -m "Own of 3"; echo a > 1-a.txt')
    world.agent(4, "echo a > 1-a.txt")
    message = "Fix total\n\nIt was off by one.\n\nReviewed-by: Bea <bea@example.org>"
    world.agent(
        5,
        f"echo 5 > 5.txt; git add -A\nexport GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.org\n"
        f'GIT_AUTHOR_DATE="2026-02-03T04:05:06+02:00" git commit -q -m "{message}"\n',
    )
    world.enqueue(1, 2, 3, 4, 5)
    world.run()
    world.expect_landed(1, 2, 3, 5)
    batch, head = world.batch(), world.state.members["b1", 5].landed
    assert not run_git(world.repo, "rev-list", "--merges", f"{base}..{head}")
    assert subjects(world, landed_span(world, 1)) == ["A of 1 (#1)", "Side of 1 (#1)", "B of 1 (#1)", "Work on 1 (#1)"]
    assert run_git(world.repo, "rev-parse", f"{world.member(1).landed}^{{tree}}") == run_git(
        world.repo, "rev-parse", f"{world.member(1).head}^{{tree}}"
    )
    assert len(subjects(world, landed_span(world, 2))) == 1
    assert world.show("2-a.txt") == "both"
    assert [event.issue for event in world.told("linearised-as-one")] == [2]
    assert subjects(world, landed_span(world, 3)) == ["Own of 3 (#3)"]
    assert [event.issue for event in world.told("commits-dropped")] == [3]
    assert (world.member(4).status, world.member(4).reason) == (MemberStatus.EVICTED, "nothing-to-land")
    assert world.entry(4).status is EntryStatus.PARKED
    shown = run_git(world.repo, "log", "-1", "--format=%an|%aI|%cn|%s|%(trailers:only,unfold)", head or "")
    assert shown.splitlines() == [
        "Ann|2026-02-03T04:05:06+02:00|gitsched|Fix total (#5)|Reviewed-by: Bea <bea@example.org>",
        "Gitsched-Batch: b1",
        "Gitsched-Issue: 5",
    ]
    assert world.show("b.py") == "one = 2"
    assert batch.status is BatchStatus.DONE


def test_l_16_l_17_git_decides_what_conflicts(world: World) -> None:
    """L-16, L-17: a rename is followed, and a union merge joins both lines in member order; nobody is evicted."""
    (world.repo / "a.txt").write_text("".join(f"line {n}\n" for n in range(20)))
    (world.repo / "CHANGELOG.md").write_text("# Changes\n")
    (world.repo / ".gitattributes").write_text("CHANGELOG.md merge=union\n")
    world.commit("Begin")
    world.issues(1, 2)
    world.agent(1, "git mv a.txt b.txt; echo '- one' >> CHANGELOG.md")
    world.agent(2, "sed -i 's/line 7/line seven/' a.txt; echo '- two' >> CHANGELOG.md")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1, 2)
    assert "line seven" in world.show("b.txt")
    assert "a.txt" not in world.paths()
    assert world.show("CHANGELOG.md") == "# Changes\n- one\n- two"
    assert world.batch().status is BatchStatus.DONE


def test_l_21_squash_keeps_every_author(world: World) -> None:
    """L-21: 40 commits by three authors become one; nobody is lost beyond the thirtieth, the tree is that of the 40."""
    world.configure('[land]\nstrategy = "squash"\n')
    world.issues(1)
    world.agent(
        1,
        """\
        echo 1 > one.txt; git add -A; tree=$(git write-tree); tip=$(git rev-parse HEAD)
        for n in $(seq 40); do
            who=Ann; [ $n -gt 20 ] && who=Bea; [ $n -gt 38 ] && who=Cid
            export GIT_AUTHOR_NAME=$who GIT_AUTHOR_EMAIL=$who@example.org
            tip=$(git commit-tree $tree -p $tip -m "Step $n")
        done
        git reset -q --hard $tip
        """,
    )
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    member = world.member(1)
    assert len(subjects(world, f"{member.cut}..{member.head}")) == 40
    assert len(subjects(world, landed_span(world, 1))) == 1
    shown = run_git(world.repo, "log", "-1", "--format=%an%n%(trailers:key=Co-authored-by,valueonly)", "main")
    assert [line for line in shown.splitlines() if line] == ["Ann", "Bea <Bea@example.org>", "Cid <Cid@example.org>"]
    assert run_git(world.repo, "diff", "--name-only", member.head or "", "main") == ""


def test_l_23_what_comes_after_the_pinned_head_is_kept_and_does_not_land(world: World) -> None:
    """L-23: a commit made after verification is named and stays on its branch, also once the batch is done."""
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.agents(2)
    world.enqueue(1, 2)
    late: list[str] = []

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "member-verified" and event.issue == 2 for event in entry.events):
            branch = world.member(2).branch
            tip = run_git(world.repo, "rev-parse", branch)
            made = run_git(world.repo, "commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "One more thing")
            run_git(world.repo, "update-ref", f"refs/heads/{branch}", made, tip)
            late.append(made)
            gate.open()

    world.driver().run(Until.IDLE, None, on_entry)
    world.expect_landed(1, 2)
    assert world.batch().status is BatchStatus.DONE
    assert "One more thing (#2)" not in subjects(world, "main")
    assert [event.fields["tip"] for event in world.told("late-commits", 2)] == late
    assert run_git(world.repo, "rev-parse", world.member(2).branch) == late[0]
    assert any(world.member(2).branch in line for line in world.batch().leftovers)


def test_l_34_two_drivers_land_once(world: World) -> None:
    """L-34: another driver lands the member between computing and recording; nothing is landed twice."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    meddled: list[str] = []

    def land(real: Call, *words: Any, **named: Any) -> Any:
        done = real(*words, **named)
        if not meddled:
            meddled.append("b1")
            with desk_of(Clone(world.repo)) as desk:
                perform(Land("b1", 1), desk)
        return done

    driver = world.driver_with(lander=Relay(world.clone.lander, land=land))
    driver.run(Until.IDLE)
    assert meddled
    assert world.events("member-landed") == [("member-landed", 1)]
    assert subjects(world, f"{world.batch().base}..main") == ["Work on 1 (#1)"]
    assert world.batch().status is BatchStatus.DONE


def test_l_35_a_branch_that_lags_behind_the_record_is_set_right(world: World) -> None:
    """L-35: the ref was not moved with its record: it is recognised, nothing lands twice, every commit has its note."""
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    world.enqueue(1, 2)

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "member-landed" and event.issue == 1 for event in entry.events):
            member, branch = world.member(1), world.batch().integration.branch
            run_git(world.repo, "update-ref", f"refs/heads/{branch}", member.landed_from or "", member.landed or "")
            gate.open()

    world.driver().run(Until.IDLE, None, on_entry)
    world.expect_landed(1, 2)
    assert len(world.told("landing-repaired")) == 1
    assert [issue for _, issue in world.events("member-landed")] == [1, 2]
    landed = run_git(world.repo, "rev-list", f"{world.batch().base}..main").splitlines()
    assert len(landed) == 2
    for commit in landed:
        assert "b1" in run_git(world.repo, "notes", f"--ref={LANDING_NOTES}", "show", commit)


def test_l_35_a_branch_that_somebody_moved_on_is_not_overwritten(world: World) -> None:
    """L-35: the ref leads the record by a commit of nobody's: the batch blocks, and goes on when that is taken back."""
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    world.enqueue(1, 2)
    foreign: list[str] = []

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "member-landed" and event.issue == 1 for event in entry.events):
            tip, branch = world.member(1).landed or "", world.batch().integration.branch
            foreign.append(run_git(world.repo, "commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "Foreign"))
            run_git(world.repo, "update-ref", f"refs/heads/{branch}", foreign[0], tip)
            gate.open()

    world.driver().run(Until.IDLE, None, on_entry)
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "landing-failed")
    assert run_git(world.repo, "rev-parse", batch.integration.branch) == foreign[0]
    assert foreign[0] in str(world.told("batch-blocked")[-1].fields["detail"])
    run_git(world.repo, "update-ref", f"refs/heads/{batch.integration.branch}", batch.integration.head or "")
    world.resume("b1")
    world.run()
    world.expect_landed(1, 2)
    assert subjects(world, f"{batch.base}..main") == ["Work on 1 (#1)", "Work on 2 (#2)"]


def test_l_37_no_hook_of_the_user_runs_for_a_landing(world: World, tmp_path: Path) -> None:
    """L-37: hooks that all fail and `commit.gpgSign = true` hinder nothing and are never run."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "pre-push", "post-checkout", "post-commit", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {world.scripts}/hooks\nexit 1\n")
        (hooks / name).chmod(0o755)
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1, 2)
    own = "git -c core.hooksPath=/dev/null -c commit.gpgSign=false"
    for issue in (1, 2):
        world.agent(issue, f"echo {issue} > file{issue}.txt; {own} add -A; {own} commit -q -m 'Work on {issue}'")
        script = world.scripts / f"{issue}.sh"
        script.write_text(script.read_text().replace("git add -A; git commit", f"true; {own} commit"))
    world.enqueue(1, 2)
    run_git(world.repo, "config", "core.hooksPath", str(hooks))
    run_git(world.repo, "config", "commit.gpgSign", "true")
    run_git(world.repo, "config", "gpg.program", "/bin/false")
    world.run()
    world.expect_landed(1, 2)
    assert world.batch().status is BatchStatus.AWAITING_MERGE
    assert world.lines("hooks") == []
