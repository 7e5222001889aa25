"""`gitsched fsck` as it is called: what it names, what it mends, what it leaves, and how it ends."""

from collections.abc import Callable
from typing import Any

from gitsched.domain.ids import BATCH_NOTES, LANDING_NOTES, STATE_REF, VERDICT_NOTES
from gitsched.domain.words import BatchStatus, MemberStatus
from tests.cli.calling import call
from tests.engine.drive import Driving, until
from tests.engine.test_fsck import GATE, by_hand, record, shipped
from tests.engine.world import World
from tests.real_git import run_git

__all__ = ["shipped"]


def fsck(world: World, *words: str) -> tuple[int, list[dict[str, Any]]]:
    ended = call("-C", world.repo, "fsck", "--json", *words)
    return ended.code, ended.document["findings"]


def test_the_verb_names_mends_and_exits_as_it_should(shipped: World) -> None:
    """S-25: exit 1 with findings; `--fix` mends what has one right answer and says what it left."""
    branch = shipped.entry(2).branch
    assert branch is not None
    assert fsck(shipped) == (0, [])
    run_git(shipped.repo, "update-ref", "-d", VERDICT_NOTES)
    run_git(shipped.repo, "branch", "-D", branch)
    sound = run_git(shipped.repo, "rev-parse", STATE_REF)
    by_hand(shipped, record(shipped, "queue/01/1", '"status":"done"', '"status":"queued"'))
    code, told = fsck(shipped)
    assert (code, {row["code"]: row["unit"] for row in told if row["code"] != "note-missing"}) == (
        1,
        {"branch-missing": "issue 2", "journal-unclaimed": "queue/01/1", "journal-differs": "queue/01/1"},
    )
    assert all(set(row) == {"code", "unit", "message", "fix", "mended"} for row in told)
    code, told = fsck(shipped, "--fix")
    assert (code, {(row["code"], row["mended"]) for row in told}) == (
        1,
        {
            ("note-missing", True),
            ("branch-missing", True),
            ("journal-unclaimed", False),
            ("journal-differs", False),
        },
    )
    assert run_git(shipped.repo, "rev-parse", branch)
    code, told = fsck(shipped)
    assert (code, {row["code"] for row in told}) == (1, {"journal-unclaimed", "journal-differs"})
    run_git(shipped.repo, "update-ref", STATE_REF, sound)
    assert fsck(shipped) == (0, [])


def test_a_batch_goes_on_without_its_notes(world: World, drive: Callable[[], Driving]) -> None:
    """S-32: all notes go in the middle; nothing is judged or run again, and fsck writes them anew."""
    world.configure(GATE.replace("test ! -e", f"echo x >> {world.scripts}/judged; test ! -e"))
    world.issues(1, 2)
    world.agent(1)
    gate = world.barrier("gate")
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    world.enqueue(1, 2)
    driving = drive()
    until(world.repo, lambda: world.member(1).status is MemberStatus.LANDED and world.started() == ["1 0", "2 0"])
    judged, refs = world.lines("judged"), (VERDICT_NOTES, LANDING_NOTES, BATCH_NOTES)
    landed, verdicts = world.member(1).landed, dict(world.state.judged)
    for ref in refs:
        run_git(world.repo, "update-ref", "-d", ref)
    gate.open()
    assert driving.end() == 0
    world.expect_landed(1, 2)
    assert (world.batch().status, world.started()) == (BatchStatus.DONE, ["1 0", "2 0"])
    assert world.member(1).landed == landed
    assert dict(world.state.judged).items() >= verdicts.items()
    assert (judged, world.lines("judged")) == (["x"], ["x", "x"]), "each tree once"
    code, told = fsck(world)
    assert (code, {row["code"] for row in told}) == (1, {"note-missing"})
    assert fsck(world, "--fix")[0] == 0
    assert fsck(world) == (0, [])
    assert landed is not None
    assert landed in run_git(world.repo, "notes", f"--ref={LANDING_NOTES}", "list")
