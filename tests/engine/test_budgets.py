"""Budgets on the whole engine: reserved, enforced on the way, settled to what was reported, and unknown as unknown."""

from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Until
from gitsched.wiring.commands import hear_own
from tests.engine.scripts import SUITE
from tests.engine.suites import PARTS, parts, without_file
from tests.engine.test_search import batch_of
from tests.engine.world import World

OPENCODE = 'usage = "opencode-json"\n'


def told(usd: float, tokens: int = 10) -> str:
    """Write the line by which an agent tells what a step has cost."""
    part = f'{{"tokens":{{"input":{tokens},"output":0}},"cost":{usd}}}'
    return f'echo \'{{"type":"step_finish","part":{part}}}\''


def measured(world: World, more: str, suite: str = SUITE) -> None:
    """Let the agent's output be read as that of opencode."""
    world.configure(more, suite=suite)
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace('timeout = "60s"\n', f'timeout = "60s"\n{OPENCODE}', 1))


def test_a_24_two_ready_members_share_a_batchs_budget_one_after_the_other(world: World) -> None:
    """A-24: 5 USD for the batch, runs of 3 USD: one at a time; what they did cost is what counts in the end."""
    measured(world, "[budget.batch]\nusd = 5\n")
    world.issues(1, 2, 3)
    world.agent(1, f"{told(3)}; echo 1 > file1.txt")
    world.enqueue(1, solo=True)
    world.run()
    assert world.state.rates["fake"].recent[0].amounts["usd_micros"] == 3_000_000
    gate = world.barrier("go")
    world.agent(2, f"read -r _ < {gate}; {told(1.5)}; echo 2 > file2.txt")
    world.agent(3, f"{told(1)}; echo 3 > file3.txt")
    world.enqueue(2, 3, batch="b1")
    world.tick()
    (lease,) = world.state.leases.values()
    assert lease.reserved["usd_micros"] == 3_000_000
    assert world.waits(3) == ("budget:batch.usd",)
    gate.open()
    world.run()
    world.expect_landed(2, 3)
    assert world.started() == ["1 0", "2 0", "3 0"]
    assert [world.member(n).usage["usd_micros"] for n in (2, 3)] == [1_500_000, 1_000_000]
    (day,) = world.state.costs.values()
    assert day.profiles["fake"]["usd_micros"] == 5_500_000


def test_a_run_that_uses_more_than_it_may_is_ended_on_the_way(world: World) -> None:
    """Where its stream tells, a run is ended at its own cap, and named for it; its work is kept."""
    measured(world, "[budget.run]\nusd = 1\n[stall]\nkill_grace = '1s'\n")
    world.issues(1, 2)
    world.agent(1, f"{told(0.6)}; {told(0.6)}; sleep 50")
    world.agent(2, f"{told(0.6)}; echo 2 > file2.txt")
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "budget:run.usd")
    assert world.entry(2).status is EntryStatus.DONE


def test_a_runs_time_is_a_budget_too(world: World) -> None:
    """`[budget.run] agent_time` ends it before its time limit does."""
    world.configure("[budget.run]\nagent_time = '1s'\n[stall]\nkill_grace = '1s'\n")
    world.issues(1)
    world.agent(1, "sleep 50")
    world.enqueue(1, solo=True)
    world.run()
    assert world.entry(1).reason == "budget:run.agent_time"


def test_a_25_unknown_usage_is_unknown_and_blocks_where_that_is_asked_for(world: World) -> None:
    """A-25: nothing was reported: costs are unknown and not 0, and with `block` the next run of it waits."""
    world.configure('[budget]\nunknown = "block"\n[budget.profile.fake]\nusd = 5\n')
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, solo=True)
    world.run()
    world.enqueue(2, solo=True)
    world.tick()
    assert world.waits(2) == ("budget:profile.usd",)
    assert world.status()["costs"]["usd"] is None
    assert world.member(1, "i1").usage["unknown_usd_micros"] == 1
    world.configure("[budget.profile.fake]\nusd = 5\n")
    world.run()
    assert world.entry(2).status is EntryStatus.DONE


def test_a_21_a_hold_outlives_a_refused_budget(world: World) -> None:
    """A-21: held by a comment; both are shown, and the hold is still there when there is budget again."""
    world.configure("[budget.day]\nruns = 0\n")
    world.issues(6)
    world.agents(6)
    world.enqueue(6, solo=True)
    hear_own(world.clone, world.tracker.comment(6, "/gitsched hold #6"))
    world.tick()
    assert world.waits(6) == ("held:operator", "budget:day.runs")
    world.configure()
    world.run()
    assert world.waits(6) == ("held:operator",)
    assert world.started() == []


MENDING = """
[agents.mender]
command = ["sh", "{scripts}/mender"]
completion = "exit"
usage = "opencode-json"
[fix]
agent = "mender"
"""


def mending(world: World, more: str = "") -> None:
    """Let member 2 break the suite, and an agent mend it for 3 USD."""
    (world.scripts / "mender").write_text(
        f"echo x >> {world.scripts}/mended; {told(3)}\nrm file2.txt; git add -A; git commit -qm Mend\n"
    )
    world.configure(MENDING.format(scripts=world.scripts) + more, suite=PARTS)
    parts(world, two=without_file(2))


def test_a_fix_costs_money_like_any_run(world: World) -> None:
    """What it has cost is its member's, and the day's and its profile's."""
    mending(world)
    batch_of(world, 2)
    world.run()
    world.expect_landed(1, 2)
    assert world.member(2).usage["usd_micros"] == 3_000_000
    (day,) = world.state.costs.values()
    assert day.profiles["mender"]["usd_micros"] == 3_000_000
    assert world.state.rates["mender"].recent[0].amounts["usd_micros"] == 3_000_000


def test_a_fix_that_no_budget_is_left_for_does_not_start(world: World) -> None:
    """Nothing will change that for its batch: the member leaves, as after any fix that cannot start."""
    mending(world, "[budget.batch]\nruns = 2\n")
    batch_of(world, 2)
    world.run()
    world.expect_landed(1)
    assert world.lines("mended") == []
    (left,) = world.batch().evictions
    assert (left.issue, left.reason, left.detail) == (2, "suite-red-after-fix", "budget:batch.runs")


def test_a_fix_waits_for_the_next_day_of_a_days_budget(world: World) -> None:
    mending(world, "[budget.day]\nruns = 2\n")
    batch_of(world, 2)
    world.driver().run(Until.DRAINED)
    assert world.lines("mended") == []
    assert (world.batch().status, world.batch().reason) == (BatchStatus.FIXING, "budget:day.runs")
    assert world.why_batch("b1").reasons == ("budget:day.runs",)
    world.configure(MENDING.format(scripts=world.scripts), suite=PARTS)
    world.resume("b1", reload=True)
    world.run()
    world.expect_landed(1, 2)
