"""`gc` beside a real engine: what has ended moves out of the way, and everything can still be looked at."""

import os
from collections.abc import Callable, Iterator

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.ids import evidence_ref
from gitsched.domain.instants import epoch_seconds
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.engine.hygiene.gc import GcAnswer, collect
from gitsched.errors import RefusedError
from gitsched.wiring.clone import Clone
from tests.cli.calling import Ended, call
from tests.engine.drive import Driving, until
from tests.engine.world import PERSON, World
from tests.real_git import run_git

NOTHING = GcAnswer(archived=(), rescues=(), evidence=(), squashed=0)


def gc(world: World) -> GcAnswer:
    clone = Clone(world.repo)
    return collect(clone.premises(), clone.settings, clone.clock.now(), PERSON)


def verb(world: World, *words: str) -> Ended:
    return call("-C", world.repo, *words)


@pytest.fixture
def months(hermetic: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int], None]]:
    """Give a clock that jumps a number of months ahead."""
    file = tmp_path_factory.mktemp("clock") / "now"
    before = os.environ.get("GITSCHED_TEST_CLOCK")

    def ahead(count: int) -> None:
        file.write_text(f"20{27 + count // 12}-{count % 12 + 1:02d}-01T00:00:00Z")
        os.environ["GITSCHED_TEST_CLOCK"] = str(file)

    yield ahead
    if before is None:
        os.environ.pop("GITSCHED_TEST_CLOCK", None)


@pytest.mark.long
def test_thirty_ended_batches_are_archived_beside_a_driver(world: World, drive: Callable[[], Driving]) -> None:
    """S-20: they move to the archive, `status` lists them with `--all` only, show and log do; a second gc is idle."""
    numbers = range(1, 31)
    world.issues(*numbers)
    for number in numbers:
        world.enqueue(number, leave_open=True, batch=f"old{number}")
        world.stop(f"old{number}")
    gate = world.barrier("gate")
    world.issue(31)
    world.agent(31, f"read -r _ < {gate}; echo 31 > file31.txt")
    world.enqueue(31)
    driving = drive()
    until(world.repo, lambda: world.started() == ["31 0"])
    answer = gc(world)
    assert len(answer.archived) == 30
    gate.open()
    driving.end()
    assert world.entry(31).status is EntryStatus.DONE
    assert gc(world).archived == ("i31",)
    assert gc(world) == NOTHING
    assert dict(world.state.batches) == {}
    listed = [batch["id"] for batch in verb(world, "status", "--json").document["batches"]]
    assert listed == []
    everything = [batch["id"] for batch in verb(world, "status", "--all", "--json").document["batches"]]
    assert {f"old{number}" for number in numbers} <= set(everything)
    shown = verb(world, "show", "old7", "--json").document
    assert (shown["batch"]["status"], [member["issue"] for member in shown["members"]]) == ("stopped", [7])
    told = [line["event"] for line in verb(world, "log", "old7", "--json").lines]
    assert told[0] == "batch-formed"
    assert told[-1] == "batch-archived"
    assert verb(world, "why", "i31").code == 0
    assert "file31" in verb(world, "report", "i31").out or "#31" in verb(world, "report", "i31").out
    assert verb(world, "logs", "31").code == 0
    assert verb(world, "show", "i31", "--evidence", "--json").document["evidence"]


def test_the_name_of_an_archived_batch_is_not_given_out_again(world: World) -> None:
    world.issues(1, 2, 3, 4)
    world.enqueue(1, leave_open=True, batch="b2")
    world.stop("b2")
    assert gc(world).archived == ("b2",)
    with pytest.raises(RefusedError, match="in the archive"):
        world.enqueue(2, leave_open=True, batch="b2")
    world.enqueue(2, 3)
    assert list(world.state.batches) == ["b3"]
    world.stop("b3")


def test_rescued_work_goes_when_it_is_old_and_nobody_needs_it(world: World, months: Callable[[int], None]) -> None:
    """S-22: the old ref is pruned, the young one kept, and an old one that a parked entry may ask for stays."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "-c", "test ! -e broken"]\nevidence = "exit"\n')
    world.issues(1, 2)
    world.agent(1)
    world.agent(2, "echo no > broken")
    world.enqueue(1, 2)
    world.run()
    assert world.entry(2).status is EntryStatus.PARKED
    months(1)
    names = {name: f"refs/gitsched/rescue/b1/{name}" for name in ("1/1", "1/2", "2/1")}
    for name, date in (("1/1", "2027-01-17"), ("1/2", "2027-01-30"), ("2/1", "2027-01-12")):
        made = commit_of_day(world, date)
        run_git(world.repo, "update-ref", names[name], made)
    assert gc(world).rescues == (names["1/1"],)
    assert sorted(world.clone.refs.below("refs/gitsched/rescue/")) == sorted((names["1/2"], names["2/1"]))
    branch = world.entry(2).branch
    assert run_git(world.repo, "rev-parse", f"{branch}")


def commit_of_day(world: World, date: str) -> str:
    stream = f"commit refs/scratch\ncommitter a <a@b> {epoch_seconds(f'{date}T00:00:00.000Z')} +0000\ndata 1\nx\n"
    run_git(world.repo, "fast-import", "--quiet", "--force", stdin=stream)
    made = run_git(world.repo, "rev-parse", "refs/scratch")
    run_git(world.repo, "update-ref", "-d", "refs/scratch")
    return made


def test_old_evidence_goes_with_the_verdicts_that_stand_on_it(world: World, months: Callable[[int], None]) -> None:
    """`evidence.keep`: past it the ref of an ended batch goes, and no stored verdict of it stands any more."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1)
    world.run()
    assert world.state.judged
    months(1)
    assert gc(world).evidence == ()
    months(8)
    assert gc(world).evidence == ("i1",)
    assert world.clone.refs.resolve(evidence_ref("i1")) is None
    assert dict(world.state.judged) == {}
    assert world.told(EventName.EVIDENCE_PRUNED)[0].fields["batches"] == ["i1"]
    world.enqueue(2)
    world.run()
    assert world.entry(2).status is EntryStatus.DONE
    assert gc(world).evidence == ()


def test_history_is_summed_up_by_the_configuration(world: World, months: Callable[[int], None]) -> None:
    """S-21 (`store.compact_after`): what is younger than it stays; the engine goes on on the shorter history."""
    world.configure('[store]\ncompact_after = "48h"\n')
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1)
    world.run()
    assert gc(world).squashed == 0
    count = len(world.journal())
    months(1)
    assert gc(world).squashed == count
    assert findings_of(Clone(world.repo).premises()) == ()
    assert verb(world, "gc").out == "There was nothing to do.\n"
    world.enqueue(2)
    world.run()
    assert world.entry(2).status is EntryStatus.DONE
    assert world.batch("i2").status is BatchStatus.DONE
