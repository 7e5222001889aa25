"""An agent that reviews a batch before it ships, on the whole engine."""

from gitsched.domain.words import BatchStatus
from gitsched.engine.driver import Until
from tests.engine.patience import ticks_until
from tests.engine.relay import Call, Relay
from tests.engine.scripts import GITSCHED
from tests.engine.test_budgets import OPENCODE, told
from tests.engine.world import World

REVIEWER = """
[agents.critic]
command = ["sh", "{scripts}/critic"]
completion = "milestone"
{usage}
[review]
agent = "critic"
"""


def critic(world: World, script: str, *, more: str = "", usage: str = "", slots: int = 4) -> None:
    """Configure a reviewer, which says that it was started and keeps its prompt."""
    (world.scripts / "critic").write_text(
        f'gitsched() {{ {GITSCHED} "$@"; }}\n'
        f'echo "$GITSCHED_GEN" >> {world.scripts}/reviews; cat > {world.scripts}/prompt\n{script}\n'
    )
    world.configure(REVIEWER.format(scripts=world.scripts, usage=usage) + more, slots=slots)
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2, batch="b1")


def says(status: str, reason: str = "") -> str:
    told = f" --reason '{reason}'" if reason else ""
    return f"gitsched post --phase review-batch --status {status}{told}"


def test_a_reviewer_that_says_done_lets_the_batch_ship(world: World) -> None:
    critic(world, f"echo astray > astray.txt; {says('done')}")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    world.expect_landed(1, 2)
    assert world.lines("reviews") == ["0"]
    assert "astray.txt" not in world.paths()
    prompt = "\n".join(world.lines("prompt"))
    assert f"{world.batch().base}..{world.request().head}" in prompt
    assert "Issue 2" in prompt
    assert world.batch().usage["runs"] == 1


def test_g_09_a_reviewer_that_objects_blocks_once_and_is_not_asked_again(world: World) -> None:
    """G-09: `blocked Missing tests!`: `review-blocked:missing-tests`, nobody respawned; resume accepts the tree."""
    critic(world, says("blocked", "Missing tests!"))
    world.run()
    world.tick()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "review-blocked:missing-tests")
    assert world.lines("reviews") == ["0"]
    assert len(world.told("batch-blocked")) == 1
    assert "Its reviewer objects: missing-tests." in world.why_batch().sentences
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.lines("reviews") == ["0"]


def test_g_09_a_reviewer_without_a_word_is_started_three_times(world: World) -> None:
    """G-09: it exits unverified three times: `respawn-cap:review`, after exactly 2 respawns; resume asks afresh."""
    critic(world, f"[ ! -e {world.scripts}/say ] || {says('done')}")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "respawn-cap:review")
    assert len(world.lines("reviews")) == 3
    (world.scripts / "say").touch()
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert len(world.lines("reviews")) == 4


def test_g_10_what_members_and_commits_do_not_agree_on_is_seen_before_an_agent_is_spent(world: World) -> None:
    """G-10: a branch that lacks the commit of 2 blocks before the reviewer is started."""
    critic(world, says("done"))

    def without_the_last(real: Call, start: str, end: str) -> tuple[str, ...]:
        found: tuple[str, ...] = real(start, end)
        return found[:1] if world.batch().status is BatchStatus.REVIEWING else found

    world.driver_with(lander=Relay(world.clone.lander, commits=without_the_last)).run(Until.IDLE)
    assert world.batch().reason == "members-mismatch:2"
    assert world.lines("reviews") == []


def test_a_killed_reviewer_is_started_again_under_its_next_generation(world: World) -> None:
    killed = '[ "$GITSCHED_GEN" != 0 ] || { kill -9 $PPID; exec sleep 50; }'
    critic(world, f"{killed}\n{says('done')}")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.lines("reviews") == ["0", "1"]
    assert len(world.told("job-lost")) == 1


def test_a_budget_of_the_day_keeps_the_reviewer_waiting_where_people_see_it(world: World) -> None:
    critic(world, says("done"), more="[budget.day]\nruns = 2\n")
    batch = ticks_until(world, lambda state: state.batches["b1"].reason is not None).batches["b1"]
    assert (batch.status, batch.reason) == (BatchStatus.REVIEWING, "budget:day.runs")
    assert world.lines("reviews") == []
    assert world.why_batch().reasons == ("budget:day.runs",)


def test_what_a_reviewer_costs_counts_for_its_batch_its_day_and_its_profile(world: World) -> None:
    critic(world, f"{told(2.5)}; {says('done')}", usage=OPENCODE)
    world.run()
    assert world.batch().usage["usd_micros"] == 2_500_000
    (day,) = world.state.costs.values()
    assert day.profiles["critic"]["usd_micros"] == 2_500_000
    assert world.state.rates["critic"].recent[0].amounts["usd_micros"] == 2_500_000


def test_a_reviewer_that_is_not_there_is_a_persons_business(world: World) -> None:
    missing = '[agents.critic]\ncommand = ["no-such-program"]\n[review]\nagent = "critic"\n'
    world.configure(missing)
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "profile-missing:critic")
