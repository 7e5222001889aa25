"""The search for whoever turned the suite red, on the whole engine: steps are jobs on trees of the pool."""

from zlib import crc32

import pytest

from gitsched.domain.words import BatchStatus, EntryStatus
from tests.engine.suites import PARTS, parts, without_file
from tests.engine.world import World


def batch_of(world: World, count: int, **settings: str) -> None:
    """Enqueue a batch of members that each write a file of their own."""
    issues = range(1, count + 1)
    world.issues(*issues)
    world.agents(*issues)
    world.enqueue(*issues, batch="b1")


def steps(world: World, purpose: str) -> list[tuple[int, ...]]:
    """List the trees that were run for a purpose, in order."""
    told = (event.fields for event in world.told("bisect-step"))
    return [tuple(fields["members"]) for fields in told if fields["purpose"] == purpose]  # type: ignore[arg-type]


def test_v_17_one_slot_finds_the_culprit_of_eight(world: World) -> None:
    """V-17: 8 members, culprit 5, no evidence, one slot: only the failing test runs, at most 3 steps find it."""
    world.configure(slots=1, suite=PARTS)
    world.slots(1)
    parts(world, one="true", two=without_file(5))
    batch_of(world, 8)
    world.run()
    world.expect_landed(1, 2, 3, 4, 6, 7, 8)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert steps(world, "probe") == [(1, 2, 3, 4), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)]
    (left,) = batch.evictions
    assert (left.issue, left.reason, left.method, left.failing) == (5, "suite-failed", "bisect", ("checks.two",))
    assert world.lines("ran")[0] == world.lines("ran")[-1] == "one two"
    assert set(world.lines("ran")[1:-1]) == {"two"}
    assert [run.verdict for run in batch.suite] == ["failed", "passed"]
    assert world.entry(5).status is EntryStatus.PARKED
    assert "file5.txt" not in world.paths()


def test_v_08_what_is_red_on_the_base_blames_nobody(world: World) -> None:
    """V-08: a test that fails on the base as well: `base-red` with base and test as evidence; nobody leaves.

    `resume` puts the batch on the present target, where the test is mended, and it ships.
    """
    world.configure(suite=PARTS)
    parts(world, red="false")
    batch_of(world, 2)
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "base-red")
    (told,) = world.told("batch-blocked")
    assert told.fields["detail"] == f"red on {batch.base} as well: checks.red"
    assert not batch.evictions
    assert not world.told("attributed")
    world.resume("b1")
    world.run()
    assert world.batch().reason == "base-red"
    parts(world, red="true")
    world.resume("b1")
    world.run()
    world.expect_landed(1, 2)
    assert world.batch().status is BatchStatus.DONE


def test_v_08_what_is_red_on_the_base_can_be_excused(world: World) -> None:
    """V-08: with `base_red = "excuse"` the batch goes on and the pull request names the excused test."""
    world.configure(suite=PARTS + 'base_red = "excuse"\n')
    parts(world, green="true", red="false")
    batch_of(world, 2)
    world.run()
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert [(run.verdict, run.excused) for run in batch.suite] == [("failed", ()), ("passed", ("checks.red",))]
    assert world.lines("ran").count("green red") == 1
    assert "Excused" in world.request().body
    assert "checks.red" in world.request().body
    assert not batch.evictions


def test_v_09_an_excused_test_blames_nobody_beside_one_that_does(world: World) -> None:
    """V-09: A is red on the base, B since member 2: 2 leaves through B alone, A is named as excused."""
    world.configure(suite=PARTS + 'base_red = "excuse"\n')
    parts(world, a="false", b=without_file(2))
    batch_of(world, 3)
    world.run()
    batch = world.batch()
    world.expect_landed(1, 3)
    assert batch.status is BatchStatus.DONE
    assert [(exit_.issue, exit_.failing) for exit_ in batch.evictions] == [(2, ("checks.b",))]
    assert batch.suite[-1].excused == ("checks.a",)
    assert "checks.a" in world.request().body


@pytest.mark.parametrize("flaky", ["pass", "block"])
def test_v_10_a_flaky_test_evicts_nobody(world: World, flaky: str) -> None:
    """V-10: it fails once, passes alone, and the suite passes on the same tree: told as flaky, shipped or blocked."""
    world.configure(suite=PARTS + f'flaky = "{flaky}"\n')
    once = f"[ -f {world.scripts}/x ] || ! touch {world.scripts}/x"
    parts(world, chance=once)
    batch_of(world, 2)
    world.run()
    batch = world.batch()
    assert not batch.evictions
    assert [run.verdict for run in batch.suite] == ["failed", "flaky"]
    assert batch.suite[-1].failing == ("checks.chance",)
    if flaky == "pass":
        assert batch.status is BatchStatus.DONE
        assert "checks.chance" in world.request().body
    else:
        assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "suite-flaky")
    assert world.told("flaky")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_v_11_a_test_that_fails_by_chance_evicts_nobody(world: World, seed: int) -> None:
    """V-11: one test fails by chance in 1 of 20 runs, seeded, its first among them: 8 members, nobody leaves."""
    world.configure(suite=PARTS)
    runs = [n for n in range(1, 200) if crc32(f"{seed} {n}".encode()) % 20 == 0]
    red = " ".join(str(n - runs[0] + 1) for n in runs)
    count = f"echo x >> {world.scripts}/count; n=$(wc -l < {world.scripts}/count)"
    parts(world, chance=f'{count}; case " {red} " in *" $((n)) "*) false;; esac', steady="true")
    batch_of(world, 8)
    world.run()
    batch = world.batch()
    assert not batch.evictions
    assert batch.status is BatchStatus.DONE
    assert [run.verdict for run in batch.suite] == ["failed", "flaky"]
    assert world.told("flaky")


def test_a_suite_that_fails_again_though_its_tests_pass_alone_cannot_be_searched(world: World) -> None:
    """Red as a whole, green alone, red again: `suite-cannot-discriminate`, and nobody leaves."""
    world.configure(suite=PARTS)
    parts(world, one="true", two=f'[ "$(tail -n 1 {world.scripts}/ran)" != "one two" ]')
    batch_of(world, 2)
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "suite-cannot-discriminate")
    assert [run.verdict for run in batch.suite] == ["failed", "failed"]
    assert not batch.evictions


def test_v_18_three_slots_try_three_prefixes_at_once(world: World) -> None:
    """V-18: with 3 free slots up to 3 prefixes are tried at once, and not more; four rounds and no job is left."""
    world.slots(3)
    world.configure(slots=3, suite=PARTS)
    parts(world, two=without_file(5))
    batch_of(world, 8)
    world.run()
    world.expect_landed(1, 2, 3, 4, 6, 7, 8)
    assert world.batch().status is BatchStatus.DONE
    assert steps(world, "probe")[:3] == [(1, 2), (1, 2, 3, 4), (1, 2, 3, 4, 5, 6)]
    claimed, most, rounds = 0, 0, 0
    for event in (event for entry in world.journal() for event in entry.events):
        if event.name == "job-claimed" and event.fields["kind"] in ("step", "trial"):
            claimed += 1
            most = max(most, claimed)
        if event.name == "bisect-step":
            claimed -= 1
            rounds += claimed == 0
    assert most == 3
    assert len(steps(world, "probe")) == 4
    assert rounds <= 1 + 4, "the first one asks whether it is ours at all"
    assert not world.state.jobs


def test_v_21_a_pair_is_named_as_a_pair(world: World) -> None:
    """V-21: red only with 2 and 6 together: reported as the pair, the later one leaves, 2 ships."""
    world.configure(suite=PARTS)
    parts(world, two=without_file(2, 6))
    batch_of(world, 6)
    world.run()
    world.expect_landed(1, 2, 3, 4, 5)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    (left,) = batch.evictions
    assert (left.issue, left.method) == (6, "pair")
    assert left.detail == "checks.two fails with #6 together with #2 and passes without it"


@pytest.mark.long
def test_v_22_several_culprits_are_found_in_one_search(world: World) -> None:
    """V-22: 2 and 7 break a test each: one search finds both, its runs serve both, and the six others ship."""
    world.configure(suite=PARTS)
    parts(world, two=without_file(2), seven=without_file(7), good="true")
    batch_of(world, 8)
    world.run()
    world.expect_landed(1, 3, 4, 5, 6, 8)
    batch = world.batch()
    assert batch.status is BatchStatus.DONE
    assert {exit_.issue: exit_.failing for exit_ in batch.evictions} == {2: ("checks.two",), 7: ("checks.seven",)}
    assert [run.verdict for run in batch.suite] == ["failed", "passed"]
    assert len(world.told("batch-rebuilt")) == 1
    assert "seven two" in world.lines("ran")


def test_i_17_the_doctor_knows_a_red_base(world: World) -> None:
    """I-17: it is one red entry, as long as the target stays what it was; nothing is run for that."""
    world.configure(suite=PARTS)
    parts(world, red="false")
    batch_of(world, 1)
    world.run()
    told = [(check.level, check.message) for check in world.doctor() if check.code == "base"]
    assert [str(level) for level, _ in told] == ["red"]
    assert told[0][1].startswith("The target is red: ")
    parts(world, red="true")
    assert [str(check.level) for check in world.doctor() if check.code == "base"] == ["green"]
