"""Death at every single call that a driver makes to the world, one after the other: the same end each time.

A batch with one of everything, on a town whose processes are played. A few calls in every run of the tests, 100 by
`make faults`; GITSCHED_DEATHS=5000 takes every one.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real_git import run_git
from tests.walks.manners import Manners
from tests.walks.mortal import Fault
from tests.walks.town import Town
from tests.walks.townsman import Townsman

FATES = {1: "good", 2: "bad", 3: "clashes", 4: "clashes", 5: "hands-back", 6: "breaks", 7: "dirty", 8: "good"}
FEW = 3
SOME = int(os.environ.get("GITSCHED_DEATHS", "100"))


class End(NamedTuple):
    """What a batch came to."""

    entries: tuple[tuple[int, str, str | None], ...]
    members: tuple[tuple[int, str, str | None], ...]
    batches: tuple[tuple[str, str, str | None], ...]
    tree: str
    comments: int


def nothing(town: Town) -> None:
    """Let nothing happen between two ticks."""


def played(  # many-parameters: which call, what happens to it, and what happens in between
    made: Path,
    folder: Path,
    dies_at: int | None = None,
    *,
    after: bool = False,
    fault: Fault | None = None,
    between: Callable[[Town], None] = nothing,
) -> tuple[End, int]:
    """Play the batch with one death at that call, counted over all drivers; also tell how many calls there were.

    With a `fault` the driver meets that instead and lives.
    """
    folder.mkdir()
    town = Town(made, folder, Manners())
    town.enqueue(*FATES, batch="b1")
    calls = 0
    while True:
        driver = town.living()[0]
        begun = driver.fate.calls
        if dies_at is not None and calls <= dies_at and fault is not None:
            driver.fate.fails_at, driver.fate.fault = begun + dies_at - calls, fault
        elif dies_at is not None and calls <= dies_at:
            driver.fate.dies_at, driver.fate.dies_after = begun + dies_at - calls, after
        done = driver.tick()
        calls += driver.fate.calls - begun
        town.look()
        between(town)
        for key in town.agents():
            town.end_agent(key, FATES[int(key[1])])
        for key in town.jobs():
            town.end_job(key)
        met = driver.fate.fails_at is not None and begun < driver.fate.fails_at <= driver.fate.calls
        if not done and not driver.is_dead and not town.runner.live and not met:
            break
    town.come_to_rest()
    return _end_of(town), calls


def _end_of(town: Town) -> End:
    state = town.state
    comments = sum(len(town.clone.forge.comments(number)) for number in FATES)
    return End(
        entries=tuple((e.issue, str(e.status), e.reason) for e in state.entries_in_order()),
        members=tuple(sorted((m.issue, str(m.status), m.reason) for m in state.members.values())),
        batches=tuple((b.id, str(b.status), b.reason) for b in state.batches_in_order()),
        tree=run_git(town.repo, "rev-parse", "main^{tree}"),
        comments=comments,
    )


@pytest.mark.fault
@pytest.mark.timeout(3600)
def test_death_at_every_call(
    made: Path, hermetic: Path, pytestconfig: pytest.Config, record_property: Callable[[str, object], None]
) -> None:
    """R-59, V-33, G-25: whenever the driver dies, the next one comes to the same end, reports included."""
    wanted, count = played(made, hermetic / "undisturbed")
    assert wanted.members[0] == (1, "shipped", None)
    step = max(1, count // (SOME if pytestconfig.option.markexpr == "fault" else FEW))
    deaths = list(range(1, count, step))
    for number, call in enumerate(deaths):
        end, _ = played(made, hermetic / f"death{call}", call, after=bool(number % 2))
        assert end == wanted, f"death at call {call} of {count}"
    record_property("told", f"died at {len(deaths)} of {count} calls")


@pytest.mark.fault
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("fault", list(Fault))
def test_a_fault_at_every_call(
    made: Path,
    hermetic: Path,
    pytestconfig: pytest.Config,
    record_property: Callable[[str, object], None],
    fault: Fault,
) -> None:
    """S-05, S-11 (local): whichever call meets a full disk, or loses its reply, the end is the same."""
    wanted, count = played(made, hermetic / "undisturbed")
    step = max(1, count // (SOME if pytestconfig.option.markexpr == "fault" else FEW))
    calls = list(range(step // 2 + 1, count, step))
    for call in calls:
        end, _ = played(made, hermetic / f"fault{call}", call, fault=fault)
        assert end == wanted, f"{fault.value} at call {call} of {count}"
    record_property("told", f"{fault.value} at {len(calls)} of {count} calls")


def collect(town: Town) -> None:
    """Collect all garbage and pack all refs, as a person or git itself may at any time."""
    run_git(town.repo, "gc", "--quiet", "--prune=now")
    run_git(town.repo, "pack-refs", "--all", "--prune")


def tick_again(town: Town) -> None:
    """Tick twice more than anybody asked for, the second time by a driver that comes and goes."""
    town.living()[0].tick()
    passer = Townsman(town)
    passer.tick()
    passer.leave()


@pytest.mark.timeout(300)
def test_ticks_more_or_less_change_nothing(made: Path, hermetic: Path) -> None:
    """Property 9: ticks that are doubled, or made by another driver, come to the same end."""
    wanted, _ = played(made, hermetic / "undisturbed")
    end, _ = played(made, hermetic / "doubled", between=tick_again)
    assert end == wanted


def without_the_forge(town: Town) -> None:
    """Tick while the forge cannot be asked, and see that nothing was ended, given up or started on that."""
    driver, seen = town.living()[0], len(town.properties.names())
    driver.fate.forge_is_away = True
    driver.tick()
    driver.fate.forge_is_away = False
    town.look()
    told = set(town.properties.names()[seen:])
    assert not told & {"member-evicted", "entry-failed", "batch-blocked", "batch-dissolving", "stalled", "stop-sent"}
    assert not told & {"spawned", "assigned"}


@pytest.mark.timeout(300)
def test_nothing_is_decided_while_the_forge_cannot_be_asked(made: Path, hermetic: Path) -> None:
    """Property 8: between all ticks the forge goes away and comes back: the same end, and nothing is given up."""
    wanted, _ = played(made, hermetic / "undisturbed")
    end, _ = played(made, hermetic / "away", between=without_the_forge)
    assert end == wanted


@pytest.mark.timeout(300)
def test_s_19_garbage_is_collected_at_any_time(made: Path, hermetic: Path) -> None:
    """S-19: after every tick all garbage is collected and all refs are packed: nothing is lost, and the run goes on."""
    wanted, _ = played(made, hermetic / "undisturbed")
    end, _ = played(made, hermetic / "collected", between=collect)
    assert end == wanted
    repo = hermetic / "collected" / "repo"
    run_git(repo, "fsck", "--connectivity-only")
    state = Town.state_of(repo)
    kept = [m.head for m in state.members.values() if m.head] + [m.landed for m in state.members.values() if m.landed]
    assert len(kept) > len(FATES)
    for commit in kept:
        run_git(repo, "cat-file", "-e", commit)
    assert run_git(repo, "ls-tree", "-r", "--name-only", "refs/gitsched/evidence/b1")
    assert run_git(repo, "notes", "--ref=gitsched/landings", "list")
