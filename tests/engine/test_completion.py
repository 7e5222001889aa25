"""How runs end and what that comes to: whole stories."""

import pytest

from gitsched.domain.instants import seconds_between
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.patience import told
from tests.engine.world import World
from tests.real_git import run_git

DONE = "gitsched done > /dev/null"


def test_without_a_word_a_member_is_not_complete(world: World) -> None:
    """R-26: commits and exit 0, but no `done`: evicted, the branch kept; the others land and ship."""
    world.configure(completion="milestone")
    world.issues(1, 2, 3)
    world.agent(1, ends=DONE)
    world.agent(2)
    world.agent(3, ends=DONE)
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(1, 3)
    assert world.batch().status is BatchStatus.DONE
    entry = world.entry(2)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "agent-exited-unverified")
    assert run_git(world.repo, "show", f"{entry.branch}:file2.txt") == "2"
    assert "file2.txt" not in world.paths()


def test_a_solo_is_started_again_one_tier_stronger(world: World) -> None:
    """R-27: gen 1 at `strong`, in the same tree, with the takeover clause, the uncommitted work rescued."""
    world.configure(completion="milestone")
    world.issues(1, 2)
    first = f"echo draft > draft.txt; pwd > {world.scripts}/tree; exit 0"
    second = 'test "$(pwd)" = "$(cat {folder}/tree)"; cp "$GITSCHED_PROMPT_FILE" {folder}/prompt; echo 1 > file1.txt'
    world.agent(1, first, gen=0)
    world.agent(1, second.format(folder=world.scripts), gen=1, ends=DONE)
    world.agent(2, ends=DONE)
    world.enqueue(1)
    world.enqueue(2, review="full")
    world.run()
    tiers = {(event.issue, event.gen): event.fields["tier"] for event in told(world, "spawned")}
    assert tiers == {(1, 0): "mid", (1, 1): "strong", (2, 0): "strong"}
    assert "TAKEOVER: you take over" in (world.scripts / "prompt").read_text()
    (saved,) = told(world, "work-preserved")
    assert run_git(world.repo, "show", f"{saved.fields['ref']}:draft.txt") == "draft"
    assert str(saved.fields["ref"]).startswith("refs/gitsched/rescue/i1/1/")
    assert world.entry(1).status is EntryStatus.DONE


def test_the_last_terminal_word_decides(world: World) -> None:
    """R-28: harmless posts after `done` bury nothing; `blocked` after it is a hand-back."""
    world.configure(completion="milestone")
    world.issues(1, 2)
    world.agent(1, ends=f"{DONE}; gitsched post --phase report --status progress")
    world.agent(2, ends=f"{DONE}; gitsched post --phase implement --status blocked --key reason=stuck")
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1)
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.HANDED_BACK, "stuck")


@pytest.mark.parametrize("completion", ["milestone", "exit"])
def test_done_without_a_commit_is_nothing_done(world: World, completion: str) -> None:
    """R-29: the outcome is `no-changes`: no gate runs, nothing lands, no rung is used."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["true"]\nkind = "check"\n', completion=completion)
    world.issues(1)
    world.agent(1, "true", ends=DONE)
    world.enqueue(1)
    world.run()
    assert world.entry(1).reason == "no-changes"
    assert not told(world, "gate-passed", "job-claimed", "member-landed", "redispatched")


def test_words_never_decide(world: World) -> None:
    """R-30: "unsuccessful" with exit 0 and a commit is complete; "SUCCESS" with exit 1 is not."""
    world.issues(1, 2)
    world.agent(1, ends='echo "unsuccessful, giving up"; exit 0')
    world.agent(2, ends='echo "SUCCESS"; exit 1')
    world.enqueue(1, 2)
    world.run()
    world.expect_landed(1)
    assert (world.member(2).status, world.member(2).reason) == (MemberStatus.EVICTED, "agent-exited-unverified")


def test_commits_of_the_agent_s_own_count_with_its_merges(world: World) -> None:
    """R-31: three commits, one a merge of a side branch, and a clean tree: complete with all its changes."""
    world.issues(1)
    steps = [
        "git checkout -q -b side-of-1",
        "echo side > side.txt; git add -A; git commit -q -m Side",
        'git checkout -q "$GITSCHED_BRANCH"',
        "echo one > one.txt; git add -A; git commit -q -m One",
        "git merge -q --no-ff -m Merge side-of-1",
    ]
    world.agent(1, "\n".join(steps))
    world.enqueue(1)
    world.run()
    assert {"side.txt", "one.txt"} <= world.paths()
    assert world.entry(1).status is EntryStatus.DONE
    assert not told(world, "member-held", "verify-incomplete")


@pytest.mark.parametrize(("earlier", "counts"), [("31 seconds", True), ("120 seconds", False)])
def test_a_word_from_before_its_time_does_not_count(world: World, earlier: str, counts: bool) -> None:
    """R-35: `done` a little before the spawn counts; long before it is ignored, and that is told once."""
    world.configure("[ladder]\nrecoveries = 0\n", completion="milestone")
    world.issues(1)
    clock = world.scripts / "clock"
    shift = f"date -u -d '-{earlier}' +%Y-%m-%dT%H:%M:%SZ > {clock}"
    world.agent(1, ends=f"{shift}; GITSCHED_TEST_CLOCK={clock}; export GITSCHED_TEST_CLOCK; {DONE}; exit 0")
    world.enqueue(1)
    world.run()
    assert len(told(world, "stale-milestone-ignored")) == (0 if counts else 1)
    assert world.entry(1).status is (EntryStatus.DONE if counts else EntryStatus.PARKED)


def test_an_agent_that_lingers_after_its_last_word_is_ended(world: World) -> None:
    """R-37: TERM once, KILL once after the grace; slot and tree are touched only when its group is gone."""
    world.configure('[stall]\nkill_grace = "1s"\n', completion="milestone")
    world.issues(1)
    stubborn = f"{DONE}; echo $$ > {world.scripts}/pid; trap '' TERM; while :; do sleep 1; done"
    world.agent(1, ends=stubborn)
    world.enqueue(1)
    world.run()
    names = ["stop-sent", "kill-sent", "exit-detected", "slot-released"]
    steps = told(world, *names)
    assert [str(event.name) for event in steps] == names
    assert seconds_between(steps[0].at, steps[1].at) >= 1
    assert world.entry(1).status is EntryStatus.DONE


def test_a_hand_back_is_no_failure(world: World) -> None:
    """R-38: parked with its reason, its branch kept, its commits not landed, nothing counted; the others ship."""
    world.configure(completion="milestone")
    world.issues(1, 2, 3)
    world.agent(1, ends=DONE)
    world.agent(2, ends='gitsched hand-back --reason "needs an API key" > /dev/null')
    world.agent(3, ends=DONE)
    world.enqueue(1, 2, 3)
    world.run()
    member, entry = world.member(2), world.entry(2)
    assert (member.status, member.recoveries) == (MemberStatus.HANDED_BACK, 0)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "needs an API key")
    assert run_git(world.repo, "show", f"{entry.branch}:file2.txt") == "2"
    assert not world.state.control.early_exits
    world.expect_landed(1, 3)
    assert "file2.txt" not in world.paths()


def test_a_time_limit_ends_the_agent_and_keeps_its_work(world: World) -> None:
    """R-40: parent and child are gone, the outcome is `timeout`, and uncommitted work is on a rescue ref."""
    world.configure(f'[agents.slow]\ncommand = ["sh", "{world.scripts}/agent"]\ntimeout = "2s"\n')
    world.issues(1)
    world.agent(1, "echo draft > draft.txt; sleep 60 & sleep 60")
    world.enqueue(1, profile="slow")
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "timeout")
    (saved,) = told(world, "work-preserved")
    assert run_git(world.repo, "show", f"{saved.fields['ref']}:draft.txt") == "draft"
    assert world.started() == ["1 0"]


def test_a_child_that_left_the_group_does_not_hold_the_run_up(world: World) -> None:
    """R-41: it holds the output open; the run is complete at once, and the child is reported."""
    world.configure(completion="milestone")
    world.issues(1)
    world.agent(1, "echo 1 > file1.txt; setsid sleep 60 &", ends=f"{DONE}; exit 0")
    world.enqueue(1)
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    (found,) = told(world, "survivors-found")
    assert "sleep" in str(found.fields["processes"])


def test_a_question_is_answered_by_the_end_of_input(world: World) -> None:
    """R-42: an agent that asks reads end of file at once, and its end is judged like any other."""
    world.issues(1)
    world.agent(1, 'cat > /dev/null; read answer; echo "got $?" > file1.txt')
    world.enqueue(1)
    world.run()
    assert world.show("file1.txt") == "got 1"


def test_used_up_turns_are_named(world: World) -> None:
    """R-43: exit 0 without `done`, and the stream says that the turns are used up: no silent success."""
    stream = '{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":9}'
    text = '[agents.talker]\ncommand = ["sh", "{0}/agent"]\nusage = "claude-stream-json"\ncompletion = "milestone"\n'
    world.configure(text.format(world.scripts))
    world.issues(1)
    world.agent(1, ends=f"echo '{stream}'; exit 0")
    world.enqueue(1, profile="talker")
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "budget:turns")
    assert world.started() == ["1 0"]
