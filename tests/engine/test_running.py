"""What runs when: slots, dependencies, pauses, setup, and the user's checkout."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.engine.intake.pausing import PauseRequest, pause
from gitsched.wiring.clone import Clone
from tests.engine.drive import until
from tests.engine.patience import has_ended, tick_that_tells
from tests.engine.scripts import SUITE
from tests.engine.test_tree_stories import trees_in
from tests.engine.world import World
from tests.real_git import run_git


def test_r_02_a_freed_slot_is_filled_in_the_same_tick(world: World) -> None:
    """R-02: one tick releases the slot of 1 and then spawns 3; no tick ends with a free slot beside a candidate."""
    world.slots(2)
    world.issues(1, 2, 3)
    first, rest = world.barrier("first"), world.barrier("rest")
    for issue, gate in ((1, first), (2, rest), (3, rest)):
        world.agent(issue, f"read -r _ < {gate}; echo {issue} > file{issue}.txt")
    world.enqueue(1, 2, 3, solo=True)
    world.tick()
    assert (world.status()["slots"]["live"], world.waits(3)) == (2, ("capacity",))
    first.open()
    until(world.repo, lambda: has_ended(world, "i1", 1))
    before = len(world.events())
    world.tick()
    fresh = world.events()[before:]
    assert fresh.index(("slot-released", 1)) < fresh.index(("spawned", 3))
    assert world.status()["slots"]["live"] == 2
    rest.open(2)
    world.run()


def test_r_04_a_dependency_waits_through_parking(world: World) -> None:
    """R-04: 7 waits with `dependency:6` while 6 is assigned and parked; the tick that tells of 6's merge spawns it."""
    world.configure(completion="milestone")
    world.issues(*range(1, 6))
    gate = world.barrier("gate")
    world.issue(6)
    world.issue(7, deps=(6,))
    world.agent(6, f"read -r _ < {gate}", ends='gitsched hand-back --reason "not yet"')
    world.agent(7, ends="gitsched done")
    world.enqueue(6)
    world.enqueue(7)
    world.tick()
    assert (world.entry(6).status, world.waits(7)) == (EntryStatus.ASSIGNED, ("dependency:6",))
    gate.open()
    world.run()
    assert (world.entry(6).status, world.entry(7).status) == (EntryStatus.PARKED, EntryStatus.QUEUED)
    assert world.waits(7) == ("dependency:6",)
    assert world.started() == ["6 0"]
    world.agent(6, ends="gitsched done")
    world.requeue(6)
    assert ("spawned", 7) in tick_that_tells(world, "merge-accepted")
    world.run()
    assert [world.entry(n).status for n in (6, 7)] == [EntryStatus.DONE, EntryStatus.DONE]


def test_r_08_a_pause_lets_what_is_live_end(world: World) -> None:
    """R-08: what is live is verified and landed, its suite runs, nothing is spawned, and the driver ends paused."""
    world.slots(1)
    world.issues(1, 2, 3)
    world.agents(1, 2, 3)
    for issue in (1, 2, 3):
        world.enqueue(issue, solo=True)
    paused: list[object] = []

    def on_entry(entry: object) -> None:
        if not paused and ("spawned", 1) in world.events():
            paused.append(pause(Clone(world.repo).store, PauseRequest("lunch"), "ada"))

    ending = world.driver().run(Until.IDLE, on_entry=on_entry)
    assert ending.is_paused
    assert world.started() == ["1 0"]
    assert world.entry(1).status is EntryStatus.DONE
    assert world.batch("i1").suite[-1].verdict == "passed"
    assert [world.entry(n).status for n in (2, 3)] == [EntryStatus.QUEUED] * 2
    assert all("paused" in world.waits(n) for n in (2, 3))


def test_r_16_an_agent_in_the_users_checkout_blocks_its_batch(world: World) -> None:
    """R-16: a commit that a run makes in the user's checkout blocks the batch, and is left to its owner."""
    before = run_git(world.repo, "rev-parse", "HEAD")
    world.issues(1, 2)
    world.agents(2)
    stray = f"cd {world.repo}; echo x > y.txt; git add y.txt; git commit -qm Stray"
    world.agent(1, f"echo 1 > a.txt; git add -A; git commit -qm A; {stray}")
    world.enqueue(1, 2)
    world.run()
    batch = world.batch()
    after = run_git(world.repo, "rev-parse", "HEAD")
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "isolation-breach")
    assert after != before, "the foreign commit is left"
    breach = next(e for entry in world.journal() for e in entry.events if e.name == "isolation-breach")
    assert before[:7] in str(breach.fields["detail"])
    assert after[:7] in str(breach.fields["detail"])
    assert batch.pr is None
    assert not world.told("member-landed")


def test_an_agent_that_changes_what_suites_read_blocks_its_batch(world: World) -> None:
    """A filter in the shared configuration would make the suite read what no commit holds: nothing ships on that."""
    world.issues(1)
    common = world.repo / ".git"
    (common / "info").mkdir(exist_ok=True)
    planted = f"git config filter.swap.smudge 'sed s/bad/good/'; echo '*.txt filter=swap' > {common}/info/attributes"
    world.agent(1, f"echo bad > file1.txt; git add -A; git commit -qm A; {planted}")
    world.enqueue(1)
    world.run()
    batch = world.batch("i1")
    assert (batch.status, batch.reason, batch.pr) == (BatchStatus.BLOCKED, "isolation-breach", None)


PLANT = """\
[ -e {0}/planted ] && exit 0
: > {0}/planted
git config filter.swap.smudge 'sed s/bad/good/'
echo '*.txt filter=swap' > "$(git rev-parse --git-common-dir)/info/attributes"
"""
"""Changes the shared git directory, the first time that it is run."""


@pytest.mark.parametrize("who", ["setup", "gate", "suite"])
def test_a_check_that_changes_what_suites_read_blocks_its_batch(world: World, who: str) -> None:
    """What it came to proves nothing and is dropped; once a person has looked and resumed, it is run again."""
    (world.repo / "plant.sh").write_text(PLANT.format(world.scripts))
    world.commit("Add a script")
    (world.repo / ".git" / "info").mkdir(exist_ok=True)
    plant = 'run = ["sh", "plant.sh"]\nevidence = "exit"\n'
    world.configure(
        f'[[gates]]\nname = "unit"\n{plant}' if who == "gate" else "",
        suite=f"[suite]\n{plant}" if who == "suite" else SUITE,
    )
    if who == "setup":
        trees_in(world, 'setup = [["sh", "plant.sh"]]')
    world.issues(1)
    world.agents(1)
    world.enqueue(1)
    world.run()
    batch = world.batch("i1")
    assert (batch.status, batch.reason, batch.pr) == (BatchStatus.BLOCKED, "isolation-breach", None)
    (told,) = world.told("isolation-breach")
    assert who in str(told.fields["detail"])
    assert not world.state.jobs
    run_git(world.repo, "config", "--remove-section", "filter.swap")
    (world.repo / ".git/info/attributes").unlink()
    world.resume("i1")
    world.run()
    world.expect_landed(1, batch="i1")
    assert len(world.started()) == 1


def test_an_agent_can_go_back_to_the_branch_it_came_from(world: World) -> None:
    """`git checkout -` and `git switch -` work in a member's tree; the commits it made aside are named (R-33)."""
    world.issues(1)
    aside = "git switch -q -c aside; echo x > x.txt; git add x.txt; git commit -qm Aside; git checkout -q -"
    world.agent(1, f"{aside}\ngit switch -q -; git switch -q -\necho 1 > file1.txt")
    world.enqueue(1)
    world.run()
    world.expect_landed(1, batch="i1")
    assert world.paths() >= {"file1.txt"}
    assert "x.txt" not in world.paths()
    (told,) = world.told("stray-commits", 1)
    assert (told.fields["branches"], told.fields["newest"]) == (["aside"], [run_git(world.repo, "rev-parse", "aside")])


def test_commits_on_no_branch_are_told_by_their_ids(world: World) -> None:
    """R-33: the tree goes to the next owner, so that its place alone would lead nobody to them."""
    world.issues(1)
    world.agent(1, "echo 1 > a; git add a; git commit -qm A; git checkout -q --detach; echo 2 > file1.txt")
    world.enqueue(1)
    world.run()
    (told,) = world.told("stray-commits", 1)
    newest = str(told.fields["newest"]).strip("[]'")
    assert newest[:12] in told.sentence
    assert run_git(world.repo, "log", "-1", "--format=%s", newest) == "Work on 1"


def test_no_commit_of_an_agent_is_lost_wherever_it_was_made(world: World) -> None:
    """Reset away, on no branch, or with branch and tree deleted: each commit stays reachable by a ref."""
    world.issues(1, 2, 3)
    made = "echo x > x.txt; git add x.txt; git commit -qm Precious$GITSCHED_ISSUE"
    world.agent(1, f"{made}; git reset -q --hard HEAD~1; echo 1 > file1.txt")
    world.agent(2, f"git checkout -q --detach; {made}; exit 0")
    world.agent(
        3, f"{made}; git checkout -q --detach; git branch -qD $GITSCHED_BRANCH; rm -rf $GITSCHED_WORKTREE; exit 0"
    )
    world.enqueue(1, 2, 3)
    world.run()
    assert world.member(1).status == "shipped"
    run_git(world.repo, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    kept = run_git(world.repo, "log", "--all", "--format=%s").splitlines()
    assert {"Precious1", "Precious2", "Precious3"} <= set(kept)


def test_r_33_the_reason_names_where_the_commits_are(world: World) -> None:
    """R-33: an agent that committed on another branch alone is not said to have committed nothing."""
    world.issues(1, 2)
    world.agents(2)
    world.agent(1, "git checkout -q -b aside; echo x > x.txt; git add x.txt; git commit -qm Aside; exit 0")
    world.enqueue(1, 2)
    world.run()
    assert world.why(1).reasons == ("no-changes",)
    assert any(told.startswith("It left commits elsewhere: aside: ") for told in world.why(1).sentences)


def test_r_16_reading_in_the_users_checkout_is_no_breach(world: World) -> None:
    """R-16: an agent may look; what the user changes meanwhile stays the user's own."""
    world.issues(1)
    world.agent(1, f"git -C {world.repo} log -1 > log.txt; echo mine > {world.repo}/mine.txt")
    world.enqueue(1)
    world.run()
    assert len(world.events("checkout-changed")) == 1
    assert world.batch("i1").status is BatchStatus.DONE


def test_r_16_what_the_user_does_meanwhile_is_told_once(world: World) -> None:
    """R-16: a commit of the user's own is told as `checkout-changed`, once, and stops nothing."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.configure('[ship]\nmerge = "manual"\n')
    world.enqueue(1, 2)
    done: list[str] = []

    def on_entry(entry: object) -> None:
        if not done and ("spawned", 2) in world.events():
            (world.repo / "mine.txt").write_text("mine\n")
            done.append(world.commit("Mine"))

    world.driver().run(Until.IDLE, on_entry=on_entry)
    assert len(world.events("checkout-changed")) == 1
    world.expect_landed(1, 2)
    assert world.batch().status is BatchStatus.AWAITING_MERGE


def test_r_19_a_setup_that_fails_is_rolled_back_whole(world: World) -> None:
    """R-19: the second step fails twice: `setup-failed:2`; tree and branch are gone, and no agent was started."""
    world.configure()
    text = world.repo / "gitsched.toml"
    setup = '[worktrees]\nsetup = [["sh", "-c", "touch ready"], ["false"]]'
    text.write_text(text.read_text().replace("[worktrees]", setup))
    world.clone = Clone(world.repo)
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, solo=True)
    world.run()
    member = world.member(1, "i1")
    assert (member.status, member.reason) == (MemberStatus.EVICTED, "setup-failed:2")
    assert member.recoveries == 0
    assert world.started() == []
    assert len(world.events("setup-failed")) == 2
    assert not run_git(world.repo, "for-each-ref", "refs/heads/gitsched/i1/m1-i1")
