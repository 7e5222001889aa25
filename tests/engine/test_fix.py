"""The one bounded fix before a member leaves, on the whole engine."""

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus, Review
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.patience import ticks_until
from tests.engine.relay import Killed
from tests.engine.suites import PARTS, parts, without_file
from tests.engine.test_search import batch_of
from tests.engine.world import World
from tests.real_git import run_git

MENDER = """
[agents.mender]
command = ["sh", "{scripts}/mender", "{{prompt_file}}"]
completion = "exit"
[agents.mender.tiers.mid]
command = ["sh", "{scripts}/mender", "mid"]
[agents.mender.tiers.strong]
command = ["sh", "{scripts}/mender", "strong"]
[fix]
agent = "mender"
"""


def mender(world: World, script: str, *, more: str = "", slots: int = 4) -> None:
    """Configure an agent for fixes; it says at which tier it was started, and keeps its prompt."""
    (world.scripts / "mender").write_text(
        f'echo "$GITSCHED_ISSUE $1" >> {world.scripts}/mended; cat > {world.scripts}/prompt\n{script}\n'
    )
    world.configure(MENDER.format(scripts=world.scripts) + more, suite=PARTS, slots=slots)


def test_v_26_a_fix_that_turns_the_suite_green_keeps_the_member(world: World) -> None:
    """V-26: culprit 3 with 80 failing tests: one agent at `mid`, 50 tests in its prompt; green: its commit is 3's."""
    mender(world, "rm file3.txt; git add -A; git commit -qm 'Mend it'")
    parts(world, **{f"t{number}": without_file(3) for number in range(80)})
    batch_of(world, 4)
    world.run()
    world.expect_landed(1, 2, 3, 4)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert not batch.evictions
    assert world.lines("mended") == ["3 mid"]
    assert sum(line.startswith("- checks.t") for line in world.lines("prompt")) == 50
    assert "- and 30 more" in world.lines("prompt")
    message = run_git(world.repo, "log", "-1", "--format=%B", "main")
    assert message.splitlines()[0] == "Mend it (#3)"
    assert "Gitsched-Fix: 3" in message
    assert "Gitsched-Issue: 3" in message
    assert [(one.issue, one.kind) for one in batch.beside] == [(3, "fix")]
    assert [run.verdict for run in batch.suite] == ["failed", "passed"]


def test_v_27_a_fix_that_does_not_help_is_the_only_one(world: World) -> None:
    """V-27: red after the fix: 3 leaves, with no second attempt; 5 of the same batch still has its own.

    Also where its driver died right after the fix was recorded.
    """
    mender(world, '[ "$GITSCHED_ISSUE" = 3 ] || rm file5.txt\necho x >> mended.txt; git add -A; git commit -qm Try')
    parts(world, five=without_file(5), three=without_file(3))
    batch_of(world, 5)

    def on_entry(entry: JournalEntry) -> None:
        if any(event.name == "fix-resolved" for event in entry.events):
            raise Killed

    with pytest.raises(Killed):
        world.driver().run(Until.IDLE, None, on_entry)
    world.run()
    world.expect_landed(1, 2, 4, 5)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert world.lines("mended") == ["3 mid", "5 mid"]
    assert [(exit_.issue, exit_.reason) for exit_ in batch.evictions] == [(3, "suite-red-after-fix")]
    assert world.entry(3).status is EntryStatus.PARKED
    assert batch.fix_attempts == (3, 5)
    assert not {"file3.txt", "file5.txt"} & world.paths()


def test_v_28_a_fix_waits_for_a_slot_and_is_strong_where_the_review_is_full(world: World) -> None:
    """V-28: no slot is free: the fix waits and says so; for full review it runs at `strong`."""
    mender(world, "rm file1.txt; git add -A; git commit -qm 'Mend it'", slots=1)
    world.slots(1)
    parts(world, two=without_file(1))
    ends = world.barrier("agent-waits")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, f"read -r _ < {ends}; echo 2 > file2.txt")
    world.enqueue(1, batch="b1", review=Review.FULL)
    told: list[str] = []

    def on_entry(entry: JournalEntry) -> None:
        for event in entry.events:
            if event.name == "attributed" and not told:
                told.append("attributed")
                world.enqueue(2, batch="b2")
            if event.fields.get("reason") == "capacity" and event.batch == "b1":
                told.append(world.batch("b1").reason or "")
                assert world.why_batch("b1").reasons == ("capacity",)
                ends.open()

    world.driver().run(Until.IDLE, None, on_entry)
    world.run()
    assert world.lines("mended") == ["1 strong"]
    assert world.batch("b1").status is BatchStatus.DONE
    world.expect_landed(1)


def test_v_28_a_fix_that_cannot_start_counts_as_red(world: World) -> None:
    """V-28: the agent's program is missing: the batch goes on without the member."""
    more = '[agents.mender]\ncommand = ["no-such-program"]\ncompletion = "exit"\n[fix]\nagent = "mender"\n'
    world.configure(more, suite=PARTS)
    parts(world, two=without_file(2))
    batch_of(world, 3)
    world.run()
    world.expect_landed(1, 3)
    (left,) = world.batch().evictions
    assert (left.issue, left.reason, left.detail) == (2, "suite-red-after-fix", "profile-missing:mender")
    assert world.batch().status is BatchStatus.DONE


def test_a_fix_that_is_killed_in_the_middle_goes_on_in_its_tree(world: World) -> None:
    """Its worker is killed with a commit made and more in the tree: the next generation, which adds nothing, has both.

    Both are counted.
    """
    half = "echo half > half.txt; git add -A; git commit -qm Half; rm file2.txt half.txt; kill -9 $PPID; exec sleep 50"
    rest = f"git log --format=%s -1 >> {world.scripts}/found"
    mender(world, f'if [ "$GITSCHED_GEN" = 0 ]; then {half}; fi\n{rest}')
    parts(world, two=without_file(2))
    batch_of(world, 2)
    world.run()
    world.expect_landed(1, 2)
    assert world.lines("mended") == ["2 mid", "2 mid"]
    assert world.lines("found") == ["Half"]
    assert "half.txt" not in world.paths()
    (day,) = world.state.costs.values()
    assert day.profiles["mender"]["runs"] == 2


def test_a_fix_asks_the_budgets_that_a_run_would_ask(world: World) -> None:
    """A day's budget makes it wait; a batch's, which no new day brings back, is as good as no agent."""
    mender(world, "rm file2.txt; git add -A; git commit -qm Mend", more="[budget.day]\nruns = 2\n")
    parts(world, two=without_file(2))
    batch_of(world, 2)
    state = ticks_until(world, lambda state: state.batches["b1"].reason is not None)
    assert (state.batches["b1"].status, state.batches["b1"].reason) == (BatchStatus.FIXING, "budget:day.runs")
    assert world.lines("mended") == []
    mender(world, "rm file2.txt; git add -A; git commit -qm Mend", more="[budget.batch]\nruns = 2\n")
    world.run()
    world.expect_landed(1)
    (left,) = world.batch().evictions
    assert (left.issue, left.reason) == (2, "suite-red-after-fix")
    assert "budget:batch.runs" in (left.detail or "")
